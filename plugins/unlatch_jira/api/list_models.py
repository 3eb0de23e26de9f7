"""Jira's answers about many issues, and about the changes of one, as models."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from unlatch.spi import read_stamp
from unlatch.transport.answer import each, optional, table, whole
from unlatch.values import dataclass
from unlatch_jira.api.comments import Person
from unlatch_jira.api.json_model import text
from unlatch_jira.api.workflow_models import ScreenField

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class IssueList:
    """Many issues at once, or a page of search results."""

    def __init__(self, raw: Any) -> None:
        self.issues = optional(table(raw), "issues", each(table)) or ()
        # Of a search: Data Center sends a count, Cloud a token for the next page.
        self.total = optional(raw, "total", whole) or 0
        self.next = optional(raw, "nextPageToken", text)


class _FieldChange:
    def __init__(self, raw: Any) -> None:
        self.field = optional(table(raw), "field", text)
        self.value = optional(raw, "toString", text)


class _History:
    def __init__(self, raw: Any) -> None:
        self.author = optional(table(raw), "author", Person) or Person({})
        self.created = optional(raw, "created", text)
        self.items = optional(raw, "items", each(_FieldChange)) or ()

    @property
    def is_move(self) -> bool:
        return any(one.field == "status" for one in self.items)


class _Changelog:
    def __init__(self, raw: Any) -> None:
        self.histories = optional(table(raw), "histories", each(_History)) or ()
        self.total = optional(raw, "total", whole) or 0


@dataclass(frozen=True, slots=True)
class Move:
    """A change of an issue's status, by the name of the new one."""

    at: datetime
    status: str
    author: Person


class ChangelogAnswer:
    """An issue with its latest changes: newest first on Cloud, oldest first on Data Center."""

    def __init__(self, raw: Any) -> None:
        self.changelog = optional(table(raw), "changelog", _Changelog) or _Changelog({})

    @property
    def mover(self) -> str | None:
        """The person who last changed the status, if the changelog shows it."""
        moves = [one for one in self.changelog.histories if one.is_move]
        latest = max(moves, key=lambda one: read_stamp(one.created) or _LONG_AGO, default=None)
        return latest.author.shown if latest else None

    @property
    def moves(self) -> tuple[Move, ...]:
        """The changes of the status, oldest first."""
        found = (
            Move(at, change.value, one.author)
            for one in self.changelog.histories
            if (at := read_stamp(one.created))
            for change in one.items
            if change.field == "status" and change.value is not None
        )
        return tuple(sorted(found, key=lambda one: one.at))

    @property
    def is_whole(self) -> bool:
        """Whether it has all changes: Cloud shows only the latest with an issue."""
        return self.changelog.total <= len(self.changelog.histories)


class CreateTypes:
    """A page of the types of new issues in a project: their ids by their names."""

    def __init__(self, raw: Any) -> None:
        found = optional(table(raw), "issueTypes", each(table)) or _values(raw)
        named = [(optional(it, "name", text), optional(it, "id", text)) for it in found]
        self.values = {name.casefold(): key for name, key in named if name and key}
        self.size = len(found)
        self.total = optional(raw, "total", whole) or 0


class CreateFields:
    """A page of the fields of new issues of a type: by their ids."""

    def __init__(self, raw: Any) -> None:
        found = optional(table(raw), "fields", each(table)) or _values(raw)
        named = [(optional(it, "fieldId", text) or optional(it, "key", text), it) for it in found]
        self.values = {key: ScreenField(it) for key, it in named if key}
        self.size = len(found)
        self.total = optional(raw, "total", whole) or 0


def _values(raw: Any) -> tuple[dict[str, Any], ...]:
    """The entries of a page of Data Center."""
    return optional(raw, "values", each(table)) or ()
