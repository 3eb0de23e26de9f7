"""The harness of a dispatcher's tests: its storage, its clock, and a look at its workers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch_runs.dispatch.port import Assignment, Dispatcher


class DispatchHarness(ABC):
    """Dispatchers on one storage, whose workers are `unlatch_runs.testing.worker`.

    Attributes:
        jobs: workers at the same time; at least 3.
        lease_seconds: seconds after which a lease ends that is not extended.
        timeout_seconds: seconds after which a worker is ended; more than `lease_seconds`.
        commit: the commit at which workers begin, for a dispatcher that needs one.
        crash_points: the moments of a claim, in order, at which `crash_in_claim` can stop a
            coordinator: at least before the lease is durable, between that and the start of the
            worker, and after the start.
    """

    jobs: int
    lease_seconds: float
    timeout_seconds: float
    crash_points: Sequence[str]
    commit: str = ""

    @abstractmethod
    def dispatcher(self) -> Dispatcher:
        """A new dispatcher on the storage, as that of a coordinator that starts."""

    @abstractmethod
    def advance(self, seconds: float) -> None:
        """Move the clock of all dispatchers."""

    @abstractmethod
    def starts(self, run_id: str) -> int:
        """How often the worker of a run id started, counted without the dispatcher."""

    @abstractmethod
    def is_alive(self, run_id: str) -> bool:
        """Whether a process of a worker lives, seen without the dispatcher; children count."""

    @abstractmethod
    def abandon(self, dispatcher: Dispatcher) -> None:
        """Let the coordinator of a dispatcher die without a word; its workers live on.

        Nothing calls that dispatcher again.
        """

    @abstractmethod
    def crash_in_claim(self, assignment: Assignment, *, epoch: int, point: str) -> None:
        """Let a new coordinator claim, and die without a word at this moment of the call."""
