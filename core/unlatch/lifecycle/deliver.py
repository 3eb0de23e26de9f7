"""Deliver pending operations, with consent: the last step of every use case that writes to items.

What their author wrote is posted in this user's name. Neither an increment's name nor an author in
a file is a consent to that, so only the notes in the user's state folder count.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from unlatch.delivery.preview import Preview, Previewed
    from unlatch.delivery.run import DeliveryRun, SharedItems
    from unlatch.delivery.task import Delivery
    from unlatch.increments.files.changes.plans import Plan
    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch.spi import Snapshot
    from unlatch.spi.operation import DeliveryOptions, OperationKey


def find_unfamiliar(workspace: Workspace, increments: Iterable[Increment]) -> Iterator[Increment]:
    """The increments with such operations, which are then the only pending ones."""
    waiting = [increment for increment in increments if increment.pending]
    if not waiting or workspace.is_of_user:
        return
    from unlatch.increments.files.checkout_notes import (  # noqa: PLC0415  (slow to load)
        contents_of,
        familiar_contents,
    )

    familiar = familiar_contents(workspace.paths.root)
    for increment in waiting:
        contents = contents_of(increment.data)
        if left := tuple(op for op in increment.pending if contents[op.key] not in familiar):
            yield replace(increment, pending=left)


def preview_unfamiliar(
    workspace: Workspace, trackers: Trackers, increment: Increment
) -> Sequence[Previewed]:
    """What the operations of `find_unfamiliar` do and say; no request is sent."""
    from unlatch.delivery.preview import preview_operations  # noqa: PLC0415  (slow to load)
    from unlatch.delivery.run import DeliveryRun  # noqa: PLC0415
    from unlatch.increments.files.changes.plans import Plan  # noqa: PLC0415

    run = DeliveryRun(workspace, trackers, named=True)
    (items,) = preview_operations(run, [Plan(increment, increment)], offline=True)
    return items


def agree(workspace: Workspace, increment: Increment) -> None:
    """Note that this user agrees to the operations of `find_unfamiliar`."""
    from unlatch.increments.files.checkout_notes import note_agreed  # noqa: PLC0415  (slow to load)

    note_agreed(
        workspace.paths.root, increment.data, [operation.key for operation in increment.pending]
    )


def shared_items(workspace: Workspace) -> SharedItems:
    """The increments that share items, as `deliver_pending` takes them."""
    from unlatch.delivery.run import SharedItems  # noqa: PLC0415  (slow to load)

    return SharedItems.of(workspace)


@dataclass(frozen=True, slots=True)
class DeliveryResult:
    """The result of delivering one increment's operations.

    Args:
        left: the number of operations still pending.
        on_purpose: whether they were left on purpose (`--offline`).
    """

    increment: Increment
    deliveries: tuple[Delivery, ...]
    left: int
    on_purpose: bool = False


def deliver_all(
    run: DeliveryRun, increments: Iterable[Increment], report: Callable[[str, Delivery], None]
) -> dict[str, list[Delivery]]:
    """Deliver the pending operations of increments; the deliveries by the increment's id.

    Args:
        report: called with the increment's id for each delivery as it ends, one at a time.

    Raises:
        UnlatchError: an increment cannot be read; the others have been served.
    """
    from unlatch.delivery.dispatch import deliver  # noqa: PLC0415  (slow to load)

    increments = [*increments]
    by_increment: dict[str, list[Delivery]] = {increment.id: [] for increment in increments}

    def record(name: str, delivery: Delivery) -> None:
        by_increment[name].append(delivery)
        report(name, delivery)

    deliver(run, increments, record)
    return by_increment


def read_back(
    workspace: Workspace, increment: Increment, deliveries: Sequence[Delivery]
) -> DeliveryResult:
    """Read an increment after a delivery, and count its remaining operations.

    Args:
        increment: as it was before: what another process recorded since, that one delivers.
    """
    try:
        now = workspace.manager.read(increment.id)
    except StoreError:
        # Each delivery was reported; other operations stay pending in the unreadable files.
        return DeliveryResult(
            increment, tuple(deliveries), sum(delivery.error is not None for delivery in deliveries)
        )
    own = {operation.op for operation in increment.pending}
    return DeliveryResult(
        now, tuple(deliveries), sum(operation.op in own for operation in now.pending)
    )


def postpone(increment: Increment) -> DeliveryResult:
    """The result for an increment whose pending operations are left on purpose."""
    from unlatch.delivery.task import Delivery  # noqa: PLC0415  (slow to load)

    waiting = tuple(Delivery(operation, operation.item) for operation in increment.pending)
    return DeliveryResult(increment, waiting, len(waiting), on_purpose=True)


def deliver_pending(
    workspace: Workspace,
    trackers: Trackers,
    increments: Sequence[Increment],
    report: Callable[[str, Delivery], None],
    *,
    options: DeliveryOptions,
    fresh: frozenset[str],
    shared: SharedItems | None = None,
    tracker: str | None = None,
    seen: Mapping[OperationKey, Snapshot] | None = None,
) -> list[DeliveryResult]:
    """Deliver the pending operations of named increments, blocked ones included.

    Args:
        report, fresh, tracker: as for `deliver_all` and `DeliveryRun`.
        shared: the increments that share items with these, if already read.
        seen: the items of new operations, as just read.

    Raises:
        UnlatchError: an increment cannot be read, or another process is delivering it.
    """
    from unlatch.delivery.run import DeliveryRun  # noqa: PLC0415  (slow to load)

    shared = shared or shared_items(workspace)
    run = DeliveryRun(
        workspace, trackers, options, fresh, named=True, tracker=tracker, shared=shared
    )
    for operation in (operation for increment in increments for operation in increment.pending):
        if seen and (snapshot := seen.get(operation.key)):
            run.ahead.keep(operation, snapshot, run.clock())
    deliveries = deliver_all(run, increments, report)
    return [read_back(workspace, increment, deliveries[increment.id]) for increment in increments]


def preview_plans(
    workspace: Workspace,
    trackers: Trackers,
    plans: Sequence[Plan],
    *,
    options: DeliveryOptions,
    offline: bool = False,
    tracker: str | None = None,
    shared: SharedItems | None = None,
) -> list[Preview]:
    """Preview the requests of changes; nothing is written."""
    from unlatch.delivery.preview import Preview, preview_operations  # noqa: PLC0415  (slow to load)
    from unlatch.delivery.run import DeliveryRun  # noqa: PLC0415

    shared = shared or shared_items(workspace)
    run = DeliveryRun(
        workspace, trackers, options=options, named=True, tracker=tracker, shared=shared
    )
    items = preview_operations(run, plans, offline=offline)
    return [Preview(*plan) for plan in zip(plans, items, strict=True)]


def find_excess(
    workspace: Workspace, items: int, max_items: int | None, *, command: str, written: int = 0
) -> UsageError | None:
    """Return `too-many-items` if these are more than the user or the configuration allows.

    Args:
        command: the command that lists the items to be written to.
        written: the number of other items already written to in this run.
    """
    allowed = max_items or workspace.config.sync.max_items
    if items + written <= allowed:
        return None
    done = f", {written} of them are done" if written else ""
    # A list on stdin can name thousands of items.
    check = command if len(command) <= 400 else "the same command with --dry-run"  # noqa: PLR2004
    return UsageError(
        "too-many-items",
        f"{items + written} items would be written to{done}; the limit is {allowed}",
        hint=f"check {check}, then repeat with --max-items {items}",
    )
