"""The interface between search and a kind of work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from unlatch.worklog.search_index import Source


@dataclass(frozen=True, slots=True)
class Described:
    """A piece of work as it is now."""

    id: str
    title: str
    status: str
    changed: datetime | None
    summary: str | None = None


class Kind(Protocol):
    """The documents of one kind."""

    def sources(self) -> Iterable[Source]:
        """All that can be found."""
        ...

    def describe(self, key: str) -> Described | None:
        """A hit, read again; None if it is gone or cannot be read."""
        ...
