"""The kind of work `run`; it loads a run when one is needed."""

from __future__ import annotations

from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from unlatch.errors import StoreError
from unlatch.related.kinds import Dangling, Documents, OpenWork, Search, Sources, Step
from unlatch.values import dataclass
from unlatch_runs.journal import LOG, read_state
from unlatch_runs.kind.points import points
from unlatch_runs.kind.reopen_run import reopen_run
from unlatch_runs.project import run_store
from unlatch_runs.run_model import RunState, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from unlatch.project.workspace import Workspace
    from unlatch.related.increment_names import References
    from unlatch.related.points import Briefing

# Before the name of an increment that is the plan of a run.
_PLAN = "increment:"


@dataclass(frozen=True, slots=True)
class Run:
    """A run, as `unlatch.related.kinds.Work` describes it."""

    belongs_to: ClassVar[tuple[str, ...]] = ()
    is_resumable: ClassVar[bool] = True
    folder: Path
    state: RunState

    @property
    def id(self) -> str:
        return self.folder.name

    @property
    def status(self) -> str:
        return self.state.status.value

    @property
    def updated(self) -> datetime | None:
        return self.state.updated

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.folder / LOG,)

    @property
    def _ref(self) -> str:
        return f"run:{self.id}"

    def brief(self, sources: Sources) -> Briefing:
        return points(self._ref, self.state, sources)

    def step(self, workspace: Workspace, *, by: str) -> Step:
        def reopen(reason: str | None) -> str:
            clock, new_id = workspace.clock, workspace.new_id
            reopened = reopen_run(
                self.folder, reason=reason or "", by=by, clock=clock, new_id=new_id
            )
            return reopened.status.value

        is_over = self.state.is_over
        goal = Status.PAUSED.value if is_over else self.status
        command = f"unlatch run resume {quote(self.id)}"
        return Step(self._ref, self.status, goal, is_over, command, reopen)

    def open_work(self) -> OpenWork | None:
        if self.state.is_over:
            return None
        # Stopping a run makes it failed; one without open tasks is finished by its coordinator.
        verb = "resume" if self.state.is_complete else "stop"
        return OpenWork(self._ref, self.status, f"unlatch run {verb} {quote(self.id)}")

    def limited(self, covers: Callable[[Path], bool]) -> Run:
        return self


class RunKind:
    """The runs of a project, as `unlatch.related.kinds.WorkKind` describes a kind."""

    name = "run"
    verbs = MappingProxyType({"show": "status", "history": "events", "resume": "resume"})
    beside = "tasks"
    has_tool_output = False
    resumes_all = False

    def names(self, workspace: Workspace) -> Iterator[str]:
        yield from run_store(workspace).names()

    def find(self, workspace: Workspace, wanted: str) -> str:
        return run_store(workspace).find(wanted).name

    def related(self, workspace: Workspace, search: Search) -> Iterator[Run]:
        store = run_store(workspace)
        search.unreadable += store.unreadable()
        for folder, plan in store.plans():
            is_ours = plan.startswith(_PLAN) and search.is_meant(plan.removeprefix(_PLAN))
            with search.noting():
                if is_ours:
                    yield Run(folder, read_state(folder))
                search.known.add(f"run:{folder.name}")

    def unfinished(self, workspace: Workspace) -> Iterator[tuple[str, str]]:
        store = run_store(workspace)
        for name in store.names():
            try:
                state = read_state(store.root / name)
            except StoreError:
                continue
            if not state.is_over:
                yield name, state.status.value

    def in_progress(self, workspace: Workspace) -> Iterator[str]:
        yield from ()

    def dangling(self, workspace: Workspace, references: References) -> Iterator[Dangling]:
        for folder, plan in run_store(workspace).plans():
            name = plan.removeprefix(_PLAN)
            if plan.startswith(_PLAN) and not references.find(name):
                place = quote(str(folder.relative_to(workspace.paths.root)))
                fix = f"rename the increment back to {name}, or remove the run: rm -r {place}"
                yield Dangling(f"run:{folder.name}", name, folder, fix)

    def unreadable(self, workspace: Workspace) -> Iterator[StoreError]:
        store = run_store(workspace)
        for name in store.names():
            try:
                read_state(store.root / name)
            except StoreError as error:
                yield error

    def files(self, workspace: Workspace) -> Iterator[Path]:
        store = run_store(workspace)
        yield from (store.root / name / LOG for name in store.names())

    def documents(self, workspace: Workspace) -> Documents:
        from unlatch_runs.kind.documents import RunDocuments  # noqa: PLC0415  (loads SQLite)

        return RunDocuments(workspace)


KIND = RunKind()
