"""unlatch sync: deliver the pending operations on items."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from unlatch.cli.commands.items.render import item_command, left_code, result_entry
from unlatch.cli.render.deliveries import show_deliveries
from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import item_entry, pending_of
from unlatch.cli.render.notes import tell_left_out
from unlatch.cli.runtime import output
from unlatch.lifecycle.deliver import find_excess
from unlatch.lifecycle.fetch_items import ItemSnapshot
from unlatch.lifecycle.items.pending import deliver_items, pending_in_project, pending_outside
from unlatch.spi.operation import AS_CONFIGURED, DeliveryOptions, Kind
from unlatch.worklog.disk.user_files import user_config_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.session import Session
    from unlatch.increments.model.increment import BrokenIncrement, Increment
    from unlatch.lifecycle.deliver import DeliveryResult
    from unlatch.lifecycle.items.places import ItemGroup


@dataclass
class PendingItems:
    """The records with pending operations that a command finds, and the result of delivering."""

    found: Sequence[tuple[ItemGroup, Sequence[Increment]]]
    broken: Sequence[BrokenIncrement] = ()
    results: list[DeliveryResult] = field(default_factory=list)

    @property
    def records(self) -> list[Increment]:
        return [one for _, some in self.found for one in some]

    @property
    def skipped(self) -> list[Increment]:
        """The records of which every operation is blocked."""
        done = {one.increment.id for one in self.results}
        return [one for one in self.records if one.id not in done]

    @property
    def entries(self) -> list[output.Json]:
        return [result_entry(one) for one in self.results]


def find_pending(session: Session, *, in_project: bool = False) -> PendingItems:
    """The records of the project, if there is one, and this user's outside of projects.

    `in_project` leaves out the latter: they are no difference of the project.
    """
    if in_project:
        here, unread = pending_in_project(session.workspace)
        return PendingItems([here], unread)
    found, broken = pending_outside(environ=os.environ, user_config=user_config_file())
    if not session.has_project:
        return PendingItems(found, broken)
    here, unread = pending_in_project(session.workspace)
    return PendingItems([here, *found], [*unread, *broken])


def sync_items(
    session: Session,
    pending: PendingItems,
    options: DeliveryOptions,
    *,
    max_items: int | None,
    silent: bool,
) -> int:
    """Deliver them; returns the number of items served. UsageError: `too-many-items`."""
    retries = options != AS_CONFIGURED
    served = 0
    for group, records in pending.found:
        due = [one for one in records if retries or not all(op.is_blocked for op in one.pending)]
        if not due:
            continue
        command = "unlatch status"
        if excess := find_excess(
            group.workspace, len(due), max_items, command=command, written=served
        ):
            raise excess
        own = session.over(group.workspace)
        operations = sum(len(one.pending) for one in due)
        with (
            own.trackers() as trackers,
            show_deliveries(own, operations, silent=silent) as report,
        ):
            pending.results += deliver_items(
                group.workspace, trackers, due, report, options=options
            )
        served += len(due)
    return served


def tell_pending(pending: PendingItems, *, silent: bool) -> int:
    """Name what is left; returns the exit code."""
    left = [one.increment for one in pending.results if one.left]
    if not silent:
        for one in [*left, *pending.skipped]:
            output.talk(pending_line(one))
    code = tell_left_out(pending.broken)
    return max([code, 3 if pending.skipped else 0, *map(left_code, pending.results)])


def pending_line(record: Increment) -> str:
    """The count of an item's pending operations, and the command that delivers them."""
    operations = record.pending
    is_blocked = all(one.is_blocked for one in operations)
    verb = "close" if operations[-1].kind is Kind.CLOSE else "reopen"
    count = times(len(operations), "operation") + (" blocked" if is_blocked else " pending")
    command = item_command(record, verb) if is_blocked else "unlatch sync"
    return f"{output.clean(record.title)}: {count}. Next: {command}"


def record_status(record: Increment) -> output.Json:
    """An item that was not read, with its pending operations."""
    seen = ItemSnapshot(record.links[0], record.title)
    return {**item_entry(seen), **record_facts(record)}


def record_facts(record: Increment | None) -> output.Json:
    return {
        "name": record.title if record else None,
        "record": record.id if record else None,
        "reopens": record.effective_reopens if record else 0,
        "pending": pending_of(record) if record else [],
    }
