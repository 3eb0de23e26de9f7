"""Jira's answers about a site, a project or a person, as models."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field

from unlatch.patterns import pattern
from unlatch.spi import Category
from unlatch_jira.api.json_model import Model
from unlatch_jira.api.workflow_models import Status  # noqa: TC001  (pydantic reads it)

_SERVER_SPRINT = pattern(r"\[(?P<pairs>.*)\]\s*$", re.DOTALL)


class _Permission(Model):
    have: bool = Field(default=False, alias="havePermission")


class Permissions(Model):
    """The credential's permissions in a project."""

    permissions: dict[str, _Permission] = Field(default_factory=dict)

    def has(self, name: str) -> bool | None:
        """Whether it has a permission; None if unknown."""
        found = self.permissions.get(name)
        return None if found is None else found.have


class TypeStatuses(Model):
    """An issue type of a project, with its statuses."""

    name: str
    id: str | None = None
    statuses: tuple[Status, ...] = ()


class _Schema(Model):
    custom: str = ""


class FieldInfo(Model):
    """A field of the site."""

    id: str
    name: str = ""
    kind: _Schema = Field(default=_Schema(), alias="schema")


class Sprint(Model):
    """A sprint, from a field of an issue or from a board."""

    id: str
    name: str = ""
    state: str = ""
    board: str | None = Field(default=None, alias="boardId")
    origin: str | None = Field(default=None, alias="originBoardId")

    @property
    def is_closed(self) -> bool:
        return self.state.casefold() == "closed"

    @property
    def board_id(self) -> str | None:
        return self.board or self.origin


class Sprints(Model):
    """Sprints of a board."""

    values: tuple[Sprint, ...] = ()


def read_sprints(value: Any) -> tuple[Sprint, ...]:
    """The sprints in a field's value: objects on Cloud, texts on Data Center."""
    found = [_sprint(one) for one in value] if isinstance(value, list) else []
    return tuple(Sprint.model_validate(one) for one in found if one.get("id") is not None)


def _sprint(one: Any) -> dict[str, Any]:
    if isinstance(one, dict):
        known = ("id", "name", "state", "boardId", "originBoardId")
        return {key: one[key] for key in known if isinstance(one.get(key), str | int)}
    match = _SERVER_SPRINT.search(one) if isinstance(one, str) else None
    if match is None:
        return {}
    pairs = dict(part.partition("=")[::2] for part in re.split(r",(?=\w+=)", match["pairs"]))
    shown = {"id": "id", "name": "name", "state": "state", "rapidViewId": "boardId"}
    return {ours: pairs[theirs] for theirs, ours in shown.items() if theirs in pairs}


class _PreviewStatus(Model):
    reference: str = Field(alias="statusReference")
    name: str = ""
    id: str | None = None
    category: str = Field(default="TODO", alias="statusCategory")

    @property
    def means(self) -> Category:
        known = {"IN_PROGRESS": Category.DOING, "DONE": Category.DONE}
        return known.get(self.category, Category.TODO)


class _Link(Model):
    start: str | None = Field(default=None, alias="fromStatusReference")


class _PreviewMove(Model):
    id: str
    name: str = ""
    to: str | None = Field(default=None, alias="toStatusReference")
    links: tuple[_Link, ...] = ()
    type: str = "DIRECTED"


class _PreviewWorkflow(Model):
    transitions: tuple[_PreviewMove, ...] = ()


class Preview(Model):
    """A workflow as Cloud shows it to accounts with permission."""

    statuses: tuple[_PreviewStatus, ...] = ()
    workflows: tuple[_PreviewWorkflow, ...] = ()
