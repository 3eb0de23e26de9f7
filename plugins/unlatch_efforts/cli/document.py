"""An effort as a part of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.terminal import output
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from unlatch_efforts.model import Effort


def effort_entry(effort: Effort) -> output.Json:
    """The entry of an effort."""
    return {
        **output.fields(effort, "id", "title", "status", "summary", "lines", "increment"),
        "created": stamp(effort.created),
        "updated": stamp(effort.updated),
        "concluded": effort.concluded and stamp(effort.concluded),
        "reopens": [
            {
                "at": stamp(one.at),
                "by": one.by,
                "reason": one.reason,
                "priorSummary": one.prior_summary,
                "concluded": one.concluded and stamp(one.concluded),
            }
            for one in effort.reopens
        ],
    }
