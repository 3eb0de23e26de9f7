"""Runs as documents: title and tasks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.related.kinds import Described
from unlatch.worklog.search_index import Document, Source, file_stamp
from unlatch_runs.journal import LOG, read_state
from unlatch_runs.project import run_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.project.workspace import Workspace


class RunDocuments:
    """The runs of a project."""

    def __init__(self, workspace: Workspace) -> None:
        self._store = run_store(workspace)

    def sources(self) -> Iterator[Source]:
        for name in self._store.names():
            yield Source(name, file_stamp(self._store.root / name / LOG), partial(self._read, name))

    def _read(self, name: str) -> Document:
        try:
            state = read_state(self._store.root / name)
        except StoreError:
            return Document(name)  # `describe` fails, too
        tasks = "\n".join(f"{task.id} {task.title}" for task in state.tasks.values())
        said = "\n".join(task.checkpoint for task in state.tasks.values() if task.checkpoint)
        return Document(f"{name} {state.title}", tasks, said)

    def describe(self, key: str) -> Described | None:
        try:
            state = read_state(self._store.root / key)
        except StoreError:
            return None
        done = f"{state.done} of {len(state.tasks)} tasks done"
        return Described(key, state.title, state.status, state.updated, done)
