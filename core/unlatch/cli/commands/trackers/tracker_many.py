"""unlatch TRACKER close-, reopen- and update- with several ids."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from shlex import join
from typing import TYPE_CHECKING

from unlatch.cli.render.agreement import agree_to_pending
from unlatch.cli.render.deliveries import show_deliveries, tell_all_left, tell_done
from unlatch.cli.render.delivery_documents import (
    delivered_code,
    delivery_entry,
    done_entries,
    print_document,
)
from unlatch.cli.render.documents import increment_entry
from unlatch.cli.render.notes import tell_remarks
from unlatch.cli.render.preview_many import tell_previews
from unlatch.cli.render.refusals import refused_entry, tell_refusals
from unlatch.cli.runtime.failure import code_of_many
from unlatch.cli.terminal import output
from unlatch.lifecycle.apply_item_change import apply_item_change
from unlatch.lifecycle.change import Refusal
from unlatch.lifecycle.deliver import find_excess
from unlatch.lifecycle.done_before import leave_done
from unlatch.lifecycle.many import change_each
from unlatch.lifecycle.tracker_items import preview_item_change
from unlatch.spi.operation import Kind
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.lifecycle.deliver import DeliveryResult
    from unlatch.lifecycle.fetch_items import ItemSnapshot
    from unlatch.lifecycle.tracker_items import ItemChange
    from unlatch.project.trackers import Trackers


@dataclass(frozen=True, slots=True, kw_only=True)
class Changing:
    """A change of the items of several increments, as it was typed.

    Args:
        command: the words after `unlatch`, without the ids.
        plan: the change of one increment's items, without a reason that is missing.
        reason: asks for a missing reason; None if none is missing.
    """

    tracker: str
    kind: Kind
    command: str
    plan: Callable[[str], ItemChange]
    reason: Callable[[], str] | None
    max_items: int | None
    dry_run: bool
    as_json: bool


@dataclass(frozen=True, slots=True)
class _Plans:
    """The changes, the increments without one, and the items of each that stay as they are."""

    changes: Sequence[ItemChange]
    refused: Sequence[Refusal]
    left: Mapping[str, Sequence[ItemSnapshot]]


def change_items_of_many(
    context: Context, trackers: Trackers, names: Sequence[str], typed: Changing
) -> int:
    """Change the items of increments, one that is refused aside from the others; the exit code.

    Raises:
        UsageError: `too-many-items`; nothing was changed.
    """
    plans = _plan(context, trackers, names, typed.plan)
    items = sum(len(one.operations) for one in plans.changes)
    command = f"unlatch {typed.command}"
    listing = f"{command} {join(names)} --dry-run"
    excess = find_excess(context.workspace, items, typed.max_items, command=listing)
    if typed.dry_run:
        found = [preview_item_change(context.workspace, trackers, one) for one in plans.changes]
        return tell_previews(
            context,
            found,
            plans.refused,
            command=command,
            items=items,
            excess=excess,
            as_json=typed.as_json,
        )
    if excess is not None:
        raise excess
    if typed.reason is not None and plans.changes:
        reason, by_name = typed.reason(), {one.increment.id: one for one in plans.changes}
        given = _plan(context, trackers, by_name, lambda name: by_name[name].with_reason(reason))
        plans = replace(given, refused=[*given.refused, *plans.refused])
    chosen = [(context, [one.increment for one in plans.changes])]
    agree_to_pending(chosen, yes=False, silent=typed.as_json)
    made = _apply(context, trackers, plans.changes, silent=typed.as_json)
    if not typed.as_json:
        for one in chain.from_iterable(plans.left.values()):
            tell_done(context.workspace.registry, typed.tracker, one.name, typed.kind)
    return _end(typed, [*made, *plans.refused], names, plans.left)


def _plan(
    context: Context,
    trackers: Trackers,
    names: Iterable[str],
    plan: Callable[[str], ItemChange],
) -> _Plans:
    left: dict[str, Sequence[ItemSnapshot]] = {}

    def leave(name: str) -> ItemChange:
        change, done = leave_done(trackers, plan(name))
        left[change.increment.id] = done
        return change

    planned = change_each(context.workspace, names, leave)
    changes = [one for one in planned if not isinstance(one, Refusal)]
    return _Plans(changes, [one for one in planned if isinstance(one, Refusal)], left)


def _apply(
    context: Context, trackers: Trackers, changes: Sequence[ItemChange], *, silent: bool
) -> list[DeliveryResult | Refusal]:
    by_name = {one.increment.id: one for one in changes}
    count = sum(len(one.operations) for one in changes)
    workspace = context.workspace
    with show_deliveries(context, count, silent=silent) as report:

        def apply(name: str) -> DeliveryResult:
            change = by_name[name]
            return apply_item_change(workspace, trackers, change, report, remark=tell_remarks)

        return change_each(workspace, by_name, apply)


def _end(
    typed: Changing,
    made: Sequence[DeliveryResult | Refusal],
    names: Sequence[str],
    left: Mapping[str, Sequence[ItemSnapshot]],
) -> int:
    done = [one for one in made if not isinstance(one, Refusal)]
    refused = [one for one in made if isinstance(one, Refusal)]
    codes = [delivered_code(one.deliveries) for one in done]
    codes += [one.error.exit_code for one in refused]
    code = code_of_many(codes, changed=bool(done))
    if typed.as_json:
        entries = sorted(
            (_entry(one, left, typed.kind) for one in made), key=lambda one: names.index(one["id"])
        )
        print_document(
            "tracker-change-many", code, tracker=typed.tracker, kind=typed.kind, increments=entries
        )
        return code
    tell_refusals(refused)
    tell_all_left(done)
    finished = [one.increment for one in done if one.increment.status.is_finished]
    if typed.kind is Kind.REOPEN and finished:
        ids = join(one.id for one in finished)
        output.talk(f"The status of increments stays. To reopen them: unlatch resume {ids}")
    return code


def _entry(
    one: DeliveryResult | Refusal, left: Mapping[str, Sequence[ItemSnapshot]], kind: Kind
) -> output.Json:
    if isinstance(one, Refusal):
        return {**refused_entry(one), "trackers": []}
    increment = one.increment
    trackers = [
        *map(delivery_entry, one.deliveries),
        *done_entries(left.get(increment.id, ()), kind),
    ]
    return {**increment_entry(increment, increment.status), "error": None, "trackers": trackers}
