"""The results of changes of items, as text and for --json."""

from __future__ import annotations

from shlex import join
from typing import TYPE_CHECKING

from unlatch.cli.render.delivery_documents import delivered_code, delivery_entry, pending_of
from unlatch.cli.render.describe import helpful_options, times, tracker_title
from unlatch.cli.render.documents import item_entry, link_entry
from unlatch.cli.render.refused import tell_known_refusals
from unlatch.cli.runtime.failure import UNDECIDED, in_job, problem_entry
from unlatch.cli.terminal import output
from unlatch.increments.model.reason import quoted_reason
from unlatch.lifecycle.fetch_items import ItemSnapshot
from unlatch.lifecycle.items.beside import OperationPending, pending_reason
from unlatch.lifecycle.items.outcome import outcome_of
from unlatch.spi.operation import Kind
from unlatch.worklog.disk.user_files import items_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.increment import BrokenIncrement, Increment
    from unlatch.lifecycle.change import Done
    from unlatch.lifecycle.deliver import DeliveryResult
    from unlatch.lifecycle.items.change import ItemPlan


def tell_unchanged(context: Context, plans: Sequence[ItemPlan], kind: Kind) -> None:
    """Show the items that are left alone, and why."""
    registry = context.workspace.registry
    for plan in plans:
        name = output.clean(f"{tracker_title(registry, plan.link.tracker)} {plan.subject.title}")
        if plan.error is not None:
            context.trace(plan.error)
            cause = f"{output.clean(plan.error.message)} {output.faint(f'[{plan.error.id}]')}"
            why = "left" if isinstance(plan.error, OperationPending) else "not checked"
            output.failed(f"{name} {why}: {cause}", plan.error.hint)
        elif plan.is_done:
            state = "open" if kind is Kind.REOPEN else "closed"
            output.ok(f"{name} is {state}; nothing changed, and no comment was posted")
            tell_known_refusals(context, plan.subject)


def left_code(result: DeliveryResult) -> int:
    return 0 if result.on_purpose else delivered_code(result.deliveries, result.left)


def tell_left(delivered: Sequence[DeliveryResult], verb: str) -> None:
    """Name the pending operations, the command that delivers them, and where they are."""
    left = [result for result in delivered if result.left]
    if not left:
        return
    count = times(sum(result.left for result in left), "operation")
    on_purpose = all(result.on_purpose for result in left)
    words = f"{count} recorded." if on_purpose else f"{count} recorded and not delivered."
    ends = in_job() and not on_purpose  # and its records with it
    step = "run this job again" if ends else "unlatch sync"
    if is_one_blocked := _is_one_blocked(left):
        step = item_command(left[0].increment, verb)  # with the option that helps
    output.talk(f"{output.warn(words)} Next: {step}")
    if is_one_blocked and not ends:
        output.talk(f"    To withdraw it: {join(['unlatch', 'unlink', _key(left[0].increment)])}")
    places = {result.increment.folder.parent for result in left}
    if items_folder() in places and not ends:
        which = "They are" if len(places) == 1 else "Those of no project are"
        output.talk(f"    {which} in {items_folder()}: only you on this machine can deliver them.")


def _is_one_blocked(left: Sequence[DeliveryResult]) -> bool:
    return len(left) == 1 and all(operation.is_blocked for operation in left[0].increment.pending)


def item_command(record: Increment, verb: str) -> str:
    """The command that tries the blocked operations of an item again."""
    command = join(["unlatch", verb, _key(record), *helpful_options(record.pending)])
    reason = pending_reason(record, Kind(verb))
    return command if reason is None else f"{command} --reason {quoted_reason(reason)}"


def _key(record: Increment) -> str:
    return output.clean(record.links[0].key)


def change_entries(plans: Sequence[ItemPlan], done: Sequence[Done]) -> list[output.Json]:
    changed = {change.change.subject.id: change for change in done}
    return [_entry(plan, changed.get(plan.subject.id)) for plan in plans]


def _entry(plan: ItemPlan, done: Done | None) -> output.Json:
    error = problem_entry(plan.error) if plan.error else None
    if done is not None:
        delivered = done.delivered
        deliveries = delivered.deliveries if delivered and not delivered.on_purpose else ()
        return {
            **_record_entry(done.increment),
            "done": False,
            "deliveries": [*map(delivery_entry, deliveries)],
            "left": delivered.left if delivered else 0,
            "error": error,
        }
    left = {"deliveries": [], "left": 0}
    return {**_record_entry(plan.subject), "done": plan.is_done, **left, "error": error}


def tell_broken(broken: Sequence[BrokenIncrement]) -> int:
    """Name the records that cannot be read, and why; returns the exit code."""
    for record in broken:
        why = f"{output.clean(record.reason)} [{record.error_id}]"
        output.note(f"{output.clean(str(record.folder))} cannot be read: {why}")
        if record.hint:
            output.talk(f"  next: {output.clean(record.hint)}")
    return UNDECIDED if broken else 0


def result_entry(delivered: DeliveryResult) -> output.Json:
    """The deliveries of one item, and the number of operations left."""
    return {
        **_record_entry(delivered.increment),
        "done": False,
        "deliveries": [delivery_entry(delivery) for delivery in delivered.deliveries],
        "left": delivered.left,
        "error": None,
    }


def _record_entry(record: Increment) -> output.Json:
    return {**link_entry(record.links[0]), "name": record.title, "record": record.id}


def pending_line(record: Increment, *, elsewhere: bool = False) -> str:
    """The count of an item's pending operations, and the command that delivers them.

    `elsewhere` for a record outside of projects, if the command runs in one: only `sync` finds it.
    """
    operations = record.pending
    is_blocked = all(operation.is_blocked for operation in operations)
    verb = "close" if operations[-1].kind is Kind.CLOSE else "reopen"
    count = times(len(operations), "operation") + (" blocked" if is_blocked else " pending")
    command = item_command(record, verb) if is_blocked else "unlatch sync"
    where = ", outside of a project" if is_blocked and elsewhere else ""
    return f"{output.clean(record.title)}: {count}. Next{where}: {command}"


def record_status(record: Increment) -> output.Json:
    """An item that was not read, with its pending operations."""
    seen = ItemSnapshot(record.links[0], record.title)
    return {**item_entry(seen), **record_facts(record)}


def record_facts(record: Increment | None) -> output.Json:
    return {
        "name": record.title if record else None,
        "record": record.id if record else None,
        "reopens": _count_reopens(record) if record else 0,
        "pending": pending_of(record) if record else [],
        "increments": [],
    }


def _count_reopens(record: Increment) -> int:
    return sum(outcome_of(record, reopen).counts for reopen in record.reopens)
