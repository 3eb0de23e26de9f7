"""GitHub's issues by PyGithub: the calls that we make, their answers as models.

An issue is always asked for anew by its path: PyGithub's objects complete themselves by further
requests when a field is read that an answer lacked, and keep the raw data of before a change.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from github.GithubException import BadAttributeException
from github.IssueComment import IssueComment
from github.Repository import Repository

from unlatch.errors import NotFound, Rejected, TrackerError, UnknownOutcome
from unlatch.spi import Category, CommentRef, Goal, ItemRef, RemoteItem
from unlatch_github._requester import SessionRequester
from unlatch_github.errors import explain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from github.Issue import Issue

    from unlatch.transport import Transport
    from unlatch_github.settings import GithubSettings

T = TypeVar("T")

_DELIBERATE = frozenset({"not_planned", "duplicate"})
STATES = {
    Goal.OPEN: ("open", "reopened"),
    Goal.COMPLETED: ("closed", "completed"),
    Goal.NOT_PLANNED: ("closed", "not_planned"),
}


# What was written may have taken effect, whatever was answered.
_NOT_UNDERSTOOD: dict[bool, tuple[type[TrackerError], str]] = {
    True: (UnknownOutcome, "unknown-outcome"),
    False: (Rejected, "answer-not-understood"),
}


@dataclass(frozen=True, slots=True)
class Found:
    """An issue as GitHub described it, with its body."""

    item: RemoteItem
    body: str


class Client:
    """The requests to one GitHub; threads may share it."""

    def __init__(self, settings: GithubSettings, transport: Transport) -> None:
        self._settings = settings
        self._session = transport.session(explain)

    def read(self, ref: ItemRef) -> Found:
        """Read an issue.

        Raises:
            Rejected: `not-an-issue`, for the number of a pull request.
        """
        issue = self._issue(ref)
        issue.complete()
        if issue.pull_request is not None:
            raise Rejected(
                "not-an-issue",
                "the number belongs to a pull request",
                where=self._settings.name(ref),
                hint="link an issue instead",
            )
        with _understood(self._settings.name(ref), written=False):
            return self._found(issue, ref.target)

    def move(self, ref: ItemRef, goal: Goal) -> Found:
        """Set an issue's state."""
        state, reason = STATES[goal]
        issue = self._issue(ref)
        issue.edit(state=state, state_reason=reason)
        with _understood(self._settings.name(ref)):
            return self._found(issue, ref.target)

    def write(self, ref: ItemRef, *, title: str, body: str) -> Found:
        """Set an issue's title and body."""
        issue = self._issue(ref)
        issue.edit(title=title, body=body)
        with _understood(self._settings.name(ref)):
            return self._found(issue, ref.target)

    def create(self, target: str, *, title: str, body: str, labels: Sequence[str]) -> Found:
        """Make an issue."""
        issue = self._repository(target).create_issue(title, body, labels=list(labels))
        with _understood(target):
            return self._found(issue, target)

    def comment(self, ref: ItemRef, body: str) -> None:
        """Post a comment."""
        posted = self._issue(ref).create_comment(body)
        with _understood(self._settings.name(ref)):
            _present(posted.id)

    def add_labels(self, ref: ItemRef, names: Sequence[str]) -> tuple[str, ...]:
        """Add labels, at least one; GitHub's answer is all labels that the issue has then."""
        # PyGithub's own call drops the answer.
        body = {"labels": list(names)}
        return self._labels("POST", ref, labels_path(ref), body)

    def remove_label(self, ref: ItemRef, name: str) -> tuple[str, ...] | None:
        """Remove a label; None if the issue did not have it, else all that it has left."""
        # PyGithub's own call drops the answer, and takes a slash in a name for a path's.
        try:
            return self._labels("DELETE", ref, label_path(ref, name))
        except NotFound as error:
            if error.id != "item-not-found":
                raise
            return None

    def comments(self, ref: ItemRef, since: datetime) -> Iterator[tuple[CommentRef, str]]:
        """The comments changed since then and their texts, oldest first, page by page."""
        listed = self._issue(ref).get_comments(since.astimezone(UTC))
        with _understood(self._settings.name(ref), written=False):
            for comment in listed:
                found = CommentRef(str(_present(comment.id)), _present(comment.created_at))
                yield found, comment.body or ""

    def delete_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        """Delete a comment."""
        url = f"/repos/{ref.target}/issues/comments/{comment.id}"
        IssueComment(self._requester(), url=url).delete()

    def created(self, target: str, since: datetime) -> Iterator[tuple[ItemRef, str]]:
        """The issues created since then and their bodies, newest first, page by page."""
        newest = self._repository(target).get_issues(
            state="all", sort="created", direction="desc", since=since.astimezone(UTC)
        )
        with _understood(target, written=False):
            for issue in newest:
                if _present(issue.created_at) < since:
                    return
                # Nothing but what a listed issue always has is read here: PyGithub would send a
                # request for each issue that lacks a field.
                if not _is_pull_request(issue.html_url or ""):
                    yield self._settings.ref(target, _present(issue.number)), issue.body or ""

    def _labels(
        self, verb: str, ref: ItemRef, path: str, body: dict[str, Any] | None = None
    ) -> tuple[str, ...]:
        _, answer = self._requester().requestJsonAndCheck(verb, path, input=body)
        with _understood(self._settings.name(ref)):
            return tuple(str(label["name"]) for label in answer)

    def _found(self, issue: Issue, target: str) -> Found:
        ref = self._settings.ref(target, _present(issue.number))
        return Found(_item(issue, ref), issue.body or "")

    def _issue(self, ref: ItemRef) -> Issue:
        return self._repository(ref.target).get_issue(int(ref.id))

    def _repository(self, target: str) -> Repository:
        return Repository(self._requester(), url=f"/repos/{target}")

    def _requester(self) -> SessionRequester:
        # One for each call: PyGithub's notes on its last requests are not made for threads.
        return SessionRequester(self._session, self._settings.api_url)


def issue_path(ref: ItemRef) -> str:
    """Where an issue is, below `api_url`."""
    return f"/repos/{ref.target}/issues/{ref.id}"


def comments_path(ref: ItemRef) -> str:
    """Where its comments are."""
    return f"{issue_path(ref)}/comments"


def labels_path(ref: ItemRef) -> str:
    """Where its labels are."""
    return f"{issue_path(ref)}/labels"


def label_path(ref: ItemRef, name: str) -> str:
    """Where one of its labels is."""
    return f"{labels_path(ref)}/{quote(name, safe='')}"


def _is_pull_request(page: str) -> bool:
    return page.rsplit("/", 2)[-2:-1] == ["pull"]


def _item(issue: Issue, ref: ItemRef) -> RemoteItem:
    if issue.state not in ("open", "closed"):
        raise ValueError(f"unknown state {issue.state!r}")
    is_open = issue.state == "open"
    deliberate = not is_open and issue.state_reason in _DELIBERATE
    closed = Category.DROPPED if deliberate else Category.DONE
    return RemoteItem(
        ref=ref,
        title=_present(issue.title),
        state=issue.state,
        category=Category.TODO if is_open else closed,
        type=issue.type.name if issue.type else None,
        deliberate=deliberate,
        labels=tuple(label.name for label in issue.labels),
        assignee=", ".join(user.login for user in issue.assignees or ()) or None,
        updated=issue.updated_at,
    )


@contextmanager
def _understood(where: str, *, written: bool = True) -> Iterator[None]:
    """Turns an answer that lacks what GitHub's answers have into an error of ours.

    PyGithub checks the types of the fields that are there, when they are read.
    """
    try:
        yield
    except (BadAttributeException, KeyError, TypeError, ValueError) as error:
        kind, error_id = _NOT_UNDERSTOOD[written]
        raise kind(error_id, "GitHub's answer could not be understood", where=where) from error


def _present(value: T | None) -> T:
    if value is None:
        raise ValueError("a field is missing")
    return value
