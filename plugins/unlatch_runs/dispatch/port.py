"""The interface between a run's coordinator and the machines on which workers run.

An adapter implements `Dispatcher` and passes `unlatch_runs.testing.DispatchConformance`. This
module and `protocol` are all that its author reads.

A *run id* is the ULID of one dispatch of one task; the coordinator makes it, and records it durably
before `claim`. An *epoch* is the number of a coordinator; each later one has a higher number. A
*lease* is the right of one run id to work on a task. It begins with `claim` and ends with
`complete`, `release`, `recover` or at `until`; it never begins again, but `recover` takes over one
that nothing else ended, also after `until`. No method needs memory that
is shared with a worker or another coordinator. The rows of a table can hold everything that the
promises need: per run id its lease, whether it ended, and the messages not yet taken.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from unlatch.errors import UnlatchError
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from unlatch_runs.dispatch.protocol import Message


class Role(StrEnum):
    """The role of a worker: work on its task, or decide whether it is done."""

    DEVELOPER = "developer"
    AUDITOR = "auditor"


@dataclass(frozen=True, slots=True)
class Assignment:
    """One dispatch of one task to one worker, in words that mean the same on every machine.

    Args:
        run_id: the ULID of this dispatch.
        task_id: the task, as the plan names it.
        text: the standard input of the worker.
        commit: the commit that its work begins at, or that an auditor looks at; empty: the files as
            they are in the project's folder.
        branch: the branch that its work is for; empty: none of its own.
        needs: the commits with the work of the tasks that this one is blocked by.
        variables: the names of the variables with credentials that it gets.
    """

    run_id: str
    task_id: str
    role: Role
    text: str
    commit: str = ""
    branch: str = ""
    needs: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a worker on its machine: its working folder, and its whole environment."""

    folder: Path
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Lease:
    """The right of a dispatch to work on its task; it ends at `until` unless it is extended."""

    run_id: str
    task_id: str
    epoch: int
    until: datetime


@dataclass(frozen=True, slots=True)
class ObservedLease:
    """A lease that has not ended, and whether a process of its worker was seen to live."""

    lease: Lease
    is_alive: bool


@dataclass(frozen=True, slots=True)
class Recovery:
    """The leases of earlier coordinators.

    Args:
        ended: their workers are dead, and never start again.
        stuck: a process of their workers could not be ended; the lease holds until it can.
        kept: they belong to this coordinator now, and `poll` reports what their workers said from
            the beginning.
    """

    ended: tuple[Lease, ...]
    stuck: tuple[Lease, ...]
    kept: tuple[Lease, ...] = ()


class End(StrEnum):
    """How a worker ended."""

    EXIT = "exit"  # by itself
    SIGNAL = "signal"  # by a signal from elsewhere: the system's out-of-memory killer, a person
    TIMEOUT = "timeout"  # ended: it ran for too long
    OUTPUT = "output"  # ended: it printed too much
    LINGERED = "lingered"  # ended: it had answered, and did not exit
    EXPIRED = "expired"  # ended: its lease was not extended
    RELEASED = "released"  # ended by `release`, `complete` or `close`
    UNSEEN = "unseen"  # by itself, after what started it died: nobody knows how


@dataclass(frozen=True, slots=True)
class Placed:
    """The first report of a worker on another machine: that node has the task."""

    node: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The last report of a worker: no process of it is alive.

    Args:
        code: the exit code for EXIT, the number of the signal for SIGNAL.
        errors: the end of its standard error, at most some kilobytes.
        noise: the number of lines on its standard output that were no messages.
        commit: the commit with its work, which is at the remote; empty: it is in its folder.
    """

    end: End
    code: int | None = None
    errors: str = ""
    noise: int = 0
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """A message of a worker, the node that has it, or its end."""

    run_id: str
    message: Message | Placed | Ended


class DispatchRefused(UnlatchError):
    """A dispatcher refused a request; nothing was started."""


class StaleEpoch(DispatchRefused):
    """A coordinator with a higher epoch took over; this one must stop."""


class LeaseLost(DispatchRefused):
    """The lease has ended: the answer of this dispatch does not count, and it never restarts."""


class TaskLeased(DispatchRefused):
    """The task is leased to a dispatch with another run id."""


class NoRoom(DispatchRefused):
    """As many workers as allowed are running."""


class Dispatcher(Protocol):
    """Starts workers and reports their messages. One coordinator uses it, from one thread."""

    def claim(self, assignment: Assignment, *, epoch: int) -> Lease:
        """Lease a task to a run id, and start its worker.

        The lease is durable before the worker starts. The worker of a run id starts at most once,
        ever: also if this process, the worker's machine, or the connection between them dies at any
        moment of the call. A run id that this dispatcher claimed already, with this epoch, gets the
        same lease, and starts nothing.

        Raises:
            StaleEpoch: a higher epoch was seen by any method of any dispatcher on this storage.
            LeaseLost: the run id had a lease that ended, or that another dispatcher claimed.
            TaskLeased: another run id has a lease of the task; also one of an earlier epoch, until
                `recover` ended it.
            NoRoom: `room` is 0.
        """

    def room(self) -> int:
        """The number of workers that can be claimed now."""

    def heartbeat(self, lease: Lease) -> Lease:
        """Extend a lease from now on; returns it with its new end.

        Raises:
            LeaseLost: it ended (`complete`, `release`, `recover`, `until`), or a higher epoch was
                seen. That its worker ended does not end a lease.
        """

    def complete(self, lease: Lease) -> None:
        """End a lease because the result of its worker is recorded; a live worker is ended.

        Succeeds once for each run id. Afterwards the task can be claimed under another run id.

        Raises:
            LeaseLost: it ended, or a higher epoch was seen; the result must not count.
        """

    def poll(self, timeout: float) -> Sequence[Report]:
        """The reports that have arrived; waits until there is one, at most `timeout` seconds.

        The messages of a run id come in their order, each once. `Ended` comes exactly once for
        each run id that this dispatcher claimed, as its last, however its lease ended. A worker
        that answered (Done, Failed, Question) and does not exit is ended after a grace period.

        Of earlier coordinators' workers, only the reports of those that `recover` kept are passed
        on.
        """

    def release(self, lease: Lease) -> None:
        """End a lease and its worker with all processes that it started.

        They get SIGTERM, some seconds of grace, and SIGKILL; when this returns, none is alive. If
        one cannot be ended, its task stays leased until it can, and `leases` shows it. A lease that
        has ended already is left as it is, without an error.
        """

    def leases(self) -> Sequence[ObservedLease]:
        """The leases that have not ended, of all coordinators, each looked at now."""

    def recover(self, epoch: int, keep: Collection[str] = ()) -> Recovery:
        """End the leases of all lower epochs, with their workers, before any other is claimed.

        Those of the run ids `keep` are taken over instead, if what their workers said can be read:
        one that still runs goes on, and its time-out begins again. A run id of which there is no
        lease is passed over.

        The end is durable before this returns. A worker whose claim was under way when its
        coordinator died does not start later. Each lease is returned as `ended` once; the caller's
        own record says which dispatches had no result.

        Raises:
            StaleEpoch: a higher epoch was seen by any dispatcher on this storage.
        """

    def close(self) -> None:
        """Release all leases that this dispatcher claimed: the coordinator ends."""
