"""complete, abandon and undo of several increments."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.commands.work.finish_ending import Ending, end_change
from unlatch.cli.commands.work.finish_report import tell_undecided
from unlatch.cli.options.delivery import refuse_elsewhere
from unlatch.cli.render.deliveries import show_deliveries, tell_all_left
from unlatch.cli.render.delivery_documents import delivered_code, delivery_entry, print_document
from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import (
    evidence_entry,
    increment_entry,
    spared_entries,
    warning_entries,
)
from unlatch.cli.render.notes import tell_remarks
from unlatch.cli.render.preview_many import tell_previews
from unlatch.cli.render.refusals import refused_entry, tell_refusals
from unlatch.cli.runtime.failure import UNDECIDED, code_of_many
from unlatch.cli.terminal import output
from unlatch.cli.terminal.progress import FEW, bar
from unlatch.errors import UnlatchError
from unlatch.lifecycle.change import Refusal
from unlatch.lifecycle.deliver import (
    DeliveryResult,
    SharedItems,
    deliver_pending,
    find_excess,
    preview_plans,
)
from unlatch.lifecycle.finish_many import Applied, apply_each, items_of, plan_each
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.delivery.preview import Preview
    from unlatch.lifecycle.status_change import ChangePlan
    from unlatch.spi.delivery_options import DeliveryOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Finishing:
    """A change of several increments, as it was typed.

    Args:
        ending: the command, and what it does after the change of each.
        plan: the change of one increment.
        confirm: asks for consent to the plans; None if the user declined.
        tell: shows the change of one increment.
    """

    ending: Ending
    plan: Callable[[str, SharedItems], ChangePlan]
    confirm: Callable[[Sequence[ChangePlan]], Sequence[ChangePlan] | None]
    tell: Callable[[Applied], None]
    delivery: DeliveryOptions
    offline: bool
    dry_run: bool
    as_json: bool


def finish_many(
    context: Context, names: Sequence[str], typed: Finishing, *, max_items: int | None
) -> int | None:
    """Change several increments, one failure aside from the others.

    Returns:
        The exit code; None if the user declined.

    Raises:
        UsageError: `too-many-items`.
    """
    workspace = context.workspace
    plans, refused, shared = plan_each(workspace, names, typed.plan)
    refuse_elsewhere(typed.delivery, (link for plan in plans for link in plan.before.links))
    items = items_of(plans)
    command = f"unlatch {typed.ending.name} {' '.join(map(quote, names))} --dry-run"
    excess = find_excess(workspace, items, max_items, command=command)
    if typed.dry_run:
        found, more = _preview(context, plans, shared, typed)
        return tell_previews(
            context,
            found,
            [*refused, *more],
            command=f"unlatch {typed.ending.name}",
            items=items,
            excess=excess,
            as_json=typed.as_json,
        )
    if excess is not None:
        raise excess
    confirmed = typed.confirm(plans) if plans else ()
    if confirmed is None:
        return None
    made = [*_apply(context, confirmed, typed), *refused]
    made.sort(key=lambda one: names.index(one.id))
    if not typed.as_json:
        tell_refusals(one for one in made if isinstance(one, Refusal))
    applied = [one for one in made if not isinstance(one, Refusal)]
    delivered = _deliver(context, applied, typed)
    names = [one.result.increment.id for one in applied]
    failed = {one: end_change(context, one, typed.ending)[0] for one in names}
    return _end(context, made, delivered, failed, typed)


def _preview(
    context: Context, plans: Sequence[ChangePlan], shared: SharedItems, typed: Finishing
) -> tuple[Sequence[Preview], Sequence[Refusal]]:
    changes, refused = [], []
    if idle := [one for one in plans if one.before.status is one.to]:
        is_one = len(idle) == 1
        count, verb = times(len(idle), "increment"), "is" if is_one else "are"
        output.talk(f"{count} {verb} already {idle[0].to}; nothing to do.")
    for plan in (one for one in plans if one not in idle):
        try:
            changes.append((plan, plan.preview(context.workspace)))
        except UnlatchError as error:
            refused.append(Refusal(plan.before.id, error, plan.before))
    with context.trackers() as trackers:
        found = preview_plans(
            context.workspace,
            trackers,
            [change for _, change in changes],
            options=typed.delivery,
            offline=typed.offline,
            shared=shared,
        )
    return [
        replace(one, spared=plan.spared, warnings=plan.approval.warnings)
        for one, (plan, _) in zip(found, changes, strict=True)
    ], refused


def _apply(
    context: Context, plans: Sequence[ChangePlan], typed: Finishing
) -> list[Applied | Refusal]:
    is_terse = len(plans) > FEW
    with bar(len(plans), "Changing") as advance:

        def report(one: Applied | Refusal) -> None:
            advance()
            if isinstance(one, Refusal):
                context.trace(one.error)
            elif typed.as_json:
                tell_remarks(one.result.increment)
            elif not is_terse:
                typed.tell(one)

        made = apply_each(context.workspace, plans, report)
    done = [one for one in made if not isinstance(one, Refusal)]
    if done and is_terse and not typed.as_json:
        before = Counter(one.result.before.status.value for one in done)
        each = ", ".join(f"{count:,} {status}" for status, count in before.items())
        now = done[0].result.increment.status
        output.ok(f"{times(len(done), 'increment')} {now} now: {each} before")
    return made


def _deliver(
    context: Context, done: Sequence[Applied], typed: Finishing
) -> Sequence[DeliveryResult]:
    waiting = [one.result.increment for one in done if one.result.increment.pending]
    left = sum(len(one.pending) for one in waiting)
    if typed.offline:
        if left:
            output.talk(f"{times(left, 'operation')} pending. Next: unlatch sync")
        return [DeliveryResult(one, (), len(one.pending), on_purpose=True) for one in waiting]
    fresh = frozenset(op for one in done for op in one.result.fresh)
    with (
        context.trackers() as trackers,
        show_deliveries(context, left, silent=typed.as_json) as report,
    ):
        return deliver_pending(
            context.workspace, trackers, waiting, report, options=typed.delivery, fresh=fresh
        )


def _end(
    context: Context,
    made: Sequence[Applied | Refusal],
    delivered: Sequence[DeliveryResult],
    failed: Mapping[str, Sequence[UnlatchError]],
    typed: Finishing,
) -> int:
    served = {one.increment.id: one for one in delivered}
    codes = [_code(one, served) for one in made]
    codes += [UNDECIDED for errors in failed.values() if errors]
    changed = any(one.deliveries for one in delivered) or any(map(_has_changed, made))
    code = code_of_many(codes, changed=changed)
    if typed.as_json:
        entries = [_entry(one, served, failed, typed.ending.name) for one in made]
        print_document(f"{typed.ending.name}-many", code, increments=entries)
    elif not typed.offline:
        tell_all_left(delivered)
        for one in delivered if typed.ending.name == "undo" else ():
            tell_undecided(context, one)
    return code


def _has_changed(one: Applied | Refusal) -> bool:
    """Whether an increment has another status now, or operations that are left for later."""
    if isinstance(one, Refusal):
        return False
    return bool(one.result.fresh) or one.result.before.status is not one.result.increment.status


def _code(one: Applied | Refusal, served: dict[str, DeliveryResult]) -> int:
    if isinstance(one, Refusal):
        return one.error.exit_code
    delivered = served.get(one.result.increment.id)
    if delivered is None or delivered.on_purpose:
        return 0
    return delivered_code(delivered.deliveries, delivered.left)


def _entry(
    one: Applied | Refusal,
    served: dict[str, DeliveryResult],
    failed: Mapping[str, Sequence[UnlatchError]],
    name: str,
) -> output.Json:
    facts: output.Json = {"trackers": [], "left": 0, "undone": None}
    if name != "undo":
        keys = ("trackers", "spared", "forced", "warnings")
        facts = {**{key: [] for key in keys}, "left": 0, "evidence": None}
    if isinstance(one, Refusal):
        return {**refused_entry(one), **facts}
    plan, result = one.plan, one.result
    if delivered := served.get(result.increment.id):
        facts["trackers"] = list(map(delivery_entry, delivered.deliveries))
        facts["left"] = delivered.left
    if undone := result.undone or plan.undone:
        facts["undone"] = undone[-1].id
    else:
        facts["spared"] = spared_entries(plan.spared)
        facts["forced"] = list(plan.approval.forced)
        facts["evidence"] = evidence_entry(plan.evidence)
        facts["warnings"] = warning_entries((*plan.approval.warnings, *failed[result.increment.id]))
    lost = result.is_reason_lost
    entry = increment_entry(result.increment, result.before.status, is_reason_lost=lost)
    return {**entry, "error": None, **facts}
