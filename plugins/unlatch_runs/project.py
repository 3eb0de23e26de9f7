"""The runs of a project: starting, resuming and recovering them, and requests to a coordinator."""

from __future__ import annotations

import sys
import time
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.project.program_environment import program_environment, secret_variables
from unlatch.values import dataclass
from unlatch.worklog.disk.safe_open import exists
from unlatch_runs import requests
from unlatch_runs.consent import (
    Consent,
    consent_reader,
    prepare_consent,
    read_consent,
    save_consent,
)
from unlatch_runs.coordinator.compaction import compact
from unlatch_runs.coordinator.context import End, RunContext, Thresholds
from unlatch_runs.coordinator.coordinator import Coordinator
from unlatch_runs.coordinator.pausing import resume
from unlatch_runs.coordinator.plans import check_auditor, load_plan
from unlatch_runs.coordinator.recovery import check_recoverable, recover, take_back
from unlatch_runs.dispatch.leases import LeaseStore
from unlatch_runs.dispatch.local import LocalDispatcher, steady_clock
from unlatch_runs.dispatch.places import LocalPlaces, RemotePlaces, RemoteRun, find_dispatcher
from unlatch_runs.dispatch.port import Dispatcher, Role
from unlatch_runs.dispatch.recovery import is_alive
from unlatch_runs.dispatch.worker import Limits
from unlatch_runs.dispatch.worktrees import Worktrees
from unlatch_runs.events import RunCreated, RunReopened, RunStopped
from unlatch_runs.journal import Journal, is_held
from unlatch_runs.run_model import RunState, Status
from unlatch_runs.store import RunStore

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

    from unlatch.project.workspace import Workspace
    from unlatch_runs.coordinator.dispatching import Dispatching
    from unlatch_runs.dispatch.places import Places, RemoteDispatcher
    from unlatch_runs.plan.plan_model import Plan
    from unlatch_runs.requests import Request

# Isolated: no module of the project is taken for one of ours.
_AUDITOR = (sys.executable, "-I", "-m", "unlatch_runs.audit")


@dataclass(frozen=True, slots=True)
class Console:
    """Where a coordinator's outputs and notes go."""

    say: Callable[[str], None]
    note: Callable[[str], None]


def run_store(workspace: Workspace) -> RunStore:
    """The store in `.unlatch/runs`."""
    return RunStore(workspace.paths.home / "runs")


def live_agents(workspace: Workspace, folder: Path, state: RunState) -> frozenset[str]:
    """The agents of a run of which a process is seen to live now.

    Raises:
        UnlatchError: they are on other machines, and their dispatcher cannot be asked.
    """
    if state.on:
        root, consent = workspace.paths.root, Consent("", (), on=state.on)
        remote = _remote(root, folder.name, consent, workspace.environ, lambda: state.origin)
        with closing(remote):
            return frozenset(entry.lease.run_id for entry in remote.leases() if entry.is_alive)
    leases = LeaseStore(folder)
    if not exists(leases.lock("")):  # no worker was ever started
        return frozenset()
    return frozenset(agent for agent in state.dispatched() if is_alive(agent, leases.lock(agent)))


def _remote(
    root: Path,
    name: str,
    consent: Consent,
    environ: Mapping[str, str],
    origin: Callable[[], str],
) -> RemoteDispatcher:
    open_dispatcher = find_dispatcher(consent.on)
    run = RemoteRun(root, name, origin, consent.worker, _limits(consent), environ)
    return open_dispatcher(run)


def _limits(consent: Consent) -> Limits:
    return Limits(jobs=consent.jobs, timeout=consent.timeout)


@dataclass(frozen=True, slots=True)
class Runs:
    """The use cases; each one that executes holds the run's lock until it ends.

    Args:
        read_plan: reads the plan of this name: a file, or `increment:ID`. Its second argument has
            the ids of the tasks that the run knows.
    """

    workspace: Workspace
    console: Console
    read_plan: Callable[[str, Collection[str]], Plan]

    def start(self, title: str, consent: Consent, *, by: str) -> tuple[Path, End]:
        """Create a run and execute it; MistakesError `plan-invalid` before anything is made."""
        plan = self.read_plan(consent.plan, ())
        check_auditor(plan, has_auditor=bool(consent.auditor))
        if consent.on:
            self._check_remote(plan, consent)
        workspace = self.workspace
        prepare_consent(workspace.paths.root)
        folder = run_store(workspace).create(title, workspace.clock())
        save_consent(workspace.paths.root, folder.name, consent)
        # A run of this name may have been removed, with requests that it did not get.
        requests.drop(workspace.paths.root, folder.name)
        with self._opened(folder) as context:
            context.journal.record(
                RunCreated,
                plan_file=consent.plan,
                title=title,
                attempts=workspace.config.runs.attempts,
                crashes=workspace.config.runs.crashes,
                by=by,
                on=consent.on,
            )
            context.journal.take_over(workspace.new_id())
            self.console.note(f"started {folder.name}")
            load_plan(context)
            return folder, self._execute(context)

    def resume(self, folder: Path, *, reason: str | None, by: str) -> End:
        """Resume a paused run, or one that is over, which needs a reason.

        Raises:
            StoreError: `run-crashed` if it was not paused; `reason-required`.
        """
        with self._opened(folder) as context:
            journal, state, name = context.journal, context.journal.state, folder.name
            if state.is_over and not reason:
                message = f"the run '{name}' is {state.status}; to resume it needs a reason"
                hint = f"unlatch run resume {quote(name)} --reason TEXT"
                raise StoreError("reason-required", message, hint=hint)
            if state.status is Status.RUNNING:
                message = f"the run '{name}' was not paused: its coordinator is gone"
                raise StoreError("run-crashed", message, hint=f"unlatch run recover {quote(name)}")
            journal.take_over(context.new_id())
            workers = take_back(context)
            requests.drop(context.root, name, "pause", "stop")
            if state.is_over:
                journal.record(RunReopened, reason=reason or "", by=by)
            resume(context)
            return self._execute(context, workers)

    def recover(self, folder: Path) -> End:
        """Recover a run whose coordinator died, and execute it.

        Raises:
            StoreError: `run-paused` or `run-over`.
        """
        with self._opened(folder) as context:
            check_recoverable(context)
            requests.drop(context.root, folder.name, "pause", "stop")
            workers = recover(context, context.new_id())
            return self._execute(context, workers)

    def stop(self, folder: Path, reason: str) -> None:
        """End a run whose coordinator is gone, with its workers; StoreError `run-over`."""
        with self._opened(folder) as context:
            state = context.journal.state
            if state.is_over:
                hint = f"unlatch run resume {quote(folder.name)} --reason TEXT"
                message = f"the run '{folder.name}' is {state.status} already"
                raise StoreError("run-over", message, hint=hint)
            context.journal.take_over(context.new_id())
            take_back(context).stop("run stopped")
            context.journal.record(RunStopped, reason=reason)
            context.save("stopped")

    def request(self, folder: Path, request: Request) -> bool:
        """Record a request, or leave it for the live coordinator; whether there is one."""
        workspace = self.workspace
        root, name = workspace.paths.root, folder.name
        if is_held(folder):
            requests.send(root, name, workspace.new_id(), request)
            return True
        with Journal.locked(folder, clock=workspace.clock, new_id=workspace.new_id) as journal:
            requests.record_request(journal, request)
        return False

    def report_context(self, folder: Path, left: float) -> bool:
        """Say how much of the driving agent's context is left; it is compacted at the threshold.

        Returns:
            Whether a live coordinator got the report; it compacts by itself.
        """
        request = {"kind": "context", "left": left}
        if self.request(folder, request):
            return True
        threshold = self.workspace.config.runs.context_threshold
        if left <= threshold:
            with self._opened(folder) as context:
                compact(context)
        return False

    def _execute(self, context: RunContext, workers: Dispatching | None = None) -> End:
        """Execute a run; at its end, worktrees whose work is merged are removed."""
        end = Coordinator(context, workers).execute()
        if end is End.FINISHED and context.consent().worktrees:
            for kept in Worktrees(context.root, context.folder).remove_merged():
                self.console.note(f"kept the worktree of {kept.task}: {kept.path} ({kept.reason})")
        return end

    @contextmanager
    def _opened(self, folder: Path) -> Iterator[RunContext]:
        """The run in the hands of this process."""
        workspace, root = self.workspace, self.workspace.paths.root
        consent = read_consent(root, folder.name)
        config = workspace.config.runs
        clock, new_id = workspace.clock, workspace.new_id
        environ = self._environ(consent)
        with Journal.locked(folder, clock=clock, new_id=new_id) as journal:
            dispatcher, places = self._dispatcher(journal, consent, environ)
            yield RunContext(
                root=root,
                journal=journal,
                dispatcher=dispatcher,
                places=places,
                environ=environ,
                read_plan=partial(self.read_plan, consent.plan),
                consent=consent_reader(root, folder.name),
                clock=clock,
                sleep=time.sleep,
                new_id=new_id,
                say=self.console.say,
                note=self.console.note,
                references=config.references,
                thresholds=Thresholds(
                    context=config.context_threshold,
                    session=config.session_threshold,
                    window=timedelta(minutes=config.window),
                ),
            )

    def _dispatcher(
        self, journal: Journal, consent: Consent, environ: Mapping[str, str]
    ) -> tuple[Dispatcher, Places]:
        """What starts the workers of a run, and where their work begins."""
        root, folder = self.workspace.paths.root, journal.folder
        if consent.on:
            remote = _remote(root, folder.name, consent, environ, lambda: journal.state.origin)
            return remote, RemotePlaces(root, folder.name)
        commands = {Role.DEVELOPER: consent.worker, Role.AUDITOR: _AUDITOR}
        places = LocalPlaces(
            root, environ, Worktrees(root, folder).make if consent.worktrees else None
        )
        local = LocalDispatcher(
            folder,
            commands,
            place=places.place,
            clock=steady_clock(),
            limits=_limits(consent),
        )
        return local, places

    def _check_remote(self, plan: Plan, consent: Consent) -> None:
        """Make sure that a machine will start what the plan and the consent name."""
        root = self.workspace.paths.root
        remote = _remote(root, "", consent, self._environ(consent), lambda: "")
        programs = {consent.worker, consent.auditor, *plan.commands()} - {()}
        with closing(remote):
            remote.check(sorted(programs), consent.pass_env)

    def _environ(self, consent: Consent) -> dict[str, str]:
        """The user's environment without the trackers' tokens."""
        secrets = secret_variables(self.workspace.registry)
        return program_environment(self.workspace.environ, secrets=secrets, passed=consent.pass_env)
