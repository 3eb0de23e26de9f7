"""What an item made from an increment says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.domain.operation import Draft
from unlatch.domain.text import fill

if TYPE_CHECKING:
    from unlatch.domain.increment import Increment

_BODY = "Increment **{increment}**: {title}\n\nType {type}, status {status}"


def draft_of(increment: Increment) -> Draft:
    """The title and the kept part of the body for an increment's item."""
    body = fill(
        _BODY,
        {
            "increment": increment.id,
            "title": increment.title,
            "type": increment.type or "unknown",
            "status": increment.status.value,
        },
    )
    return Draft(increment.id, increment.title, increment.type, body)
