"""The pending operations on items: find, preview and deliver them."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING

from unlatch.cli.commands.items.render import left_code, pending_line, result_entry, tell_broken
from unlatch.cli.render.deliveries import show_deliveries
from unlatch.cli.render.describe import times
from unlatch.cli.runtime.failure import error_lines
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError
from unlatch.lifecycle.deliver import DeliveryResult, find_excess
from unlatch.lifecycle.items.pending import (
    deliver_items,
    find_duplicates,
    is_waiting,
    items_of_project,
    items_of_user,
    records_in_project,
    records_outside,
)
from unlatch.lifecycle.items.refused_labels import ask_for_items, refusals_of_items
from unlatch.values import dataclass
from unlatch.worklog.disk.user_files import user_config_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.delivery.duplicates import Duplicates
    from unlatch.delivery.planning import RefusedLabels
    from unlatch.increments.model.increment import BrokenIncrement, Increment
    from unlatch.lifecycle.items.places import ItemGroup
    from unlatch.project.workspace import Workspace
    from unlatch.sync.sync import SyncOptions


@dataclass
class PendingItems:
    """The records with pending operations in one place, and the result of delivering.

    Args:
        found: also the records with deliveries of the last hour, for a sync.
        duplicates: comments of the last hour that were posted twice.
        error: why not all were found or delivered, if the command goes on without them.
    """

    found: Sequence[tuple[ItemGroup, Sequence[Increment]]] = ()
    broken: Sequence[BrokenIncrement] = ()
    results: list[DeliveryResult] = field(default_factory=list)
    duplicates: list[Duplicates] = field(default_factory=list)
    error: UnlatchError | None = None

    @property
    def records(self) -> list[Increment]:
        return [record for _, records in self.found for record in records if record.pending]

    @property
    def skipped(self) -> list[Increment]:
        """The records that were not tried: every operation is blocked."""
        # By the item: a record that is joined to another one gets its name.
        done = {result.increment.links[0].key for result in self.results}
        return [record for record in self.records if record.links[0].key not in done]

    @property
    def left(self) -> list[Increment]:
        return [*(result.increment for result in self.results if result.left), *self.skipped]

    @property
    def is_done(self) -> bool:
        return not (self.left or self.broken or self.error)

    @property
    def entries(self) -> list[output.Json]:
        return [result_entry(result) for result in self.results]


def find_pending(
    context: Context, *, in_project: bool = False, recent: bool = False
) -> tuple[PendingItems, PendingItems]:
    """The records that the command answers for, and this user's beside those of a project.

    `in_project` leaves out the latter; `recent` adds those with deliveries of the last hour.
    """
    if not context.has_project:
        return _of_user(recent=recent), PendingItems()
    here, broken = records_in_project(context.workspace, is_waiting(recent=recent))
    elsewhere = PendingItems()
    if not in_project:
        try:
            elsewhere = _of_user(recent=recent)
        except UnlatchError as error:
            context.trace(error)
            elsewhere.error = error
    return PendingItems([here], broken), elsewhere


def _of_user(*, recent: bool) -> PendingItems:
    wanted, config = is_waiting(recent=recent), user_config_file()
    waiting, broken = records_outside(wanted, environ=os.environ, user_config=config)
    return PendingItems(waiting, broken)


def find_refused(
    context: Context, *, in_project: bool = False
) -> list[tuple[Increment, RefusedLabels]]:
    """The labels that trackers refused on items alone, each with the item's record."""
    refused: list[tuple[Increment, RefusedLabels]] = []
    for workspace in _workspaces(context, in_project=in_project):
        with _going_on(context):
            refused += refusals_of_items(workspace)
    return refused


def retry_refused(context: Context, *, by: str) -> None:
    """Enqueue operations that ask again for them."""
    for workspace in _workspaces(context):
        with _going_on(context):
            ask_for_items(workspace, by=by)


def _workspaces(context: Context, *, in_project: bool = False) -> Iterator[Workspace]:
    if context.has_project:
        yield items_of_project(context.workspace)
    if not (context.has_project and in_project):
        mine = items_of_user(environ=os.environ, user_config=user_config_file())
        yield from [mine] if mine else []


@contextmanager
def _going_on(context: Context) -> Iterator[None]:
    """Go on without records that cannot be read or written; `find_pending` reports them."""
    try:
        yield
    except UnlatchError as error:
        context.trace(error)


def sync_items(
    context: Context, pending: PendingItems, options: SyncOptions, *, silent: bool
) -> int:
    """Deliver them, and delete comments of the last hour that were posted twice.

    Returns:
        The number of items served.

    Raises:
        UsageError: `too-many-items`.
    """
    retries, max_items = options.retries_blocked, options.max_items
    served = 0
    for group, records in pending.found:
        due = [record for record in records if _is_due(record, retries=retries)]
        command = "unlatch sync --dry-run"
        if excess := find_excess(
            group.workspace, len(due), max_items, command=command, written=served
        ):
            raise excess
        own, results = context.over(group.workspace), list[DeliveryResult]()
        with own.trackers() as trackers:
            if due:
                operations = sum(len(record.pending) for record in due)
                with show_deliveries(own, operations, silent=silent) as report:
                    deliver = partial(deliver_items, options=options.delivery, named=retries)
                    results = deliver(group.workspace, trackers, due, report)
            pending.results += results
            pending.duplicates += find_duplicates(
                group.workspace, trackers, records, results, delete=True
            )
        served += len(due)
    return served


def _is_due(record: Increment, *, retries: bool) -> bool:
    return any(retries or not operation.is_blocked for operation in record.pending)


def count_duplicates(context: Context, *places: PendingItems) -> list[Duplicates]:
    """The comments of the last hour that were posted twice; none is deleted."""
    duplicates: list[Duplicates] = []
    for group, records in (group for pending in places for group in pending.found):
        with context.over(group.workspace).trackers() as trackers:
            duplicates += find_duplicates(group.workspace, trackers, records, delete=False)
    return duplicates


def sync_elsewhere(
    context: Context, pending: PendingItems, options: SyncOptions, *, silent: bool
) -> None:
    """Deliver this user's operations beside those of a project, which does not fail for them."""
    try:
        sync_items(context, pending, options, silent=silent)
    except UnlatchError as error:
        context.trace(error)
        pending.error = error


def tell_pending(pending: PendingItems, *, silent: bool) -> int:
    """Name what is left; returns the exit code."""
    if not silent:
        output.talk(*map(pending_line, pending.left))
    return max([3 if pending.skipped else 0, *map(left_code, pending.results)])


def tell_none_pending(context: Context) -> None:
    """Say that nothing is pending outside of a project, and that no increments were looked at."""
    output.talk("Nothing is pending.")
    try:
        _ = context.paths
    except UnlatchError as error:
        output.note(f"{output.clean(error.message)}; only items were checked")


def tell_elsewhere(pending: PendingItems) -> None:
    """Say in one line that operations outside of the project are left."""
    left, broken = len(pending.left), len(pending.broken)
    parts = [f"{times(left, 'item')} with pending operations"] if left else []
    parts += [f"{times(broken, 'record')} that cannot be read"] if broken else []
    if not parts and pending.error is not None:
        parts = [f"{output.clean(pending.error.message)} [{pending.error.id}]"]
    if parts:
        output.note(f"outside of this project: {', '.join(parts)}. Next: unlatch status")


def show_pending(here: PendingItems, elsewhere: PendingItems) -> None:
    """Show the records with pending operations, and the next step for each."""
    for heading, where, pending in (
        ("Items", "", here),
        ("Outside", ", outside of this project", elsewhere),
    ):
        if records := pending.records:
            count = times(len(records), "item")
            output.data(f"{heading:<13}{count} with pending operations{where}")
            lines = (pending_line(record, elsewhere=pending is elsewhere) for record in records)
            output.data(*(f"  {line}" for line in lines))
        tell_broken(pending.broken)
        if pending.error is not None:
            output.talk(*error_lines(pending.error))
