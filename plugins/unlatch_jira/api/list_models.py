"""Jira's answers about many issues, and about the changes of one, as models."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from unlatch.spi import read_stamp
from unlatch.transport.answer import each, optional, table, whole
from unlatch.values import dataclass
from unlatch_jira.api.comments import Person
from unlatch_jira.api.json_model import text
from unlatch_jira.api.workflow_models import ScreenField

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        digits = optional(table(raw), "id", text) or ""
        self.id = int(digits) if digits.isdecimal() else 0
        self.author = optional(raw, "author", Person) or Person({})
        self.created = optional(raw, "created", text)
        self.items = optional(raw, "items", each(_FieldChange)) or ()

    @property
    def at(self) -> datetime | None:
        return read_stamp(self.created)

    @property
    def is_move(self) -> bool:
        return any(item.field == "status" for item in self.items)


class _Changelog:
    def __init__(self, raw: Any) -> None:
        histories = optional(table(raw), "histories", each(_History)) or ()
        # The oldest first: Cloud has them the other way round.
        self.histories = sorted(
            histories, key=lambda history: (history.at or _LONG_AGO, history.id)
        )
        self.total = optional(raw, "total", whole) or 0


@dataclass(frozen=True, slots=True)
class Move:
    """A change of an issue's status, by the name of the new one."""

    at: datetime
    status: str
    author: Person


class ChangelogAnswer:
    """An issue with its latest changes."""

    def __init__(self, raw: Any) -> None:
        self.changelog = optional(table(raw), "changelog", _Changelog) or _Changelog({})

    @property
    def mover(self) -> str | None:
        """The person who last changed the status, if the changelog shows it."""
        moves = [history for history in self.changelog.histories if history.is_move]
        return moves[-1].author.shown if moves else None

    @property
    def moves(self) -> tuple[Move, ...]:
        """The changes of the status, oldest first."""
        return tuple(
            Move(move.at, change.value, move.author)
            for move in self.changelog.histories
            if move.at
            for change in move.items
            if change.field == "status" and change.value is not None
        )

    def last_close(self, is_open: Mapping[str, bool]) -> tuple[Move | None, Move | None]:
        """The last change to a closed status, or of the resolution of a closed issue.

        And the reopen that followed it. None without one, and if the meaning of a status is
        unknown, by `is_open`.
        """
        close, reopen, is_closed = None, None, False
        for entry in self.changelog.histories:
            changes = {item.field: item for item in entry.items}
            status, verdict = changes.get("status"), changes.get("resolution")
            meaning = None if status is None else is_open.get(status.value or "")
            if status is not None and meaning is None:
                close, reopen, is_closed = None, None, False
                continue
            move = Move(entry.at or _LONG_AGO, (status and status.value) or "", entry.author)
            if meaning is not None:
                reopen = (move if is_closed else reopen) if meaning else None
                is_closed = not meaning
            is_decided = meaning is False or (is_closed and verdict and verdict.value)
            close = move if is_decided and entry.at is not None else close
        return close, reopen

    @property
    def is_whole(self) -> bool:
        """Whether it has all changes: Cloud shows only the latest with an issue."""
        return self.changelog.total <= len(self.changelog.histories)


class CreateTypes:
    """A page of the types of new issues in a project: their ids by their names."""

    def __init__(self, raw: Any) -> None:
        rows = optional(table(raw), "issueTypes", each(table)) or _values(raw)
        named = [(optional(row, "name", text), optional(row, "id", text)) for row in rows]
        self.values = {name.casefold(): key for name, key in named if name and key}
        self.size = len(rows)
        self.total = optional(raw, "total", whole) or 0


class CreateFields:
    """A page of the fields of new issues of a type: by their ids."""

    def __init__(self, raw: Any) -> None:
        rows = optional(table(raw), "fields", each(table)) or _values(raw)
        named = [
            (optional(row, "fieldId", text) or optional(row, "key", text), row) for row in rows
        ]
        self.values = {key: ScreenField(row) for key, row in named if key}
        self.size = len(rows)
        self.total = optional(raw, "total", whole) or 0


def _values(raw: Any) -> tuple[dict[str, Any], ...]:
    """The entries of a page of Data Center."""
    return optional(raw, "values", each(table)) or ()
