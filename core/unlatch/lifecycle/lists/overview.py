"""Increments that need attention: over limit, stale, with pending operations, or broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import ConfigError
from unlatch.increments.files.paths import METADATA
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.increments.model.limits import Limits, Wip, days_idle, is_stale, wip
from unlatch.increments.model.status import Status
from unlatch.increments.records.pending import read_pending
from unlatch.lifecycle.lists.listing import each_listed
from unlatch.lifecycle.units.adoption import Adoption, find_adoption
from unlatch.project.git.revisions import committed_files, is_committed
from unlatch.project.git.run import run_git
from unlatch.values import dataclass
from unlatch.worklog.json_text import json_object
from unlatch.worklog.record import BadRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.config.config import CoreConfig
    from unlatch.project.workspace import Workspace
    from unlatch.spi.operation import Operation


@dataclass(frozen=True, slots=True)
class PendingOperation:
    increment: Increment
    operation: Operation

    @property
    def cause(self) -> str | None:
        """The id of the error of the last attempt, if one is known."""
        attempt = self.operation.attempt
        return self.operation.cause or (attempt.cause if attempt else None)


@dataclass(frozen=True, slots=True)
class StaleIncrement:
    """An increment without activity for longer than its status allows."""

    increment: Increment
    days: int


@dataclass(frozen=True, slots=True)
class Overview:
    """Increments and operations that need attention.

    Args:
        stale: active or paused for too long, the longest first.
        not_recorded: operations that are delivered, but pending in git's last commit.
        reopened_often: the most reopened first.
        mistakes: mistakes in the core's own configuration; its valid settings count.
        adoptions: statuses that other tools' files show, which the next sync records.
    """

    limits: Limits
    wip: Wip
    paused: list[Increment]
    stale: list[StaleIncrement]
    pending: list[PendingOperation]
    not_recorded: list[PendingOperation]
    reopened_often: list[Increment]
    broken: Sequence[BrokenIncrement]
    mistakes: tuple[str, ...] = ()
    adoptions: tuple[Adoption, ...] = ()


def overview(workspace: Workspace) -> Overview:
    """List the increments and operations that need attention.

    Raises:
        StoreError: the increments cannot be listed.
    """
    config, mistakes = _config(workspace)
    folders = [*workspace.manager.collection.folders()]
    sound: list[Increment] = []
    broken: list[BrokenIncrement] = []
    for increment in each_listed(workspace, folders, complete=True):
        if isinstance(increment, BrokenIncrement):
            broken.append(increment)
        else:
            sound.append(increment)
    limits, now = config.limits.rules, workspace.clock()
    often = [
        increment for increment in sound if increment.has_frequent_reopens(config.frequent_reopens)
    ]
    stale = [
        StaleIncrement(increment, days_idle(increment, now) or 0)
        for increment in sound
        if is_stale(increment, limits, now)
    ]
    return Overview(
        limits,
        wip(sound, limits),
        paused=[
            increment
            for increment in sound
            if increment.status is Status.PAUSED and not increment.archived
        ],
        stale=sorted(stale, key=lambda idle: -idle.days),
        pending=[
            PendingOperation(increment, operation)
            for increment in sound
            for operation in increment.pending
        ],
        not_recorded=not_recorded(workspace, sound),
        reopened_often=sorted(often, key=lambda increment: -increment.effective_reopens),
        broken=broken,
        mistakes=mistakes,
        adoptions=tuple(filter(None, map(find_adoption, sound))),
    )


def _config(workspace: Workspace) -> tuple[CoreConfig, tuple[str, ...]]:
    """The core's configuration and its mistakes, which must not hide everything else."""
    try:
        raw = workspace.raw_config
    except ConfigError as error:
        from unlatch.config.config import CoreConfig  # noqa: PLC0415  (slow to load)

        return CoreConfig(), error.problems
    return raw.core, raw.problems


def not_recorded(workspace: Workspace, increments: Sequence[Increment]) -> list[PendingOperation]:
    """Operations that are delivered, but still pending in git's last commit.

    If the result is not committed (a CI job without the right to push), the next clone finds them
    pending, reads the items, and sends nothing.
    """
    # Without a link there is no operation, so git is not needed.
    if not any(increment.links for increment in increments):
        return []
    paths = workspace.paths
    files = committed_files(paths.root, "HEAD", paths.increments) or {}
    operations = []
    for increment in (increment for increment in increments if files and increment.links):
        path = increment.folder / METADATA
        blob = files.get(path.relative_to(paths.root).as_posix())
        if blob and not is_committed(path, blob):
            left = {operation.key for operation in increment.pending}
            operations += [
                PendingOperation(increment, operation)
                for operation in _pending_in(run_git(paths.root, "cat-file", "blob", blob))
                if operation.key not in left
            ]
    return operations


def _pending_in(content: bytes | None) -> tuple[Operation, ...]:
    try:
        return read_pending(json_object(content or b""))
    except BadRecord:
        return ()
