"""Editing an issue, and reading back what became of the edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unlatch.spi import ops_in
from unlatch_jira.bodies import plain
from unlatch_jira.edit import property_of
from unlatch_jira.errors import FieldsNotOnScreen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from unlatch_jira.answers import Comment, Issue
    from unlatch_jira.client import JiraClient
    from unlatch_jira.edit import Edit


@dataclass(frozen=True, slots=True)
class Written:
    """An issue after an edit, as Jira showed it.

    Args:
        commented: whether our comment is on it now.
        notes: what was asked for and did not happen.
    """

    after: Issue
    commented: bool = False
    notes: tuple[str, ...] = ()


def write(client: JiraClient, issue: Issue, edit: Edit, *, moved: bool) -> Written:
    """Send what `edit` asks for, then read the issue.

    Args:
        moved: whether a transition was taken, so that there is something to read back anyway.
    """
    if not edit and not moved:
        return Written(issue)
    sent, shown = _put(client, issue, edit)
    after = shown or client.issue(issue.key, *(("comment",) if sent.comment is not None else ()))
    if edit.comment is not None and not _is_there(client, sent, after):
        client.comment(issue.key, edit.comment)
    return Written(after, edit.comment is not None, _notes(edit, after))


def create(
    client: JiraClient, fields: Mapping[str, Any], labels: tuple[str, ...], op: str
) -> tuple[Issue, tuple[str, ...]]:
    """Create an issue, and read it; with what there is to be told of it."""
    plain_fields, properties = dict(fields), [property_of(op)]
    labelled = {**plain_fields, "labels": list(labels)} if labels else plain_fields
    try:
        return client.issue(client.create(labelled, properties)), ()
    except FieldsNotOnScreen as refusal:
        if refusal.fields != {"labels"}:
            raise
    note = f"made without the labels {' '.join(labels)}: the project's create screen lacks them"
    return client.issue(client.create(plain_fields, properties)), (note,)


def _put(client: JiraClient, issue: Issue, edit: Edit) -> tuple[Edit, Issue | None]:
    """What was sent in the end, and the issue where the answer shows it."""
    if not edit:
        return edit, None
    try:
        return edit, client.edit(issue.key, edit.body())
    except FieldsNotOnScreen as refusal:
        # Jira took nothing of it, and what the screens do show is still wanted.
        smaller = edit.without(refusal.fields)
        if smaller == edit:
            raise
        return smaller, client.edit(issue.key, smaller.body()) if smaller else None


def _is_there(client: JiraClient, sent: Edit, after: Issue) -> bool:
    """Whether the edit posted its comment.

    Servers that take an edit and drop the comment in it without a word have been met. Cloud
    documents the comment in an edit and Data Center does not, so there it is looked for; and before
    a comment is missed for good, all of them are listed, as an issue may show some or older ones.
    """
    if sent.comment is None:
        return False
    shown = after.answer.fields.comment
    if shown is None and client.is_cloud:
        return True
    if shown is not None and _carries(shown.comments, sent.op):
        return True
    return _carries(client.comments(after.key), sent.op)


def _carries(comments: Iterable[Comment], op: str) -> bool:
    return any(op in ops_in(plain(comment.body)) for comment in comments)


def _notes(edit: Edit, after: Issue) -> tuple[str, ...]:
    labels = after.item.labels
    refused = [
        *(f"+{name}" for name in edit.add_labels if name not in labels),
        *(f"-{name}" for name in edit.remove_labels if name in labels),
    ]
    if not refused:
        return ()
    return (f"Jira did not change the labels {' '.join(refused)}: its edit screen may lack them",)
