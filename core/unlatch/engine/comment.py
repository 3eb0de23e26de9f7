"""What is said on an item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.domain.text import Text, fill
from unlatch.store.config import CommentStyle

if TYPE_CHECKING:
    from datetime import datetime

    from unlatch.domain.increment import Increment
    from unlatch.store.config import CoreConfig

_SHORT = "**{headline}**: {reason}"
_FULL = "**{headline}**: {reason}\n\nIncrement {increment}, by {by}, {at}"


def compose(
    config: CoreConfig, increment: Increment, *, headline: str, reason: str, by: str, at: datetime
) -> Text | None:
    """The comment in the configured style, or None if nothing shall be said."""
    if config.comment is CommentStyle.NONE:
        return None
    built_in = _SHORT if config.comment is CommentStyle.SHORT else _FULL
    values = {
        "headline": headline,
        "reason": reason,
        "by": by,
        "at": f"{at:%Y-%m-%d %H:%M} UTC",
        "increment": increment.id,
        "title": increment.title,
    }
    return fill(config.comment_template or built_in, values)
