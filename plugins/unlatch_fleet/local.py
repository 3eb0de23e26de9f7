"""Sync a list of repositories on this machine, without a server."""

from __future__ import annotations

import queue
import threading
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from unlatch.errors import UnlatchError, unexpected
from unlatch.values import dataclass
from unlatch_fleet.budget import Rows, UnitBudget, serve_budget
from unlatch_fleet.children import Children
from unlatch_fleet.clone import clone_folder
from unlatch_fleet.repository_address import own_targets
from unlatch_fleet.unit import UNLATCH, Outcome, Result, Unit, carry_out, open_unit, outcome_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from unlatch.project.registry import Registry
    from unlatch_fleet.fleet_file import Fleet, Repository
    from unlatch_fleet.tokens import Tokens
    from unlatch_fleet.unit import UnitClone

# Seconds until a unit that failed is begun again; then it stays failed.
_PAUSES = (5.0, 30.0)
# Seconds to wait for a unit that an earlier command left behind.
_PATIENCE = 1200.0


class Listener(Protocol):
    def ended(self, repository: Repository, outcome: Outcome, again: datetime | None) -> None:
        """A unit ended; `again` is when it begins again in this command."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What units need of this machine.

    Args:
        folder: for the clones.
        key: of the fingerprints of accounts.
        is_dry: whether units change nothing.
        program: unlatch.
    """

    fleet: Fleet
    tokens: Tokens
    registry: Registry
    folder: Path
    rows: Rows
    key: bytes
    environ: Mapping[str, str]
    max_wait: float = 60.0
    is_dry: bool = False
    program: tuple[str, ...] = UNLATCH
    children: Children = field(default_factory=Children)

    def sync(self, repository: Repository) -> Outcome:
        """Carry out the unit of a repository; UnlatchError `stopped`."""
        try:
            unit = self.unit(repository)
            with serve_budget(self.budget(unit)) as path:
                return carry_out(unit, clone_folder(self.folder, repository), **self._means(path))
        except UnlatchError as error:
            if error.id == "stopped":
                raise
            return outcome_of(error)

    @contextmanager
    def open(self, repository: Repository) -> Iterator[UnitClone]:
        """The clone of a repository, for commands that read.

        Raises:
            UnlatchError: those of `unit` and `open_unit`.
            OSError: as `open_unit`.
        """
        unit, folder = self.unit(repository), clone_folder(self.folder, repository)
        with (
            serve_budget(self.budget(unit)) as path,
            open_unit(unit, folder, **self._means(path)) as opened,
        ):
            yield opened
            if opened.is_new:
                opened.clone.forget()

    def budget(self, unit: Unit) -> UnitBudget:
        """The budget of a unit's accounts."""
        group = unit.repository.group
        return UnitBudget(
            self.rows,
            lambda tracker, host: self.tokens.account(group, tracker, host, unit.variables),
            key=self.key,
        )

    def _means(self, budget: Path) -> Any:
        return {
            "budget": budget,
            "environ": self.environ,
            "children": self.children,
            "patience": _PATIENCE,
            "program": self.program,
        }

    def unit(self, repository: Repository) -> Unit:
        """The unit of a repository, with its tokens; the errors of `Tokens.variables`."""
        variables = self.tokens.variables(repository.group)
        git_token = self.tokens.git_token(repository.group, variables)
        targets = {**own_targets(repository.address, self.registry), **repository.targets}
        return Unit(
            repository, variables, git_token, targets, max_wait=self.max_wait, is_dry=self.is_dry
        )


@dataclass(slots=True)
class _Waiting:
    repository: Repository
    at: datetime
    failures: int = 0


class LocalFleet:
    """Units side by side: a repository at a time, and no group while its account is limited.

    Args:
        max_time: seconds after which no unit begins.
    """

    def __init__(
        self,
        machine: Machine,
        listener: Listener,
        *,
        jobs: int,
        max_time: float,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._machine = machine
        self._listener = listener
        self._jobs = jobs
        self._clock = clock
        self._ends = clock() + timedelta(seconds=max_time)
        self._held: dict[str, datetime] = {}
        self._done: queue.SimpleQueue[tuple[_Waiting, Outcome | UnlatchError]] = queue.SimpleQueue()

    def sync(self, repositories: Iterable[Repository]) -> Mapping[str, Outcome]:
        """The last outcome of each repository, by its key."""
        now = self._clock()
        waiting = [_Waiting(repository, now) for repository in repositories]
        outcomes: dict[str, Outcome] = {}
        running = 0
        try:
            while waiting or running:
                for each in self._due(waiting)[: self._jobs - running]:
                    waiting.remove(each)
                    running += 1
                    threading.Thread(target=self._work, args=(each,), daemon=True).start()
                try:
                    each, outcome = self._done.get(timeout=self._pause(waiting, running))
                except queue.Empty:
                    continue
                running -= 1
                if isinstance(outcome, UnlatchError):
                    raise outcome
                outcomes[each.repository.address.key] = outcome
                again = self._again(each, outcome)
                if again is not None:
                    waiting.append(replace(each, at=again, failures=each.failures))
                self._listener.ended(each.repository, outcome, again)
        finally:
            self._machine.children.stop()
        return outcomes

    def _work(self, each: _Waiting) -> None:
        try:
            self._done.put((each, self._machine.sync(each.repository)))
        except Exception as error:  # noqa: BLE001  # raised in the thread of the command
            self._done.put((each, unexpected(error)))

    def _due(self, waiting: Sequence[_Waiting]) -> list[_Waiting]:
        now = self._clock()
        return [each for each in waiting if self._begins(each) <= now]

    def _begins(self, each: _Waiting) -> datetime:
        return max(each.at, self._held.get(each.repository.group, each.at))

    def _pause(self, waiting: Sequence[_Waiting], running: int) -> float | None:
        """Seconds until the next unit can begin; None while only an end can let one begin."""
        if not waiting or running >= self._jobs:
            return None
        return max(0.0, (min(map(self._begins, waiting)) - self._clock()).total_seconds())

    def _again(self, each: _Waiting, outcome: Outcome) -> datetime | None:
        now = self._clock()
        if outcome.result is Result.FAILED and each.failures < len(_PAUSES):
            at = now + timedelta(seconds=_PAUSES[each.failures])
            each.failures += 1
        elif outcome.result is Result.LATER and outcome.at is not None:
            at = max(outcome.at, now)
            if outcome.is_limited:
                self._held[each.repository.group] = at
        else:
            return None
        return at if at <= self._ends else None
