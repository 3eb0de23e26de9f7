"""The pending operations on items, in a project and of this user outside of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.delivery.duplicates import check_recent, was_delivered_lately
from unlatch.delivery.preview import preview_operations
from unlatch.delivery.run import DeliveryRun
from unlatch.errors import UnlatchError
from unlatch.increments.files.changes.plans import Plan
from unlatch.increments.model.increment import BrokenIncrement
from unlatch.lifecycle.deliver import DeliveryResult, deliver_all, read_back
from unlatch.lifecycle.items.places import ItemGroup, group_in_project, group_outside, user_items
from unlatch.project.workspace import Workspace
from unlatch.worklog.disk.user_files import is_closed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from unlatch.delivery.duplicates import Duplicates
    from unlatch.delivery.preview import Previewed
    from unlatch.delivery.task import Delivery
    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers
    from unlatch.spi.operation import DeliveryOptions

PendingItems = tuple[ItemGroup, "Sequence[Increment]"]
# Its first write had not ended, so no operation was recorded and nothing was sent.
_UNMADE = "metadata-missing"


def items_of_project(workspace: Workspace) -> Workspace:
    """The workspace of the items alone in a project."""
    return group_in_project(workspace, ()).workspace


def items_of_user(*, environ: Mapping[str, str], user_config: Path) -> Workspace | None:
    """That of this user's items outside of projects; None if there are none."""
    mine = user_items()
    return None if is_closed(mine.root) else Workspace(mine, environ, user_config)


def pending_in_project(
    workspace: Workspace, *, recent: bool = False
) -> tuple[PendingItems, Sequence[BrokenIncrement]]:
    """The records of a project with pending operations, and the unreadable ones.

    Args:
        recent: also those with deliveries of the last hour.
    """
    group = group_in_project(workspace, ())
    waiting, broken = _waiting(group.workspace, recent=recent)
    return (group, waiting), broken


def pending_outside(
    *, environ: Mapping[str, str], user_config: Path, recent: bool = False
) -> tuple[list[PendingItems], Sequence[BrokenIncrement]]:
    """This user's records with pending operations, by the settings that serve them.

    Args:
        recent: as for `pending_in_project`.

    Raises:
        StoreError: their folder cannot be listed.
    """
    if is_closed((mine := user_items()).root):
        return [], ()
    records, unread = _waiting(Workspace(mine, environ, user_config), recent=recent)
    # An item has a second record where an earlier version made it.
    broken, of = list(unread), dict[str, "list[Increment]"]()
    for one in records:
        try:
            group_outside([one.links[0].key], environ=environ, user_config=user_config)
            of.setdefault(one.links[0].key, []).append(one)
        except UnlatchError as error:  # its plugin is not installed any more
            lost = BrokenIncrement(one.id, one.folder, error.id, error.message, hint=error.hint)
            broken.append(lost)
    groups = group_outside(of, environ=environ, user_config=user_config)
    return [(group, [one for word in group.words for one in of[word]]) for group in groups], broken


def _waiting(
    workspace: Workspace, *, recent: bool
) -> tuple[Sequence[Increment], Sequence[BrokenIncrement]]:
    records, broken = workspace.manager.read_all()
    found, now = [one for one in broken if one.error_id != _UNMADE], workspace.clock()
    waiting = [one for one in records if one.pending or (recent and was_delivered_lately(one, now))]
    found += [_without_link(one) for one in waiting if not one.links]
    return [one for one in waiting if one.links], found


def _without_link(record: Increment) -> BrokenIncrement:
    message = "metadata.json has pending operations, but no link to their item"
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
    workspace.manager.take_over()
    names = dict.fromkeys(workspace.manager.find(one.id).name for one in records)
    records = [workspace.manager.read(name) for name in names]
    run = DeliveryRun(workspace, trackers, options, named=named)
    made = deliver_all(run, records, report)
    return [read_back(workspace, one, made[one.id]) for one in records]


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
    apart = {one.operation.op for result in done for one in result.deliveries}
    return check_recent(trackers, records, now=workspace.clock(), apart=apart, delete=delete)


def preview_deliveries(
    workspace: Workspace,
    trackers: Trackers,
    records: Iterable[Increment],
    *,
    options: DeliveryOptions,
) -> list[Previewed]:
    """Preview the requests of the same deliveries; nothing is written."""
    run = DeliveryRun(workspace, trackers, options)
    some = preview_operations(run, [Plan(one, one) for one in records])
    return [one for items in some for one in items]
