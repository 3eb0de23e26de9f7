"""Sync, and publish the changed increments with git, as a package for CI systems does it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from unlatch.errors import UnlatchError
from unlatch.sync.sync import Sync, SyncListener, SyncOptions, SyncResult
from unlatch.values import dataclass

if TYPE_CHECKING:
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace

# A run that takes longer than this is stuck.
RUN_PATIENCE = 600.0


class Way(StrEnum):
    """The way of publishing."""

    NONE = "none"
    PUSH = "push"
    PR = "pr"


@dataclass(frozen=True, slots=True)
class Published:
    """A commit that was pushed.

    Args:
        increments: the increments that had changed.
        proposal: the page for opening a pull request, if a person has to open one.
        skipped_hooks: the hooks of the checkout that did not run, because nobody trusts it.
        brought: the increments for which merged commits brought pending operations.
    """

    commit: str
    branch: str
    increments: tuple[str, ...]
    remote: str
    proposal: str | None = None
    skipped_hooks: tuple[str, ...] = ()
    brought: tuple[str, ...] = ()


# A commit; None if nothing had changed; or the reason why publishing failed.
PublishResult = Published | UnlatchError | None
# Commits and pushes what changed, for a target that was found before; None if nothing has changed.
Publish = Callable[[], Published | None]


class PublishListener(SyncListener, Protocol):
    def published(self, result: PublishResult) -> None:
        """Publishing ended; the sync itself may still fail with an error."""


def sync_and_publish(
    workspace: Workspace,
    trackers: Trackers,
    options: SyncOptions,
    find_target: Callable[[], Publish] | None,
    *,
    by: Callable[[], str],
    listener: PublishListener,
    in_job: bool,
    first: Callable[[SyncOptions], SyncOptions] = lambda options: options,
) -> tuple[SyncResult, PublishResult]:
    """Sync, and publish the changes, also those of a sync that fails halfway.

    Publishing runs and CI jobs run one at a time in a checkout; a person at a terminal does not
    wait for a long sync.

    Args:
        by: returns the user's name; called only if something is written.
        find_target: checks that publishing can succeed, before anything is changed; None publishes
            nothing.
        in_job: whether this is a job of a CI system.
        first: called before the first delivery, for the options from then on; its changes are
            published as well.

    Raises:
        UnlatchError: publishing cannot succeed, and nothing was changed; or the sync failed.
    """
    is_alone = find_target is not None or in_job
    with _lock(workspace) if is_alone else nullcontext():
        publish = find_target() if find_target else None
        try:
            result = Sync(workspace, trackers, options, by, listener, first).run()
        except UnlatchError:
            # Deliveries until then are recorded, and are published.
            _publish(publish, listener)
            raise
        return result, _publish(publish, listener)


def _lock(workspace: Workspace) -> AbstractContextManager[object]:
    from unlatch.increments.files.locks import SYNC, delivery_lock  # noqa: PLC0415  (slow to load)

    return delivery_lock(workspace.paths, SYNC, patience=RUN_PATIENCE)


def _publish(publish: Publish | None, listener: PublishListener) -> PublishResult:
    if publish is None:
        return None
    result: PublishResult
    try:
        result = publish()
    except UnlatchError as error:
        result = error
    listener.published(result)
    return result
