from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class ProjectRecord:
    """What is set up for a project.

    `create_tags` is whether the token may bring a new tag into it; `areas` says of each area path
    below the project what the token may do there ("edit", "read" or "nothing"); `iterations` has
    start and finish by path; `inactive` names people who have left.
    """

    id: str
    name: str
    process: str
    create_tags: bool = True
    tags: list[str] = field(default_factory=list)
    areas: dict[str, str] = field(default_factory=dict)
    iterations: dict[str, list[str]] = field(default_factory=dict)
    inactive: list[str] = field(default_factory=list)


@dataclass(slots=True)
class WorkItemRecord:
    """`fields` as the API names them; people are kept by name and shown as identities."""

    id: int
    project: str
    type: str
    rev: int = 0
    fields: dict[str, Any] = field(default_factory=dict)
    deleted: bool = False
    relations: list[dict[str, Any]] = field(default_factory=list)


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
