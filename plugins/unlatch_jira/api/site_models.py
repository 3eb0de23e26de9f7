"""Jira's answers about a site, a project or a person, as models."""

from __future__ import annotations

import re
from typing import Any

from unlatch.patterns import pattern
from unlatch.spi import Category
from unlatch.transport.answer import each, flag, optional, required, table
from unlatch_jira.api.json_model import text
from unlatch_jira.api.workflow_models import Status

_SERVER_SPRINT = pattern(r"[^\[]*+\[(?P<pairs>.*)\]\s*+\Z", re.DOTALL)


class Permissions:
    """The credential's permissions in a project."""

    def __init__(self, raw: Any) -> None:
        self._held = optional(table(raw), "permissions", _held) or {}

    def has(self, name: str) -> bool | None:
        """Whether it has a permission; None if unknown."""
        return self._held.get(name)


def _held(raw: Any) -> dict[str, bool]:
    return {name: required(raw, name, _is_held) for name in table(raw)}


def _is_held(raw: Any) -> bool:
    return optional(table(raw), "havePermission", flag) or False


class Project:
    """A project, with its present key."""

    def __init__(self, raw: Any) -> None:
        self.key = required(table(raw), "key", text)


class Member:
    """An account with its groups."""

    def __init__(self, raw: Any) -> None:
        self.groups = optional(table(raw), "groups", _groups) or frozenset()


def _groups(raw: Any) -> frozenset[str]:
    return frozenset(optional(table(raw), "items", each(_name)) or ())


def _name(raw: Any) -> str:
    return required(table(raw), "name", text)


class Roles:
    """The numbers of the roles of a project, by their names."""

    def __init__(self, raw: Any) -> None:
        addresses = {name: required(raw, name, text) for name in table(raw)}
        self.numbers = {name: address.rpartition("/")[2] for name, address in addresses.items()}


class Role:
    """The accounts and the groups in a role."""

    def __init__(self, raw: Any) -> None:
        actors = optional(table(raw), "actors", each(table)) or ()
        groups = [actor for actor in actors if actor.get("type") == "atlassian-group-role-actor"]
        people = [actor for actor in actors if actor not in groups]
        self.groups = frozenset(filter(None, map(_group_of, groups)))
        self.accounts = frozenset(filter(None, map(_account_of, people)))


def _group_of(actor: dict[str, Any]) -> str | None:
    # Data Center names a group as it does people.
    return optional(actor, "actorGroup", _name) or optional(actor, "name", text)


def _account_of(actor: dict[str, Any]) -> str | None:
    of_cloud = optional(actor, "actorUser", table) or {}
    return optional(of_cloud, "accountId", text) or optional(actor, "name", text)


class TypeStatuses:
    """An issue type of a project, with its statuses."""

    def __init__(self, raw: Any) -> None:
        self.name = required(table(raw), "name", text)
        self.id = optional(raw, "id", text)
        self.statuses = optional(raw, "statuses", each(Status)) or ()


class FieldInfo:
    """A field of the site."""

    def __init__(self, raw: Any) -> None:
        self.id = required(table(raw), "id", text)
        self.name = optional(raw, "name", text) or ""
        self.custom = optional(raw, "schema", _custom) or ""


def _custom(raw: Any) -> str:
    return optional(table(raw), "custom", text) or ""


class Sprint:
    """A sprint, from a field of an issue or from a board."""

    def __init__(self, raw: Any) -> None:
        self.id = required(table(raw), "id", text)
        self.name = optional(raw, "name", text) or ""
        self.state = optional(raw, "state", text) or ""
        self._board = optional(raw, "boardId", text)
        self._origin = optional(raw, "originBoardId", text)

    @property
    def is_closed(self) -> bool:
        return self.state.casefold() == "closed"

    @property
    def board_id(self) -> str | None:
        return self._board or self._origin


class Sprints:
    """Sprints of a board."""

    def __init__(self, raw: Any) -> None:
        self.values = optional(table(raw), "values", each(Sprint)) or ()


def read_sprints(value: Any) -> tuple[Sprint, ...]:
    """The sprints in a field's value: objects on Cloud, texts on Data Center."""
    sprints = [_sprint(entry) for entry in value] if isinstance(value, list) else []
    return tuple(Sprint(fields) for fields in sprints if fields.get("id") is not None)


def _sprint(entry: Any) -> dict[str, Any]:
    if isinstance(entry, dict):
        keys = ("id", "name", "state", "boardId", "originBoardId")
        return {key: entry[key] for key in keys if isinstance(entry.get(key), str | int)}
    match = _SERVER_SPRINT.match(entry) if isinstance(entry, str) else None
    if match is None:
        return {}
    pairs = dict(part.partition("=")[::2] for part in re.split(r",(?=\w+=)", match["pairs"]))
    names = {"id": "id", "name": "name", "state": "state", "rapidViewId": "boardId"}
    return {ours: pairs[theirs] for theirs, ours in names.items() if theirs in pairs}


class _PreviewStatus:
    def __init__(self, raw: Any) -> None:
        self.reference = required(table(raw), "statusReference", text)
        self.name = optional(raw, "name", text) or ""
        self.id = optional(raw, "id", text)
        self._category = optional(raw, "statusCategory", text)

    @property
    def means(self) -> Category:
        categories = {"IN_PROGRESS": Category.DOING, "DONE": Category.DONE}
        return categories.get(self._category or "", Category.TODO)


class _PreviewMove:
    def __init__(self, raw: Any) -> None:
        self.id = required(table(raw), "id", text)
        self.name = optional(raw, "name", text) or ""
        self.to = optional(raw, "toStatusReference", text)
        # The statuses where it starts.
        self.starts = optional(raw, "links", each(_start)) or ()
        self.type = optional(raw, "type", text) or "DIRECTED"


def _start(raw: Any) -> str | None:
    return optional(table(raw), "fromStatusReference", text)


class _PreviewWorkflow:
    def __init__(self, raw: Any) -> None:
        self.transitions = optional(table(raw), "transitions", each(_PreviewMove)) or ()


class Preview:
    """A workflow as Cloud shows it to accounts with permission."""

    def __init__(self, raw: Any) -> None:
        self.statuses = optional(table(raw), "statuses", each(_PreviewStatus)) or ()
        self.workflows = optional(raw, "workflows", each(_PreviewWorkflow)) or ()
