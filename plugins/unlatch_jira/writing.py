"""Editing an issue, and reading back what became of the edit."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from unlatch.errors import Rejected, TrackerError, UnknownOutcome
from unlatch.spi import ops_in
from unlatch_jira.bodies import plain
from unlatch_jira.edit import property_of
from unlatch_jira.errors import FieldsNotOnScreen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from unlatch_jira.answers import Comment, Issue
    from unlatch_jira.client import JiraClient
    from unlatch_jira.edit import Edit

# An issue without one of these is none.
_NEEDED = {"project", "issuetype", "summary", "description"}


@dataclass(frozen=True, slots=True)
class Written:
    """An issue after an edit, as Jira showed it.

    Args:
        commented: whether our comment is on it now.
        notes: what was asked for and did not happen.
        unset: fields that were left as they were.
    """

    after: Issue
    commented: bool = False
    notes: tuple[str, ...] = ()
    unset: tuple[str, ...] = ()


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
        post(client, issue.key, edit)
    unset = tuple(name for name in edit.fields if name not in sent.fields)
    return Written(after, edit.comment is not None, _notes(edit, after, unset), unset)


def post(client: JiraClient, key: str, edit: Edit) -> None:
    """Post an edit's comment by itself, and see in the answer that it is there.

    Raises:
        UnknownOutcome: the answer shows another text than the one that was sent.
    """
    posted = client.comment(key, edit.comment)
    if edit.op not in ops_in(plain(posted.body)):
        raise UnknownOutcome(
            "unknown-outcome",
            "Jira answered a new comment without the words that were sent",
            hint="`unlatch sync` looks for the comment before it posts it again",
        )


def take_back(client: JiraClient, before: Issue, edit: Edit) -> None:
    """Undo an edit whose transition turned out not to have been made.

    Its comment carries the marker, and would pass for a reopen that was delivered. Whatever
    refuses stays; the error that follows is the one to tell.
    """
    with suppress(TrackerError):
        for comment in tuple(client.comments(before.key)):
            if edit.op in ops_in(plain(comment.body)):
                client.delete_comment(before.key, comment.id)
    labels = replace(edit, comment=None, fields={})
    labels = replace(labels, add_labels=edit.remove_labels, remove_labels=edit.add_labels)
    if labels:
        with suppress(TrackerError):
            client.edit(before.key, labels.body())


def clear_resolution(client: JiraClient, written: Written) -> Written:
    """Take the resolution from an issue that is open again, where its edit screen has it."""
    key = written.after.key
    try:
        shown = client.edit(key, {"fields": {"resolution": None}})
    except Rejected:
        return written  # it stays, and that is told
    return replace(written, after=shown or client.issue(key))


def create(
    client: JiraClient, fields: Mapping[str, Any], labels: tuple[str, ...], op: str
) -> tuple[Issue, tuple[str, ...]]:
    """Create an issue, and read it; with what there is to be told of it."""
    whole, properties = dict(fields), [property_of(op)]
    if labels:
        whole["labels"] = list(labels)
    try:
        return client.issue(client.create(whole, properties)), ()
    except FieldsNotOnScreen as refusal:
        lacking = [name for name in whole if name in refusal.fields]
        if not lacking or set(lacking) & _NEEDED:
            raise
    smaller = {name: value for name, value in whole.items() if name not in lacking}
    note = f"made without {', '.join(lacking)}{_shown(lacking, labels)}: not on the create screen"
    return client.issue(client.create(smaller, properties)), (note,)


def _shown(lacking: Iterable[str], labels: tuple[str, ...]) -> str:
    return f" ({' '.join(labels)})" if "labels" in lacking else ""


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


def _notes(edit: Edit, after: Issue, unset: tuple[str, ...]) -> tuple[str, ...]:
    notes = [f"not set, as no screen shows it: {', '.join(unset)}"] if unset else []
    labels = after.item.labels
    refused = [
        *(f"+{name}" for name in edit.add_labels if name not in labels),
        *(f"-{name}" for name in edit.remove_labels if name in labels),
    ]
    if refused:
        words = " ".join(refused)
        notes.append(f"Jira did not change the labels {words}: its edit screen may lack them")
    return tuple(notes)
