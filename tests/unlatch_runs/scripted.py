"""A run in a folder, with a dispatcher whose workers follow a script instead of being processes."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from unlatch_runs import events as e
from unlatch_runs.consent import Consent
from unlatch_runs.coordinator.context import End, RunContext
from unlatch_runs.coordinator.coordinator import Coordinator
from unlatch_runs.coordinator.pausing import resume
from unlatch_runs.coordinator.plans import load_plan
from unlatch_runs.coordinator.recovery import recover, take_back
from unlatch_runs.dispatch import port
from unlatch_runs.dispatch.places import LocalPlaces, Places
from unlatch_runs.dispatch.port import (
    Assignment,
    Ended,
    Lease,
    LeaseLost,
    ObservedLease,
    Placed,
    Recovery,
    Report,
    Role,
)
from unlatch_runs.dispatch.protocol import Checkpoint, Done, Failed, Message, Question
from unlatch_runs.event_base import RunEvent
from unlatch_runs.journal import Journal, read_events, read_state
from unlatch_runs.plan.read_plan import read_plan
from unlatch_runs.run_model import RunState, Status

START = datetime(2026, 1, 1, tzinfo=UTC)
EXIT = Ended(port.End.EXIT, 0)
CRASH = Ended(port.End.SIGNAL, 9)
TIMEOUT = Ended(port.End.TIMEOUT)
Said = Sequence[Message | Placed | Ended]
DONE: Sequence[Message | Ended] = (Checkpoint("half"), Done("all"), EXIT)
REJECT: Sequence[Message | Ended] = (Failed("no tests"), EXIT)
ASK: Sequence[Message | Ended] = (Question("which?", ("a", "b")), EXIT)
Script = Callable[[Assignment], Iterable[Message | Placed | Ended]]


class Clock:
    """The time goes on by a second at each look, and by all that is slept."""

    def __init__(self) -> None:
        self.now, self.slept = START, 0.0

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept += seconds
        self.now += timedelta(seconds=seconds)


@dataclass
class Workers:
    """The survivors of a coordinator: the leases, and the workers that follow their scripts."""

    script: Script
    jobs: int = 2
    leases: dict[str, Lease] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
    started: list[Assignment] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    printed: dict[str, list[Message | Placed]] = field(default_factory=dict)

    def live(self) -> list[Lease]:
        return [lease for name, lease in self.leases.items() if name not in self.over]


class ScriptedDispatcher:
    """A dispatcher on `Workers`; all that a worker says has arrived when it is started."""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers

    def claim(self, assignment: Assignment, *, epoch: int) -> Lease:
        name = assignment.run_id
        assert name not in self.workers.leases, "a worker starts once"
        busy = [lease.task_id for lease in self.workers.live()]
        assert assignment.task_id not in busy, "one worker a task"
        lease = Lease(name, assignment.task_id, epoch, START)
        self.workers.leases[name] = lease
        self.workers.started.append(assignment)
        said = list(self.workers.script(assignment))
        self.workers.printed[name] = [one for one in said if not isinstance(one, Ended)]
        self.workers.reports.extend(Report(name, one) for one in said)
        return lease

    def room(self) -> int:
        return self.workers.jobs - len(self.workers.live())

    def heartbeat(self, lease: Lease) -> Lease:
        if lease.run_id in self.workers.over:
            raise LeaseLost("lease-lost", "the lease has ended")
        return lease

    def complete(self, lease: Lease) -> None:
        self.heartbeat(lease)
        self.workers.over.add(lease.run_id)

    def poll(self, timeout: float) -> Sequence[Report]:
        found = list(self.workers.reports)
        self.workers.reports.clear()
        return found

    def release(self, lease: Lease) -> None:
        if lease.run_id not in self.workers.over:
            self.workers.over.add(lease.run_id)
            self.workers.reports.append(Report(lease.run_id, Ended(port.End.RELEASED)))

    def leases(self) -> Sequence[ObservedLease]:
        return [ObservedLease(lease, is_alive=True) for lease in self.workers.live()]

    def recover(self, epoch: int, keep: Collection[str] = ()) -> Recovery:
        kept = [replace(one, epoch=epoch) for one in self.workers.live() if one.run_id in keep]
        ended = [lease for lease in self.workers.live() if lease.run_id not in keep]
        self.workers.over.update(lease.run_id for lease in ended)
        self.workers.leases.update({lease.run_id: lease for lease in kept})
        # What they printed is there from its beginning; nobody saw how they ended.
        self.workers.reports = [
            Report(lease.run_id, one)
            for lease in kept
            for one in (*self.workers.printed[lease.run_id], Ended(port.End.UNSEEN))
        ]
        return Recovery(tuple(ended), (), tuple(kept))

    def close(self) -> None:
        self.workers.over.update(lease.run_id for lease in self.workers.live())


@dataclass
class Lab:
    """A project with one run; each method is a coordinator of its own."""

    root: Path
    plan: str
    workers: Workers
    clock: Clock = field(default_factory=Clock)
    consent: Consent = field(default_factory=lambda: Consent("plan.md", ("worker",), ("auditor",)))
    references: tuple[str, ...] = ()
    said: list[str] = field(default_factory=list)
    worktree: Callable[[str], Path] | None = None
    places: Places | None = None
    numbers: Callable[[], int] = field(default_factory=lambda: count(1).__next__)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)

    @property
    def folder(self) -> Path:
        return self.root / ".unlatch" / "runs" / "2026-01-01-run"

    def new_id(self) -> str:
        return f"{self.numbers():026}"

    def journal(self) -> AbstractContextManager[Journal]:
        return Journal.locked(self.folder, clock=self.clock, new_id=self.new_id)

    def context(self, journal: Journal) -> RunContext:
        return RunContext(
            root=self.root,
            journal=journal,
            dispatcher=ScriptedDispatcher(self.workers),
            places=self.places or LocalPlaces(self.root, {}, self.worktree),
            environ={},
            read_plan=lambda _: read_plan(self.plan, "plan.md"),
            consent=lambda: self.consent,
            clock=self.clock,
            sleep=self.clock.sleep,
            new_id=self.new_id,
            say=self.said.append,
            note=self.said.append,
            references=self.references,
        )

    def start(self) -> End:
        with self.journal() as journal:
            context = self.context(journal)
            if not journal.state.sequence:
                journal.record(e.RunCreated, plan_file="plan.md", title="T", attempts=3, by="ann")
            journal.take_over(self.new_id())
            load_plan(context)
            return Coordinator(context).execute()

    def recover(self) -> End:
        with self.journal() as journal:
            context = self.context(journal)
            workers = recover(context, self.new_id())
            return Coordinator(context, workers).execute()

    def resume(self) -> End:
        with self.journal() as journal:
            context = self.context(journal)
            journal.take_over(self.new_id())
            workers = take_back(context)
            resume(context)
            return Coordinator(context, workers).execute()

    def go_on(self) -> End:
        """The command that a person would type next."""
        state = self.state
        if not state.tasks:
            return self.start()
        return self.resume() if state.status is Status.PAUSED else self.recover()

    @property
    def state(self) -> RunState:
        return read_state(self.folder)

    def events(self, kind: type[RunEvent]) -> list[RunEvent]:
        return [event for event in read_events(self.folder) if isinstance(event, kind)]


def plan_of(**blocked: str) -> str:
    """A plan with these tasks and the tasks that block each, without acceptance commands."""
    parts = (
        f"### Task {name}: Do {name}\n**Work**: {name}\n**Acceptance Criteria**: it works\n"
        f"**Blocked By**: {by}\n"
        for name, by in blocked.items()
    )
    return "\n".join(parts)


def always(developer: Said = DONE, auditor: Said = DONE) -> Script:
    return lambda assignment: developer if assignment.role is Role.DEVELOPER else auditor


def answers(*scripts: Sequence[Message | Ended]) -> Script:
    """The workers of these scripts, one after another, then ones that succeed."""
    left = list(scripts)
    return lambda _: left.pop(0) if left else DONE
