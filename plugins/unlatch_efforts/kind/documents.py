"""Efforts as documents: title, summary, and the log."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.related.kinds import Described
from unlatch.worklog.search_index import Document, Source, file_stamp
from unlatch_efforts.entries import spoken_text
from unlatch_efforts.events import EVENTS
from unlatch_efforts.store import effort_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.project.workspace import Workspace


class EffortDocuments:
    """The efforts of a project."""

    def __init__(self, workspace: Workspace) -> None:
        self._store = effort_store(workspace, by="search")

    def sources(self) -> Iterator[Source]:
        for name in self._store.names():
            stamp = file_stamp(self._store.root / name / EVENTS.name)
            yield Source(name, stamp, partial(self._read, name))

    def _read(self, name: str) -> Document:
        try:
            effort = self._store.get(name)
            text = spoken_text(self._store.transcript(name).read())
        except StoreError:
            return Document(name)  # `describe` fails, too
        if effort is None:
            return Document(name, "", text)
        told = [effort.summary]
        for reopen in effort.reopens:
            told += (reopen.prior_summary, reopen.reason)
        return Document(f"{name} {effort.title}", "\n".join(filter(None, told)), text)

    def describe(self, key: str) -> Described | None:
        try:
            effort = self._store.get(key)
        except StoreError:
            return None
        if effort is None:
            return None
        return Described(effort.id, effort.title, effort.status, effort.updated, effort.summary)
