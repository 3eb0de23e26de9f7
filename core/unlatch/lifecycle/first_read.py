"""Begin to read an item before the reopen of its increment is recorded.

The tracker answers while the rest of the command is loaded and the intent is recorded.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.delivery.planning import expected_change
from unlatch.delivery.run import DeliveryRun
from unlatch.delivery.states import Evidence
from unlatch.delivery.task import DeliveryTask
from unlatch.errors import UnlatchError
from unlatch.increments.model.status import Status
from unlatch.spi import Capability
from unlatch.spi.operation import DeliveryOptions, Kind, Operation

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment, Link
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace


def begin_first_read(
    workspace: Workspace, trackers: Trackers, wanted: str, options: DeliveryOptions
) -> None:
    """Begin to read an item of a completed increment, if it is about to be reopened.

    Returns when the request leaves. Whatever prevents the read is reported by the resume itself.
    """
    with suppress(UnlatchError):
        increment = workspace.manager.read(wanted).as_recorded
        link = _first_link(trackers, increment)
        if link is None or increment.status is not Status.COMPLETED or increment.pending:
            return
        now = workspace.clock()
        operation = Operation(workspace.new_id(), Kind.REOPEN, link.tracker, link.key, now)
        run = DeliveryRun(workspace, trackers, options)
        evidence = Evidence(now)
        task = DeliveryTask(run, increment, operation, evidence, False, options, link.key)
        trackers.begin_read(task.locate(), expected_change(task))


def _first_link(trackers: Trackers, increment: Increment) -> Link | None:
    """The link to read first: others of its tracker might be read or written with it."""
    manifests = trackers.registry.manifests
    count = Counter(link.tracker for link in increment.links)
    for link in increment.links:
        manifest = manifests.get(link.tracker)
        if manifest and count[link.tracker] == 1 and Capability.BATCH not in manifest.capabilities:
            return link
    return None
