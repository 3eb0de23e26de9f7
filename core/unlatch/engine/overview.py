"""What needs somebody: too much at once, what lies idle, what is owed, what cannot be read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.domain.increment import BrokenIncrement, Increment
from unlatch.domain.limits import Limits, Wip, days_idle, is_stale, wip
from unlatch.domain.status import Status
from unlatch.engine.git import ask_git
from unlatch.errors import ConfigError
from unlatch.store.attempts import Tried, key_of, read_attempts
from unlatch.store.layout import METADATA
from unlatch.store.records import BadRecord, read_pending

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.domain.operation import Operation
    from unlatch.engine.workspace import Workspace
    from unlatch.store.config import CoreConfig


@dataclass(frozen=True, slots=True)
class Owed:
    """An operation that waits, with what was tried on this machine.

    Args:
        tried: the attempts here; None if there was none, or the record of it was deleted.
    """

    increment: Increment
    operation: Operation
    tried: Tried | None

    @property
    def cause(self) -> str | None:
        """The id of the error that it last ended with, if one is known."""
        return self.operation.cause or (self.tried.cause if self.tried else None)


@dataclass(frozen=True, slots=True)
class Idle:
    """An increment on which nothing was done for as long as its status should not last."""

    increment: Increment
    days: int


@dataclass(frozen=True, slots=True)
class Overview:
    """What needs somebody.

    Args:
        limits: how much may be worked on at once.
        wip: how much is, and what.
        paused: what somebody means to take up again, outside the archive.
        stale: what is active or paused for too long, the longest first.
        pending: operations that items are owed.
        not_recorded: operations that were delivered, which git does not know of yet.
        reopened_often: what was reopened as often as is worth a thought, the most first.
        broken: what cannot be read.
        mistakes: what is wrong with the core's own configuration; what is right of it counts.
    """

    limits: Limits
    wip: Wip
    paused: list[Increment]
    stale: list[Idle]
    pending: list[Owed]
    not_recorded: list[Owed]
    reopened_often: list[Increment]
    broken: list[BrokenIncrement]
    mistakes: tuple[str, ...] = ()


def overview(workspace: Workspace) -> Overview:
    """What needs somebody in a project.

    Raises:
        StoreError: the increments cannot be listed.
    """
    config, mistakes = _configured(workspace)
    found = workspace.manager.list()
    sound = [one for one in found if isinstance(one, Increment)]
    often = [one for one in sound if one.has_frequent_reopens(config.frequent_reopens)]
    limits = config.limits.rules
    return Overview(
        limits,
        wip(sound, limits),
        paused=[one for one in sound if one.status is Status.PAUSED and not one.archived],
        stale=_stale(sound, limits, workspace),
        pending=owed(workspace, sound),
        not_recorded=not_recorded(workspace, sound),
        reopened_often=sorted(often, key=lambda one: -one.effective_reopens),
        broken=[one for one in found if isinstance(one, BrokenIncrement)],
        mistakes=mistakes,
    )


def _configured(workspace: Workspace) -> tuple[CoreConfig, tuple[str, ...]]:
    """The core's configuration, and what is wrong with it; that must not hide all the rest."""
    try:
        raw = workspace.raw_config
    except ConfigError as error:
        from unlatch.store.config import CoreConfig  # noqa: PLC0415  (slow to load)

        return CoreConfig(), error.problems
    return raw.core, raw.problems


def _stale(sound: Iterable[Increment], limits: Limits, workspace: Workspace) -> list[Idle]:
    now = workspace.clock()
    idle = [Idle(one, days_idle(one, now) or 0) for one in sound if is_stale(one, limits, now)]
    return sorted(idle, key=lambda one: -one.days)


def owed(workspace: Workspace, increments: Iterable[Increment]) -> list[Owed]:
    """All operations that wait, oldest first for each increment."""
    found = []
    for increment in increments:
        if increment.pending:
            attempts = read_attempts(workspace.layout, increment.id)
            found += [
                Owed(increment, operation, attempts.get(key_of(operation)))
                for operation in increment.pending
            ]
    return found


def not_recorded(workspace: Workspace, increments: Iterable[Increment]) -> list[Owed]:
    """Operations that were delivered here while git's last commit still has them pending.

    Where the result cannot be committed (a CI job without the right to push), the next clone finds
    them pending, asks the items, and sends nothing.
    """
    changed = _changed(workspace)
    if not changed:
        return []
    found = []
    for increment in increments:
        path = (increment.folder / METADATA).relative_to(workspace.layout.root).as_posix()
        if path in changed:
            left = {key_of(operation) for operation in increment.pending}
            found += [
                Owed(increment, operation, None)
                for operation in _committed(workspace, path)
                if key_of(operation) not in left
            ]
    return found


def _changed(workspace: Workspace) -> frozenset[str]:
    told = ask_git(workspace.layout.root, "diff", "--name-only", "--relative", "-z", "HEAD", "--")
    return frozenset(filter(None, (told or "").split("\0")))


def _committed(workspace: Workspace, path: str) -> tuple[Operation, ...]:
    raw = ask_git(workspace.layout.root, "show", f"HEAD:./{path}")
    try:
        data = json.loads(raw or "{}")
        return read_pending(data) if isinstance(data, dict) else ()
    except (ValueError, BadRecord):
        return ()
