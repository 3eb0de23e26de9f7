"""Send an edit of an issue, and find its completed parts in the answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import Forbidden, Rejected, TrackerError, UnknownOutcome
from unlatch.spi import must_move
from unlatch.values import dataclass
from unlatch_jira.api.edit import Edit
from unlatch_jira.api.errors import FieldsNotOnScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from unlatch.spi import Goal, Progress
    from unlatch_jira.api.client import JiraClient
    from unlatch_jira.api.comments import Comment
    from unlatch_jira.api.models import Issue

NOT_SILENT = "mail was sent: only an administrator of Jira or of the project may suppress it"


def send(
    client: JiraClient, issue: Issue, edit: Edit, done: Progress, *, goal: Goal | None
) -> tuple[Issue, Edit]:
    """Send an edit; returns the issue afterwards, and the edit that Jira accepted.

    Args:
        done: receives the completed parts, and those missing on all screens.
        goal: that of the transition that was taken; None if none was.

    Raises:
        UnknownOutcome: Jira accepted it, but the issue could not be read afterwards.
    """
    rest = edit
    if edit.comment is not None and _is_posted_alone(client, edit, goal):
        _post(client, issue, edit, done)
        rest = replace(edit, comment=None)
    if not rest and goal is None:
        return issue, edit
    sent, answer = _put(client, issue, rest, done)
    after, look = answer or issue, _Look(client, sent, goal)
    if (sent or goal) and (answer is None or not look.is_shown(answer)):
        fields = [] if sent.comment is None else ["comment"]
        after = read_back(client, issue.key, *fields, is_shown=look.is_shown)
        look.is_shown(after)
    done.item = after.item
    if rest.comment is not None and sent.comment is None:
        _post(client, after, rest, done)  # no screen for edits has one
    elif sent.comment is not None:
        # One that is not shown is left to a later look: it may come, or the server dropped it.
        done.commented = look.is_commented
        _keep_comment(look.comment, done)
    return after, sent


def _is_posted_alone(client: JiraClient, edit: Edit, goal: Goal | None) -> bool:
    # Data Center answers an edit without the comment, and this with it. Who may see it is only
    # documented for a comment by itself.
    return bool(edit.restriction) or (goal is None and not client.is_cloud)


def find_said(client: JiraClient, issue: Issue, edit: Edit, done: Progress) -> Edit:
    """Look for the comment that a transition had; returns the edit that is left.

    A transition whose screen has no comment drops it with no error (ankitpokhrel/jira-cli#1024,
    sooperset/mcp-atlassian#1623). One that is not shown is left to a later look, as in `send`.
    """
    look = _Look(client, edit, None)
    look.finds_comment(read_back(client, issue.key, "comment", is_shown=look.finds_comment))
    done.commented = look.comment is not None
    _keep_comment(look.comment, done)
    return replace(edit, comment=None)


def comment_not_shown() -> UnknownOutcome:
    """The error for a comment that Jira accepted with another change and does not show."""
    message = "Jira accepted the change, but does not show its comment"
    hint = "`unlatch sync` looks for the comment before it posts it again"
    return UnknownOutcome("unknown-outcome", message, hint=hint)


def read_back(
    client: JiraClient, key: str, *fields: str, is_shown: Callable[[Issue], bool] = lambda _: True
) -> Issue:
    """The issue after a write, which it may show a little later than Jira accepted it.

    Raises:
        UnknownOutcome: it cannot be read.
    """
    try:
        return client.issue_after(key, *fields, is_shown=is_shown)
    except TrackerError as failure:
        raise _unknown(failure) from failure


@dataclass
class _Look:
    """Looks in an issue for a transition towards a goal, and for an edit.

    Args:
        is_commented: whether the last issue shows the comment, or need not.
        comment: as it was found.
    """

    client: JiraClient
    sent: Edit
    goal: Goal | None
    is_commented: bool = False
    comment: Comment | None = None

    def is_shown(self, after: Issue) -> bool:
        labels, sent = set(after.item.labels), self.sent
        is_relabelled = labels.issuperset(sent.add_labels) and labels.isdisjoint(sent.remove_labels)
        is_there = self.goal is None or not must_move(after.item, self.goal)
        return (sent.comment is None or self.finds_comment(after)) and is_there and is_relabelled

    def finds_comment(self, after: Issue) -> bool:
        """Look for the comment; only Cloud documents that of an edit, and need not show it."""
        page = after.answer.fields.comment
        is_documented = self.client.is_cloud and page is None
        if self.comment is None and not is_documented:
            self.comment = _marked(page.comments if page else (), self.sent)
            # An issue may show only some, and its answer may be older than the list.
            self.comment = self.comment or _marked(_all(self.client, after.key), self.sent)
        self.is_commented = is_documented or self.comment is not None
        return self.is_commented


def clear_resolution(client: JiraClient, issue: Issue, done: Progress) -> Issue:
    """Clear the resolution of an open issue, if its edit screen has the field."""
    try:
        answer = client.edit(issue, Edit(fields={"resolution": None}))
    except (Rejected, Forbidden):
        return issue  # it stays, and the outcome reports it
    after = answer or read_back(client, issue.key, is_shown=lambda seen: seen.resolution is None)
    done.item = after.item
    return after


def _put(client: JiraClient, issue: Issue, edit: Edit, done: Progress) -> tuple[Edit, Issue | None]:
    """Send an edit; returns the edit that Jira accepted, and the issue if the answer shows it."""
    if not edit:
        return edit, None
    try:
        return edit, _edit(client, issue, edit, done)
    except FieldsNotOnScreen as refusal:
        # Jira applied nothing; send the fields on its screens again.
        smaller = edit.without(refusal.fields)
        if smaller == edit:
            raise
        _note_missing(edit, smaller, done, refusal)
    return smaller, _edit(client, issue, smaller, done) if smaller else None


def _edit(client: JiraClient, issue: Issue, edit: Edit, done: Progress) -> Issue | None:
    """Send an edit; if the account may not suppress the mail, send it again with it.

    Data Center refuses it, Cloud ignores the wish: only administrators may.
    """
    try:
        return client.edit(issue, edit)
    except Forbidden:
        if not edit.is_silent:
            raise
    answer = client.edit(issue, replace(edit, is_silent=False))
    done.notes.append(NOT_SILENT)
    return answer


def _note_missing(edit: Edit, smaller: Edit, done: Progress, refusal: FieldsNotOnScreen) -> None:
    refused = [*edit.add_labels, *edit.remove_labels]
    if refused and not (smaller.add_labels or smaller.remove_labels):
        done.refused += refused
        done.notes.append(f"labels not changed: {', '.join(refused)} ({refusal.reason})")
    if unset := [name for name in edit.fields if name not in smaller.fields]:
        done.notes.append(f"not set: {', '.join(unset)} ({refusal.reason})")


def _post(client: JiraClient, issue: Issue, edit: Edit, done: Progress) -> None:
    posted = client.comment(issue.key, edit.comment, edit.restriction)
    if edit.op not in posted.ops:
        raise UnknownOutcome(
            "unknown-outcome",
            "Jira's answer to a new comment lacks its text",
            hint="`unlatch sync` looks for the comment before it posts it again",
        )
    done.commented = True
    _keep_comment(posted, done)


def _keep_comment(comment: Comment | None, done: Progress) -> None:
    done.comment = comment.id if comment else None
    done.account = comment.author.shown if comment else None


def _marked(comments: Iterable[Comment], edit: Edit) -> Comment | None:
    for comment in comments:
        if edit.op in comment.ops:
            return comment
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
