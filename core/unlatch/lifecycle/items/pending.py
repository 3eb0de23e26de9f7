"""The records of items, in a project and of this user outside of one; their pending operations."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.delivery.duplicates import Duplicates, check_recent, was_delivered_lately
from unlatch.errors import StoreError, UnlatchError
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.lifecycle.deliver import DeliveryResult, deliver_all, read_back
from unlatch.lifecycle.items.places import ItemGroup, group_in_project, group_outside, user_items
from unlatch.project.workspace import Workspace, utc_now
from unlatch.worklog.disk.user_files import is_closed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from unlatch.delivery.preview import Previewed
    from unlatch.delivery.task import Delivery
    from unlatch.project.trackers import Trackers
    from unlatch.spi.operation import DeliveryOptions

GroupRecords = tuple[ItemGroup, "Sequence[Increment]"]
_MISSING = "metadata-missing"


def items_of_project(workspace: Workspace) -> Workspace:
    """The workspace of the items alone in a project."""
    return group_in_project(workspace, ()).workspace


def items_of_user(*, environ: Mapping[str, str], user_config: Path) -> Workspace | None:
    """That of this user's items outside of projects; None if there are none."""
    mine = user_workspace(environ=environ, user_config=user_config)
    return None if is_closed(mine.paths.root) else mine


def user_workspace(*, environ: Mapping[str, str], user_config: Path) -> Workspace:
    """The same, also where there are none yet."""
    return Workspace(user_items(), environ, user_config)


def records_in_project(
    workspace: Workspace, wanted: Callable[[Increment], bool] | None = None
) -> tuple[GroupRecords, Sequence[BrokenIncrement]]:
    """The records of a project that are wanted, all by default, and the unreadable ones."""
    group = group_in_project(workspace, ())
    records, broken = _read(group.workspace, wanted)
    return (group, records), broken


def records_outside(
    wanted: Callable[[Increment], bool] | None = None,
    *,
    environ: Mapping[str, str],
    user_config: Path,
) -> tuple[list[GroupRecords], Sequence[BrokenIncrement]]:
    """This user's records that are wanted, all by default, by the settings that serve them.

    Raises:
        StoreError: their folder cannot be listed.
    """
    mine = items_of_user(environ=environ, user_config=user_config)
    if mine is None:
        return [], ()
    records, unread = _read(mine, wanted)
    # An item has a second record where an earlier version made it.
    broken, of = list(unread), dict[str, "list[Increment]"]()
    for record in records:
        try:
            group_outside([record.links[0].key], environ=environ, user_config=user_config)
            of.setdefault(record.links[0].key, []).append(record)
        except UnlatchError as error:  # its plugin is not installed any more
            lost = BrokenIncrement(
                record.id, record.folder, error.id, error.message, hint=error.hint
            )
            broken.append(lost)
    groups = group_outside(of, environ=environ, user_config=user_config)
    return [
        (group, [record for word in group.words for record in of[word]]) for group in groups
    ], broken


def is_waiting(*, recent: bool) -> Callable[[Increment], bool]:
    """Chooses the records with pending operations.

    Args:
        recent: also those with deliveries of the last hour.
    """
    now = utc_now()
    return lambda record: bool(record.pending) or (recent and was_delivered_lately(record, now))


def _read(
    workspace: Workspace, wanted: Callable[[Increment], bool] | None
) -> tuple[Sequence[Increment], Sequence[BrokenIncrement]]:
    records, broken = workspace.manager.read_all()
    chosen = [record for record in records if wanted is None or wanted(record)]
    unread = [record for record in broken if not _is_unmade(record)]
    unread += [_without_link(record) for record in chosen if not record.links]
    return [record for record in chosen if record.links], unread


def _is_unmade(record: BrokenIncrement) -> bool:
    """Whether its first write had not ended, so that nothing was recorded and nothing sent."""
    if record.error_id != _MISSING:
        return False
    from unlatch.increments.records.events import Linked  # noqa: PLC0415  (slow to load)
    from unlatch.increments.records.status_events import LOG  # noqa: PLC0415

    with suppress(StoreError):
        return all(isinstance(event, Linked) for event in LOG.read(record.folder))
    return False


def _without_link(record: Increment) -> BrokenIncrement:
    message = "metadata.json has no link to its item"
    hint = "correct it by hand"
    return BrokenIncrement(record.id, record.folder, "metadata-invalid", message, hint=hint)


def deliver_items(
    workspace: Workspace,
    trackers: Trackers,
    records: Iterable[Increment],
    report: Callable[[str, Delivery], None],
    *,
    options: DeliveryOptions,
    named: bool = False,
) -> list[DeliveryResult]:
    """Deliver pending operations on items; blocked ones only if `named`, or with an option.

    Raises:
        UnlatchError: a record cannot be read; the others have been served.
    """
    from unlatch.delivery.run import DeliveryRun  # noqa: PLC0415  (slow to load)

    workspace.manager.take_over()
    names = dict.fromkeys(workspace.manager.find(record.id).name for record in records)
    records = [workspace.manager.read(name) for name in names]
    run = DeliveryRun(workspace, trackers, options, named=named)
    deliveries = deliver_all(run, records, report)
    return [read_back(workspace, record, deliveries[record.id]) for record in records]


def find_duplicates(
    workspace: Workspace,
    trackers: Trackers,
    records: Iterable[Increment],
    done: Iterable[DeliveryResult] = (),
    *,
    delete: bool,
) -> tuple[Duplicates, ...]:
    """Look for comments of the last hour that were posted twice.

    Args:
        done: what this command has delivered, which is not looked at again.
        delete: whether to delete them, or only to count.
    """
    apart = {delivery.operation.op for result in done for delivery in result.deliveries}
    return check_recent(trackers, records, now=workspace.clock(), apart=apart, delete=delete)


def preview_deliveries(
    workspace: Workspace,
    trackers: Trackers,
    records: Iterable[Increment],
    *,
    options: DeliveryOptions,
) -> list[Previewed]:
    """Preview the requests of the same deliveries; nothing is written."""
    from unlatch.delivery.preview import preview_operations  # noqa: PLC0415  (slow to load)
    from unlatch.delivery.run import DeliveryRun  # noqa: PLC0415
    from unlatch.increments.files.changes.plans import Plan  # noqa: PLC0415

    run = DeliveryRun(workspace, trackers, options)
    previews = preview_operations(run, [Plan(record, record) for record in records])
    return [preview for items in previews for preview in items]
