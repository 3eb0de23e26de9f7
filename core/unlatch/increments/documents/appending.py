"""Appending to a file: what it says so far stays, and stays what it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.increments.documents.line_ending import line_ending
from unlatch.increments.documents.lines import scan
from unlatch.increments.documents.quoting import as_heading, label_value, quoted
from unlatch.increments.documents.task_style import style_of
from unlatch.increments.documents.tasks import places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.increments.model.amendment import NewTask


def with_scope_change(text: str, *, change: str, reason: str, date: str, reopen: str) -> str:
    """Append what was changed, and why, under a heading of its own.

    Args:
        text: a spec.md.
        change: what is to be done on top; quoted, so that it cannot become part of the file's
            structure.
        reason: why the increment was reopened; quoted likewise.
        date: the day, for the heading.
        reopen: the id of the reopenHistory entry.
    """
    lines = [
        f"## {as_heading(f'Scope change ({date})')}",
        "",
        f"**Reopen**: {label_value(reopen)}",
        "",
        "**Reason**:",
        "",
        *quoted(reason),
        "",
        "**Change**:",
        "",
        *quoted(change),
    ]
    return text + _appended(text, lines, closing=scan(text).closing)


def with_tasks(text: str, new: Sequence[NewTask], *, heading: str) -> tuple[str, tuple[str, ...]]:
    """Append tasks in the file's own style, numbered on from the highest number that it has.

    Args:
        text: a tasks.md; may be empty.
        new: the tasks, in order.
        heading: what they stand under, one level above them where there is one.

    Returns:
        The new text, and the ids of the new tasks.
    """
    if not new:
        return text, ()
    scanned = scan(text)
    style = style_of(places(scanned.lines), scanned.lines)
    lines = [] if text.strip("\ufeff \t\r\n") else ["# Tasks", ""]
    if style.level > 1:
        lines += [f"{'#' * style.heading_level} {as_heading(heading)}", ""]
    ids = style.ids(len(new))
    for task_id, task in zip(ids, new, strict=True):
        lines += [*style.lines(task_id, task), ""]
    return text + _appended(text, lines[:-1], closing=scanned.closing), ids


def _appended(text: str, lines: Sequence[str], *, closing: Sequence[str]) -> str:
    end = line_ending(text)
    # A code block or comment that nobody closed would swallow what follows.
    closed = [*closing, ""] if closing else []
    return _gap(text, end, is_open=bool(closing)) + "".join(
        line + end for line in (*closed, *lines)
    )


def _gap(text: str, end: str, *, is_open: bool) -> str:
    if not text.strip("\ufeff"):
        return ""
    if not text.endswith(("\n", "\r")):
        return end if is_open else end * 2
    if is_open or text.endswith(("\n\n", "\n\r\n", "\r\r")):
        return ""
    # A lone carriage return at the end would become one line ending with a newline behind it.
    return end * 2 if text.endswith("\r") and end == "\n" else end
