from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class SiteRecord:
    """`departed` are the people with deactivated accounts; `groups` have their members."""

    deployment: str = "Cloud"
    departed: list[str] = field(default_factory=list)
    groups: dict[str, list[str]] = field(default_factory=dict)


@dataclass(slots=True)
class ProjectRecord:
    """`can_transition`, `can_view_workflow`, `can_administer` are permissions of the token.

    `roles` have their members, a group as "group:NAME"; `movers` are the other people who may
    transition issues.
    """

    id: str
    key: str
    workflow: str
    can_transition: bool = True
    can_view_workflow: bool = True
    can_administer: bool = True
    former_keys: list[str] = field(default_factory=list)
    roles: dict[str, list[str]] = field(default_factory=dict)
    movers: list[str] = field(default_factory=list)


@dataclass(slots=True)
class IssueRecord:
    """`description` is stored as written: text, or a document of API version 3."""

    id: str
    key: str
    project: str
    type: str
    summary: str
    status: str
    created: str
    updated: str
    resolution: str | None = None
    resolved: str | None = None
    labels: list[str] = field(default_factory=list)
    assignee: str | None = None
    reporter: str = ""
    description: Any = None
    properties: dict[str, Any] = field(default_factory=dict)
    # The key of the epic or of the issue that it is a subtask of.
    parent: str | None = None
    sprints: list[int] = field(default_factory=list)
    cause: str | None = None
    former_keys: list[str] = field(default_factory=list)
    # Changes of the status: who, when, from, to.
    moves: list[list[str]] = field(default_factory=list)
    # Those of the resolution, with None for no resolution.
    verdicts: list[list[str | None]] = field(default_factory=list)
    # The changes of which people got mail.
    mails: int = 0


@dataclass(slots=True)
class SprintRecord:
    """`state` is future, active or closed."""

    id: int
    name: str
    state: str
    board: int = 1


@dataclass(slots=True)
class CommentRecord:
    """Only a `role` or a `group` sees it, if there is one; if `internal`, no customer does."""

    id: str
    issue: str
    author: str
    body: Any
    created: str
    properties: dict[str, Any] = field(default_factory=dict)
    updated: str | None = None
    role: str | None = None
    group: str | None = None
    internal: bool = False
