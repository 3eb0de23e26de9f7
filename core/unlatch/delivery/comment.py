"""What is said on an item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.config.config import CommentStyle
from unlatch.spi.text import Check, Checks, Text, fill

if TYPE_CHECKING:
    from datetime import datetime

    from unlatch.config.config import CoreConfig
    from unlatch.increments.model.amendment import Amended
    from unlatch.increments.model.increment import Increment

_SHORT = "**{headline}**: {reason}"
_FULL = "**{headline}**: {reason}\n\nIncrement {increment}, by {by}, {at}"
# A comment is to be read; the whole list stands in tasks.md.
_MOST_TASKS = 50
_LONGEST_TASK = 300
_MOST_PARTS = 50


def compose(
    config: CoreConfig,
    increment: Increment,
    *,
    headline: str,
    reason: str,
    by: str,
    at: datetime,
    amended: Amended | None = None,
) -> Text | None:
    """The comment in the configured style, or None if nothing shall be said.

    Args:
        amended: what the intent changed about the work; told but in the short style.
    """
    if config.comment is CommentStyle.NONE:
        return None
    is_short = config.comment is CommentStyle.SHORT
    values = {
        "headline": headline,
        "reason": reason,
        "by": by,
        "at": f"{at:%Y-%m-%d %H:%M} UTC",
        "increment": increment.id,
        "title": increment.title,
    }
    said = fill(config.comment_template or (_SHORT if is_short else _FULL), values)
    return said if is_short or amended is None else (*said, *_work(amended, reason))


def _work(amended: Amended, reason: str) -> Text:
    amendment = amended.amendment
    change = amendment.change
    said: Text = ()
    if change is not None and change != reason:
        said += fill("**Change**: {change}", {"change": change})
    if amendment.parts:
        shown = ", ".join(amendment.parts[:_MOST_PARTS])
        more = f", and {left} more" if (left := len(amendment.parts) - _MOST_PARTS) > 0 else ""
        said += fill("**To be done again**: {parts}", {"parts": shown + more})
    if amendment.tasks:
        said += (*fill("**New tasks**", {}), _checks(amended))
    return said


def _checks(amended: Amended) -> Checks:
    tasks = [
        f"{task_id}: {task.title}"
        for task_id, task in zip(amended.amendment.ids, amended.amendment.tasks, strict=True)
    ]
    shown = [Check(_cut(task), done=False) for task in tasks[:_MOST_TASKS]]
    if left := len(tasks) - len(shown):
        shown.append(Check(f"and {left} more in the increment's tasks.md"))
    return Checks(tuple(shown))


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_TASK else f"{line[: _LONGEST_TASK - 3]}..."
