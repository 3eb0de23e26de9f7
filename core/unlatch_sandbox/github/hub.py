"""The data of GitHub and the rules of its changes, below the HTTP routes and the Python API."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from unlatch_sandbox.clock import Clock, stored
from unlatch_sandbox.github.records import (
    CommentRecord,
    IssueRecord,
    LabelRecord,
    MilestoneRecord,
    MoveRecord,
    RepositoryRecord,
)
from unlatch_sandbox.store import Store, Table

if TYPE_CHECKING:
    from collections.abc import Iterable


LIMIT = 5000


class Quota:
    """The primary limit: counted and shown, but enforced only by a fault."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._used = 0

    def spend(self, requests: int) -> int:
        """Count requests; returns the number used so far."""
        with self._lock:
            self._used = min(self._used + requests, LIMIT)
            return self._used


OPEN_REASON = "reopened"
CLOSE_REASONS = ("completed", "not_planned", "duplicate")


class Hub:
    def __init__(self, store: Store, clock: Clock) -> None:
        self.store = store
        self._clock = clock
        self.repositories = Table(store, "github.repository", RepositoryRecord)
        self.labels = Table(store, "github.label", LabelRecord)
        self.issues = Table(store, "github.issue", IssueRecord)
        self.comments = Table(store, "github.comment", CommentRecord)
        self.milestones = Table(store, "github.milestone", MilestoneRecord)
        self.renames = Table(store, "github.rename", MoveRecord)
        self.transfers = Table(store, "github.transfer", MoveRecord)

    def now(self) -> str:
        return stored(self._clock())

    def new_id(self) -> int:
        return self.store.next("github.id", first=1_000_001)

    # Names of repositories and labels are equal in any case.

    def repository(self, full_name: str) -> RepositoryRecord | None:
        return self.repositories.get(full_name.casefold())

    def keep_repository(self, repository: RepositoryRecord) -> None:
        self.repositories.put(repository.full_name.casefold(), repository)

    def issue(self, repository: str, number: int) -> IssueRecord | None:
        return self.issues.get(_issue_key(repository, number))

    def issues_of(self, repository: str) -> list[IssueRecord]:
        return [i for i in self.issues.under(f"{repository.casefold()}#") if not i.deleted]

    def keep_issue(self, issue: IssueRecord) -> None:
        self.issues.put(_issue_key(issue.repository, issue.number), issue)

    def touch(self, issue: IssueRecord) -> None:
        issue.updated_at = self.now()
        self.keep_issue(issue)

    def next_number(self, repository: str) -> int:
        home = f"{repository.casefold()}#"
        # A transferred issue keeps its number: the old address still leads to it.
        places = (*self.issues.keys(home), *self.transfers.keys(home))
        return max((int(place.removeprefix(home)) for place in places), default=0) + 1

    def set_state(self, issue: IssueRecord, state: str, reason: str | None, by: str) -> None:
        """Set the state; as documented, a reason without a change of state is ignored."""
        if state == issue.state:
            return
        issue.state = state
        if state == "open":
            issue.state_reason, issue.closed_at, issue.closed_by = OPEN_REASON, None, None
            issue.reopened_by = by
        else:
            issue.state_reason = reason if reason in CLOSE_REASONS else CLOSE_REASONS[0]
            issue.closed_at, issue.closed_by = self.now(), by
        if issue.pull_request:
            issue.state_reason = None
        word, why = ("reopened", None) if state == "open" else ("closed", issue.state_reason)
        number = self.store.next("github.event", first=2_000_001)
        issue.moves = [*issue.moves, [number, word, by, self.now(), why]]

    def label(self, repository: str, name: str) -> LabelRecord | None:
        return self.labels.get(_label_key(repository, name))

    def labels_of(self, repository: str) -> list[LabelRecord]:
        return self.labels.under(f"{repository.casefold()}:")

    def ensure_label(self, repository: str, name: str) -> LabelRecord:
        label = self.label(repository, name)
        if label is None:
            label = LabelRecord(self.new_id(), name)
            self.labels.put(_label_key(repository, name), label)
        return label

    def keep_label(self, repository: str, label: LabelRecord) -> None:
        self.labels.put(_label_key(repository, label.name), label)

    def set_labels(self, issue: IssueRecord, names: Iterable[str]) -> None:
        """Set labels; create missing ones, and keep the repository's spelling of others."""
        spelled = [self.ensure_label(issue.repository, name).name for name in names]
        issue.labels = list(dict.fromkeys(spelled))

    def milestone(self, repository: str, number: int) -> MilestoneRecord | None:
        return self.milestones.get(_issue_key(repository, number))

    def milestones_of(self, repository: str) -> list[MilestoneRecord]:
        return self.milestones.under(f"{repository.casefold()}#")

    def keep_milestone(self, milestone: MilestoneRecord) -> None:
        self.milestones.put(_issue_key(milestone.repository, milestone.number), milestone)

    def comments_of(self, issue: IssueRecord) -> list[CommentRecord]:
        return self.comments.under(f"{_issue_key(issue.repository, issue.number)}/")

    def comment(self, repository: str, comment_id: int) -> CommentRecord | None:
        records = self.comments.under(f"{repository.casefold()}#")
        return next((c for c in records if c.id == comment_id), None)

    def add_comment(
        self, issue: IssueRecord, body: str, user: str, *, review: bool = False
    ) -> CommentRecord:
        now, place = self.now(), (issue.repository, issue.number)
        comment = CommentRecord(self.new_id(), *place, body, user, now, now, review)
        self.comments.put(_comment_key(comment), comment)
        issue.comments += 1
        self.touch(issue)
        return comment

    def edit_comment(self, comment: CommentRecord, body: str | None) -> None:
        if body is None:
            self.remove_comment(comment)
            return
        # Times are shown in seconds, and nobody edits a comment in the second of its post.
        earliest = datetime.fromisoformat(comment.created_at) + timedelta(seconds=1)
        comment.body, comment.updated_at = body, max(self.now(), stored(earliest))
        self.comments.put(_comment_key(comment), comment)

    def react(self, comment: CommentRecord, content: str, user: str) -> bool:
        """Add a reaction, unless it is there; whether it is new."""
        if [user, content] in comment.reactions:
            return False
        comment.reactions.append([user, content])
        self.comments.put(_comment_key(comment), comment)
        return True

    def remove_comment(self, comment: CommentRecord) -> None:
        self.comments.remove(_comment_key(comment))
        issue = self.issue(comment.repository, comment.number)
        if issue is not None:
            issue.comments -= 1
            self.touch(issue)


def _issue_key(repository: str, number: int) -> str:
    return f"{repository.casefold()}#{number}"


def _label_key(repository: str, name: str) -> str:
    return f"{repository.casefold()}:{name.casefold()}"


def _comment_key(comment: CommentRecord) -> str:
    return f"{_issue_key(comment.repository, comment.number)}/{comment.id}"
