"""An effort as a part of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.terminal import output

if TYPE_CHECKING:
    from unlatch_efforts.effort_model import Effort


def effort_entry(effort: Effort) -> output.Json:
    """The entry of an effort."""
    return {
        **output.fields(effort, "id", "title", "status", "summary", "lines", "increment"),
        **output.fields(effort, "created", "updated", "concluded"),
        "reopens": [
            output.fields(reopen, "at", "by", "reason", "prior_summary", "concluded")
            for reopen in effort.reopens
        ],
    }
