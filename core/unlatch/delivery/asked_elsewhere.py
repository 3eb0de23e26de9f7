"""Leave out who asked in a comment, on items of other trackers than the comment's.

The person is known where they wrote; people who see other trackers get the link alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace
    from unlatch.spi.operation import Operation

# The end of a reason from a comment, as it is recorded.
ASKED_BY = "(asked by {who} in {url})"
_BEGINNING = ASKED_BY.partition("{")[0]


def as_told(
    workspace: Workspace, increment: Increment, operation: Operation
) -> tuple[Increment, Operation]:
    """An increment and its operation, with the words that the operation's item may show."""
    entries = increment.reopens
    reason = next((entry.reason for entry in entries if entry.id == operation.op), operation.reason)
    told = told_elsewhere(workspace, operation.tracker, reason)
    if told is None or workspace.config.comments.share_text:
        return increment, operation
    reason, by = told
    reopens = tuple(
        replace(entry, reason=reason, reopened_by=by) if entry.id == operation.op else entry
        for entry in entries
    )
    return replace(increment, reopens=reopens), replace(operation, reason=reason, by=by)


def told_elsewhere(
    workspace: Workspace, tracker: str, reason: str | None
) -> tuple[str, str] | None:
    """The reason and the author that items of a tracker show instead of a person on another one.

    None if the reason names nobody who asked in a comment, or one at this tracker.
    """
    words, beginning, asked = (reason or "").rpartition(_BEGINNING)
    url = asked.removesuffix(")").rpartition(" in ")[2]
    if not beginning or not asked.endswith(")") or "://" not in url:
        return None
    refs, _ = workspace.recognise(url)
    if tracker in refs:
        return None
    names = (workspace.settings[name].name(ref) for name, ref in refs.items())
    place = next(names, "another tracker")
    return f"{words}(asked on {place}: {url})", f"a person on {place}"
