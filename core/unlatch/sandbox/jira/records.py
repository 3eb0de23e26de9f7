from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class SiteRecord:
    deployment: str = "Cloud"


@dataclass(slots=True)
class ProjectRecord:
    """`can_transition` is whether the token has the Transition permission here."""

    id: str
    key: str
    workflow: str
    can_transition: bool = True


@dataclass(slots=True)
class IssueRecord:
    """`description` is kept as it was written: text, or a document of API version 3."""

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


@dataclass(slots=True)
class CommentRecord:
    id: str
    issue: str
    author: str
    body: Any
    created: str
    properties: dict[str, Any] = field(default_factory=dict)
