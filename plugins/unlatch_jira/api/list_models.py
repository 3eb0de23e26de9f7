"""Jira's answers about many issues, and about the changes of one, as models."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pydantic import Field

from unlatch.spi import StateChange, read_stamp
from unlatch_jira.api.json_model import Model
from unlatch_jira.api.models import Account

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class IssueList(Model):
    """Many issues at once, or a page of search results."""

    issues: tuple[dict[str, Any], ...] = ()
    # Of a search: Data Center sends a count, Cloud a token for the next page.
    total: int = 0
    next: str | None = Field(default=None, alias="nextPageToken")


class _FieldChange(Model):
    field: str = ""
    value: str | None = Field(default=None, alias="toString")


class _History(Model):
    author: Account = Account()
    created: str = ""
    items: tuple[_FieldChange, ...] = ()

    @property
    def is_move(self) -> bool:
        return any(one.field == "status" for one in self.items)


class _Changelog(Model):
    histories: tuple[_History, ...] = ()
    total: int = 0


class ChangelogAnswer(Model):
    """An issue with its latest changes: newest first on Cloud, oldest first on Data Center."""

    changelog: _Changelog = _Changelog()

    @property
    def mover(self) -> str | None:
        """The person who last changed the status, if the changelog shows it."""
        moves = [one for one in self.changelog.histories if one.is_move]
        latest = max(moves, key=lambda one: read_stamp(one.created) or _LONG_AGO, default=None)
        return latest.author.name if latest else None

    @property
    def state_changes(self) -> tuple[StateChange, ...]:
        """The changes of the status, oldest first."""
        found = (
            StateChange(at, change.value, one.author.name)
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
