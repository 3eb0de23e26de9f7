from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class ProjectRecord:
    """The setup of a project.

    `create_tags`: whether the token may create tags; `areas`: the token's rights in each area path
    below the project ("edit", "read" or "nothing"); `iterations`: start and finish by path;
    `inactive`: the people who have left; `teams` have their members.
    """

    id: str
    name: str
    process: str
    create_tags: bool = True
    tags: list[str] = field(default_factory=list)
    areas: dict[str, str] = field(default_factory=dict)
    iterations: dict[str, list[str]] = field(default_factory=dict)
    inactive: list[str] = field(default_factory=list)
    teams: dict[str, list[str]] = field(default_factory=dict)


@dataclass(slots=True)
class WorkItemRecord:
    """`fields` by their API names; people are stored by name and shown as identities."""

    id: int
    project: str
    type: str
    rev: int = 0
    fields: dict[str, Any] = field(default_factory=dict)
    deleted: bool = False
    relations: list[dict[str, Any]] = field(default_factory=list)
    # The changes of which people got notifications.
    mails: int = 0


@dataclass(slots=True)
class UpdateRecord:
    rev: int
    work_item: int
    by: str
    at: str
    changes: dict[str, dict[str, Any]]


@dataclass(slots=True)
class CommentRecord:
    id: int
    work_item: int
    text: str
    by: str
    at: str
    rev: int
    deleted: bool = False
    version: int = 1
    edited: str | None = None
    # Who reacted with what.
    reactions: list[list[str]] = field(default_factory=list)
    format: str = "html"
