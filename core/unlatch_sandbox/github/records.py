from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class RepositoryRecord:
    """`push`, `issues_write` and `issues_read` are the token's permissions."""

    id: int
    full_name: str
    created_at: str
    archived: bool = False
    has_issues: bool = True
    push: bool = True
    issues_write: bool = True
    issues_read: bool = True
    private: bool = False

    @property
    def owner(self) -> str:
        return self.full_name.split("/")[0]

    @property
    def name(self) -> str:
        return self.full_name.split("/")[1]


@dataclass(slots=True)
class LabelRecord:
    id: int
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass(slots=True)
class MilestoneRecord:
    id: int
    repository: str
    number: int
    title: str
    created_at: str
    state: str = "open"


@dataclass(slots=True)
class IssueRecord:
    """`projects` has the issue's status in each of its projects."""

    id: int
    repository: str
    number: int
    title: str
    user: str
    created_at: str
    updated_at: str
    body: str | None = None
    state: str = "open"
    state_reason: str | None = None
    labels: list[str] = field(default_factory=list)
    assignees: list[str] = field(default_factory=list)
    locked: bool = False
    closed_at: str | None = None
    closed_by: str | None = None
    reopened_by: str | None = None
    pull_request: bool = False
    merged_at: str | None = None
    branch_deleted: bool = False
    deleted: bool = False
    comments: int = 0
    milestone: int | None = None
    type: str | None = None
    projects: dict[str, str] = field(default_factory=dict)
    # Closes and reopens: id, "closed" or "reopened", who, when, and the reason of a close.
    moves: list[list[Any]] = field(default_factory=list)
    # What closed it, by the ids of the closes: the number of a pull request, or None for a commit,
    # and commits, the merging one first.
    closers: dict[str, tuple[int | None, list[dict[str, str]]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MadeCommit:
    """A commit of git: its id, and the email address and time of its author."""

    id: str
    author: str = "gil@example.com"
    authored: str = "2026-09-01T10:00:00Z"


@dataclass(slots=True)
class CommentRecord:
    id: int
    repository: str
    number: int
    body: str
    user: str
    created_at: str
    updated_at: str
    # Whether it is on the code of a pull request.
    review: bool = False
    # Who reacted, and how.
    reactions: list[list[str]] = field(default_factory=list)


@dataclass(slots=True)
class MoveRecord:
    """The new place of a repository or an issue."""

    to: str


@dataclass(frozen=True, slots=True)
class Person:
    """An account's role in all repositories; not stored, as `users` is not."""

    role: str = "write"
    association: str = "MEMBER"
