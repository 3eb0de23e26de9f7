"""Send an edit of an issue, and find its completed parts in the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import Forbidden, Rejected, TrackerError, UnknownOutcome
from unlatch_jira.api.edit import Edit
from unlatch_jira.api.errors import FieldsNotOnScreen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.spi import Progress
    from unlatch_jira.api.client import JiraClient
    from unlatch_jira.api.comments import Comment
    from unlatch_jira.api.models import Issue


def send(
    client: JiraClient, issue: Issue, edit: Edit, done: Progress, *, moved: bool
) -> tuple[Issue, Edit]:
    """Send an edit; returns the issue afterwards, and the edit that Jira accepted.

    Args:
        done: receives the completed parts, and those missing on all screens.
        moved: whether a transition was taken, so that the issue must be read again.

    Raises:
        UnknownOutcome: Jira accepted it, but the issue could not be read afterwards.
    """
    if not edit and not moved:
        return issue, edit
    sent, shown = _put(client, issue, edit, done)
    after = shown or issue
    if shown is None and (sent or moved):
        after = read_back(client, issue.key, *(["comment"] if sent.comment else []))
    done.item = after.item
    if edit.comment is not None:
        _see_comment(client, edit, sent, after, done)
    return after, sent


def read_back(client: JiraClient, key: str, *fields: str) -> Issue:
    """The issue after a write.

    Raises:
        UnknownOutcome: it cannot be read.
    """
    try:
        return client.issue(key, *fields)
    except TrackerError as failure:
        raise _unknown(failure) from failure


def clear_resolution(client: JiraClient, issue: Issue, done: Progress) -> Issue:
    """Clear the resolution of an open issue, if its edit screen has the field."""
    try:
        shown = client.edit(issue, Edit(fields={"resolution": None}))
    except (Rejected, Forbidden):
        return issue  # it stays, and the outcome reports it
    after = shown or read_back(client, issue.key)
    done.item = after.item
    return after


def _put(client: JiraClient, issue: Issue, edit: Edit, done: Progress) -> tuple[Edit, Issue | None]:
    """Send an edit; returns the edit that Jira accepted, and the issue if the answer shows it."""
    if not edit:
        return edit, None
    try:
        return edit, client.edit(issue, edit)
    except FieldsNotOnScreen as refusal:
        # Jira applied nothing; send the fields on its screens again.
        smaller = edit.without(refusal.fields)
        if smaller == edit:
            raise
        _note_missing(edit, smaller, done, refusal)
    return smaller, client.edit(issue, smaller) if smaller else None


def _note_missing(edit: Edit, smaller: Edit, done: Progress, refusal: FieldsNotOnScreen) -> None:
    refused = [*edit.add_labels, *edit.remove_labels]
    if refused and not (smaller.add_labels or smaller.remove_labels):
        done.refused += refused
        done.notes.append(f"labels not changed: {', '.join(refused)} ({refusal.reason})")
    if unset := [name for name in edit.fields if name not in smaller.fields]:
        done.notes.append(f"not set: {', '.join(unset)} ({refusal.reason})")


def _see_comment(client: JiraClient, edit: Edit, sent: Edit, after: Issue, done: Progress) -> None:
    """Check for the comment, and post it if the edit dropped it.

    Some servers silently drop the comment of an edit. Only Cloud documents it, so on Data Center it
    is searched for.
    """
    shown = after.answer.fields.comment
    is_taken = sent.comment is not None and shown is None and client.is_cloud
    found = None if sent.comment is None or is_taken else _find(client, edit, after)
    if found is None and not is_taken:
        found = _post(client, after.key, edit)
    done.commented, done.comment = True, found.id if found else None


def _find(client: JiraClient, edit: Edit, after: Issue) -> Comment | None:
    shown = after.answer.fields.comment
    # All comments are listed before it counts as missing: an issue may show only some.
    return _marked(shown.comments if shown else (), edit) or _marked(_all(client, after.key), edit)


def _post(client: JiraClient, key: str, edit: Edit) -> Comment:
    posted = client.comment(key, edit.comment)
    if edit.op not in posted.ops:
        raise UnknownOutcome(
            "unknown-outcome",
            "Jira's answer to a new comment lacks its text",
            hint="`unlatch sync` looks for the comment before it posts it again",
        )
    return posted


def _marked(comments: Iterable[Comment], edit: Edit) -> Comment | None:
    for one in comments:
        if edit.op in one.ops:
            return one
    return None


def _all(client: JiraClient, key: str) -> tuple[Comment, ...]:
    try:
        return tuple(client.comments(key))
    except TrackerError as failure:
        raise _unknown(failure) from failure


def _unknown(failure: TrackerError) -> UnknownOutcome:
    return UnknownOutcome(
        "unknown-outcome",
        f"Jira accepted the write, but the issue could not be read: {failure.message}",
        where=failure.where,
        hint="`unlatch sync` reads the issue before it writes again",
        status=failure.status,
    )
