"""Sync, and publish the changed increments with git."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from unlatch.errors import UnlatchError
from unlatch.increments.files.locks import SYNC, delivery_lock
from unlatch.publish.ci import detect
from unlatch.publish.publish import Published, publish
from unlatch.publish.target import PublishTarget, Way, find_target
from unlatch.sync.sync import SyncListener, SyncOptions, SyncResult, sync

if TYPE_CHECKING:
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace

# A run that takes longer than this is stuck.
RUN_PATIENCE = 600.0


@dataclass(frozen=True, slots=True)
class PublishResult:
    """The result of publishing.

    Args:
        published: the commit; None if nothing had changed, or publishing failed.
        error: why it failed.
    """

    published: Published | None = None
    error: UnlatchError | None = None


class PublishListener(SyncListener, Protocol):
    """Receives the progress of a sync that publishes."""

    def published(self, result: PublishResult) -> None:
        """Publishing ended, perhaps before the sync itself fails with an error."""


def sync_and_publish(
    workspace: Workspace,
    trackers: Trackers,
    options: SyncOptions,
    way: Way,
    *,
    by: str,
    listener: PublishListener,
) -> tuple[SyncResult, PublishResult]:
    """Sync, and publish the changes, also those of a sync that fails halfway.

    In a CI job, and if it publishes, one such run at a time works in the checkout; a person at a
    terminal need not wait for a long sync.

    Raises:
        UnlatchError: publishing cannot succeed, and nothing was changed; or the sync failed.
    """
    is_alone = way is not Way.NONE or detect(workspace.environ) is not None
    lock = delivery_lock(workspace.layout, SYNC, patience=RUN_PATIENCE)
    with lock if is_alone else nullcontext():
        target = find_target(workspace, way, by=by) if way is not Way.NONE else None
        try:
            result = sync(workspace, trackers, options, by=by, listener=listener)
        except UnlatchError:
            # Deliveries until then are recorded, and are published.
            _publish(target, listener)
            raise
        return result, _publish(target, listener)


def _publish(target: PublishTarget | None, listener: PublishListener) -> PublishResult:
    if target is None:
        return PublishResult()
    try:
        result = PublishResult(publish(target))
    except UnlatchError as error:
        result = PublishResult(error=error)
    listener.published(result)
    return result
