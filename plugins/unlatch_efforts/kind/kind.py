"""The kind of work `effort`; it loads an effort when one is needed."""

from __future__ import annotations

from contextlib import suppress
from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from unlatch.errors import StoreError
from unlatch.related.kinds import Dangling, Documents, OpenWork, Search, Sources, Step
from unlatch.values import dataclass
from unlatch.worklog.disk.safe_open import read_file
from unlatch_efforts.events import EVENTS
from unlatch_efforts.kind.points import points
from unlatch_efforts.store import LOG, EffortStore, effort_store, project_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from unlatch.project.workspace import Workspace
    from unlatch.related.increment_names import References
    from unlatch.related.points import Briefing
    from unlatch_efforts.effort_model import Effort


@dataclass(frozen=True, slots=True)
class EffortWork:
    """An effort, as `unlatch.related.kinds.Work` describes it.

    Args:
        is_only: whether it is the only effort of the increment, so that no other can be meant.
    """

    belongs_to: ClassVar[tuple[str, ...]] = ()
    is_resumable: ClassVar[bool] = True
    store: EffortStore
    effort: Effort
    is_only: bool

    @property
    def id(self) -> str:
        return self.effort.id

    @property
    def status(self) -> str:
        return self.effort.status.value

    @property
    def updated(self) -> datetime | None:
        return self.effort.updated

    @property
    def files(self) -> tuple[Path, ...]:
        return _files(self.store, self.id)

    @property
    def _ref(self) -> str:
        return f"effort:{self.id}"

    def brief(self, sources: Sources) -> Briefing:
        return points(self._ref, self.effort, self.store.transcript(self.id), sources)

    def step(self, workspace: Workspace, *, by: str) -> Step:
        def reopen(reason: str | None) -> str:
            return effort_store(workspace, by=by).reopen(self.id, reason)[0].status.value

        def activate() -> None:
            from unlatch_efforts.conversation import Conversation  # noqa: PLC0415

            with Conversation(effort_store(workspace, by=by)).lock() as turn:
                turn.activate(self.id)

        is_over = not self.effort.is_open
        if self.is_only:
            command = f"unlatch effort show {quote(self.id)}"
            return Step(self._ref, self.status, "open", is_over, command, reopen, activate)
        command = f"unlatch effort switch {quote(self.id)}"
        return Step(self._ref, self.status, "open", is_over, command, reopen)

    def open_work(self) -> OpenWork | None:
        if not self.effort.is_open:
            return None
        command = f"unlatch effort close {quote(self.id)} --summary TEXT"
        return OpenWork(self._ref, self.status, command)

    def limited(self, covers: Callable[[Path], bool]) -> EffortWork | None:
        """The same, unless its cache, which is no file that a user trusts, says anything else."""
        return None if self.store.is_false(self.id) else self


class EffortKind:
    """The efforts of a project, as `unlatch.related.kinds.WorkKind` describes a kind."""

    name = "effort"
    verbs = MappingProxyType(
        {"show": "show", "history": "show", "resume": "reopen", "link": "link"}
    )
    beside = ""
    has_tool_output = False
    resumes_all = True

    def names(self, workspace: Workspace) -> Iterator[str]:
        yield from _store(workspace).names()

    def find(self, workspace: Workspace, wanted: str) -> str:
        return _store(workspace).find_id(wanted)

    def related(self, workspace: Workspace, search: Search) -> Iterator[EffortWork]:
        store, project = _store(workspace), project_of(workspace)
        search.unreadable += store.unreadable()
        readable: list[Effort] = []
        for effort in store.all():
            ref, is_named = f"effort:{effort.id}", f"effort:{effort.id}" in search.named
            if not (is_named or effort.project == project):
                continue
            if not (is_named or search.is_meant(effort.increment)):
                search.known.add(ref)
                continue
            with search.noting():
                _check_log(store, effort)
                search.known.add(ref)
                readable.append(effort)
        readable.sort(key=lambda effort: (effort.created, effort.id))
        yield from (EffortWork(store, effort, len(readable) == 1) for effort in readable)

    def unfinished(self, workspace: Workspace) -> Iterator[tuple[str, str]]:
        project = project_of(workspace)
        for effort in _store(workspace).all():
            if effort.is_open and (project is None or effort.project == project):
                yield effort.id, effort.status.value

    def in_progress(self, workspace: Workspace) -> Iterator[str]:
        yield from ()

    def dangling(self, workspace: Workspace, references: References) -> Iterator[Dangling]:
        store, project = _store(workspace), project_of(workspace)
        for effort in store.all():
            name = effort.increment if effort.project == project else None
            if name and not references.find(name):
                fix = f"unlatch effort link {quote(effort.id)} --remove"
                yield Dangling(f"effort:{effort.id}", name, store.root / effort.id, fix)

    def unreadable(self, workspace: Workspace) -> Iterator[StoreError]:
        store = _store(workspace)
        yield from store.unreadable()
        for effort in store.all():
            log = store.transcript(effort.id)
            try:
                read_file(log.folder / log.name, at_most=1)
            except FileNotFoundError:
                message = f"{effort.id} has no {log.name}, which it had"
                if effort.lines:
                    yield StoreError("effort-damaged", message, where=str(log.folder))
            except StoreError as error:
                yield error
            else:
                yield from log.unusable()

    def files(self, workspace: Workspace) -> Iterator[Path]:
        store = _store(workspace)
        for name in store.names():
            yield from _files(store, name)

    def documents(self, workspace: Workspace) -> Documents:
        from unlatch_efforts.kind.documents import EffortDocuments  # noqa: PLC0415  (loads SQLite)

        return EffortDocuments(workspace)


KIND = EffortKind()


def _store(workspace: Workspace) -> EffortStore:
    return effort_store(workspace, by="")


def _check_log(store: EffortStore, effort: Effort) -> None:
    """Raise StoreError if there is a log that cannot be read."""
    transcript = store.transcript(effort.id)
    with suppress(FileNotFoundError):
        read_file(transcript.folder / transcript.name, at_most=1)


def _files(store: EffortStore, name: str) -> tuple[Path, ...]:
    return store.root / name / LOG, store.root / name / EVENTS.name
