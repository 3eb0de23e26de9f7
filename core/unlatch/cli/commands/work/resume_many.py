"""unlatch resume with several ids, or --all-matching: many increments for one reason."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.commands.work.closed_items import settle_many
from unlatch.cli.commands.work.foreseen_work import left_keys, left_work, tell_left_work
from unlatch.cli.commands.work.resume_documents import resume_code, resumed_entry, tell_details
from unlatch.cli.commands.work.resume_options import ResumeOptions
from unlatch.cli.commands.work.resume_report import active_line
from unlatch.cli.options.delivery import refuse_elsewhere
from unlatch.cli.options.reason import ask_reason, typed_reason
from unlatch.cli.render.agreement import agree_to_pending, refuse_pending_of_others
from unlatch.cli.render.deliveries import show_deliveries, tell_all_left
from unlatch.cli.render.delivery_documents import print_document
from unlatch.cli.render.describe import times
from unlatch.cli.render.notes import tell_left_out, tell_remarks, tell_warnings
from unlatch.cli.render.preview_many import tell_previews
from unlatch.cli.render.refusals import tell_refusals
from unlatch.cli.runtime.context import Context, require_terminal
from unlatch.cli.runtime.failure import DECLINED, code_of_many
from unlatch.cli.terminal import output, prompts
from unlatch.cli.terminal.progress import FEW, bar
from unlatch.errors import UsageError
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.matching import matching, read_condition
from unlatch.lifecycle.closed_items import has_new_reason
from unlatch.lifecycle.deliver import DeliveryResult, deliver_pending, find_excess, preview_plans
from unlatch.lifecycle.many import Refusal
from unlatch.lifecycle.resume import ResumeResult, find_refusals, resume_many
from unlatch.lifecycle.resume_plan import ACTIVE_STEPS, ResumePlan, ResumeStep, plan_resume
from unlatch.project.trackers import Trackers

if TYPE_CHECKING:
    from unlatch.related.kinds import Step


def resume_selected(
    context: Context,
    typed: ResumeOptions,
    ids: Sequence[str],
    expressions: Sequence[str],
    *,
    max_items: int | None,
) -> int:
    """Resume many increments, by name or else by conditions; the exit code."""
    workspace = context.workspace
    workspace.check_config()
    increments, left_out = _select(context, ids, expressions)
    refuse_elsewhere(typed.delivery, (link for each in increments for link in each.links))
    request = typed.request(context)
    plans = [plan_resume(one, request) for one in increments]
    with context.trackers() as trackers:
        # Conditions may select active increments; only named ones are refused.
        apart = [one for one in plans if expressions and one.step in ACTIVE_STEPS]
        chosen = [one for one in plans if not expressions or one.step not in ACTIVE_STEPS]
        plans = [*settle_many(context, trackers, chosen, typed), *apart]
        wanted = [one for one in plans if not _is_idle(one)]
        idle = [one for one in plans if _is_idle(one)]
        if idle and not typed.as_json:
            _tell_idle(idle)
        items = len({item for one in wanted for item in one.items})
        command = _preview_command(ids, expressions)
        excess = find_excess(workspace, items, max_items, command=command)
        named = [(context, [one.before for one in wanted])]
        if typed.own_pending:
            refuse_pending_of_others(named)
        if typed.dry_run:
            return _preview(context, trackers, wanted, typed, excess=excess, items=items)
        if excess is not None:
            raise excess
        if not typed.offline:
            agree_to_pending(named, yes=typed.yes, silent=typed.as_json)
        confirmed = _confirm(context, wanted, items, typed)
        if confirmed is None:
            output.talk("Nothing was changed.")
            return DECLINED
        results = _apply(context, confirmed, typed)
        delivered = _deliver(context, trackers, results, typed)
    done = [one.increment for one in results if one.error is None]
    others = left_work(context, done, typed.kinds)
    if not typed.as_json:
        tell_left_work(others)
    return _end([*results, *map(_untouched, idle)], delivered, typed, left_out, others)


def _preview_command(ids: Sequence[str], expressions: Sequence[str]) -> str:
    selected = [*map(quote, ids), *(f"--all-matching {quote(one)}" for one in expressions)]
    return f"unlatch resume {' '.join(selected)} --dry-run"


def _is_idle(plan: ResumePlan) -> bool:
    return plan.step is ResumeStep.NOTHING and plan.refusal is None


def _untouched(idle: ResumePlan) -> ResumeResult:
    return ResumeResult(idle.before, idle.before, idle.step, warnings=idle.warnings)


def _tell_idle(idle: Sequence[ResumePlan]) -> None:
    verb = "is" if len(idle) == 1 else "are"
    new = sum(map(has_new_reason, idle))
    reason = f"; the reason was not recorded on {times(new, 'increment')}" if new else ""
    output.talk(f"{times(len(idle), 'increment')} {verb} already active; nothing to do{reason}.")
    for plan in idle:
        if plan.warnings:
            output.talk(plan.before.id)
            tell_warnings(plan.warnings)
            output.talk(*(f"    {one.hint}" for one in plan.warnings if one.hint))


def _select(
    context: Context, ids: Sequence[str], expressions: Sequence[str]
) -> tuple[Sequence[Increment], int]:
    """The increments, and the exit code for unreadable ones."""
    manager = context.workspace.manager
    if ids:
        found = {one.folder: one for one in map(manager.read, ids)}
        return tuple(found.values()), 0
    conditions = [read_condition(one) for one in expressions]
    increments, broken = manager.read_all()
    matched = matching(increments, conditions)
    left_out = tell_left_out(broken)
    if not matched:
        condition = " ".join(expressions)
        raise UsageError(
            "nothing-matches", f"no increment is {condition}", hint="unlatch list --all"
        )
    return matched, left_out


def _confirm(
    context: Context, plans: Sequence[ResumePlan], items: int, typed: ResumeOptions
) -> Sequence[ResumePlan] | None:
    """Ask for consent and for the reason; None if the user declined."""
    needs_reason = any(one.before.status.is_finished or one.reopening for one in plans)
    lacks_reason = needs_reason and not typed.reason
    if not plans or (typed.yes and not lacks_reason):
        return plans
    count = times(len(plans), "increment")
    require_terminal(f"{count} would be resumed", f"repeat with {typed_reason()} --yes")
    output.table(
        ("Increment", "Status", "Items"), list(map(_row, plans)), flexible=(2,), aside=True
    )
    verb = "leave" if typed.offline else "write to"
    output.talk(f"Resuming will set {count} active and {verb} {times(items, 'item')}.")
    if not typed.yes and not prompts.confirm("Continue?"):
        return None
    if not lacks_reason:
        return plans
    reason = ask_reason(context)
    return [replace(one, request=replace(one.request, reason=reason)) for one in plans]


def _row(plan: ResumePlan) -> tuple[str, str, str]:
    before = plan.before
    links = ", ".join(f"{link.tracker} {link.item}" for link in before.links)
    return before.id, before.status, links


def _apply(
    context: Context, plans: Sequence[ResumePlan], typed: ResumeOptions
) -> Sequence[ResumeResult]:
    is_terse = len(plans) > FEW
    with bar(len(plans), "Resuming") as advance:

        def report(result: ResumeResult) -> None:
            advance()
            context.trace(result.error)
            if not (typed.as_json or is_terse or result.error):
                _tell(result, typed)
            if not is_terse:
                tell_remarks(result.increment)

        results = resume_many(context.workspace, plans, report)
    if not typed.as_json:
        tell_refusals(Refusal(one.before.id, one.error, one.before) for one in results if one.error)
    if (lost := sum(one.outrun for one in results)) and not typed.as_json:
        where = times(lost, "increment")
        output.talk(f"Another process resumed {where} first; this reason was not recorded there.")
    odd = sum(bool(one.increment.warnings) for one in results)
    if is_terse and odd:
        output.note(f"{times(odd, 'increment')} with problems in files; unlatch doctor lists them")
    if is_terse and not typed.as_json:
        before = Counter(one.before.status.value for one in results if one.error is None)
        each = ", ".join(f"{count:,} {status}" for status, count in before.items())
        output.ok(f"{times(before.total(), 'increment')} active now: {each} before")
    return results


def _tell(result: ResumeResult, typed: ResumeOptions) -> None:
    before, now = result.before, result.increment
    moved = f"{before.status} -> {now.status}"
    if before.status is now.status:
        moved = active_line(result, offline=typed.offline)
    output.ok(f"Increment {now.id}: {moved}")
    tell_warnings(result.warnings)
    if typed.verbose:
        tell_details(result, now)


def _deliver(
    context: Context, trackers: Trackers, results: Sequence[ResumeResult], typed: ResumeOptions
) -> Sequence[DeliveryResult]:
    done = [one for one in results if one.error is None]
    waiting = [one.increment for one in done if one.increment.pending]
    left = sum(len(one.pending) for one in waiting)
    if typed.offline:
        if left:
            output.talk(f"{times(left, 'operation')} pending. Next: unlatch sync")
        return [DeliveryResult(one, (), len(one.pending), on_purpose=True) for one in waiting]
    fresh = frozenset(op for one in done for op in one.fresh)
    with show_deliveries(context, left, silent=typed.as_json) as report:
        return deliver_pending(
            context.workspace, trackers, waiting, report, options=typed.delivery, fresh=fresh
        )


def _end(
    results: Sequence[ResumeResult],
    delivered: Sequence[DeliveryResult],
    typed: ResumeOptions,
    left_out: int,
    others: "Mapping[str, Sequence[Step]]",
) -> int:
    served = {one.increment.id: one for one in delivered}
    codes = [resume_code(one, served.get(one.before.id)) for one in results]
    changed = any(one.error is None and one.step is not ResumeStep.NOTHING for one in results)
    code = code_of_many(codes, changed=changed) or left_out
    if typed.as_json:
        entries = [
            resumed_entry(one, served.get(one.before.id))
            | left_keys(others.get(one.increment.id, ()))
            for one in results
        ]
        print_document("resume-many", code, increments=entries)
    elif not typed.offline:
        tell_all_left(delivered)
    return code


def _preview(
    context: Context,
    trackers: Trackers,
    plans: Sequence[ResumePlan],
    typed: ResumeOptions,
    *,
    excess: UsageError | None,
    items: int,
) -> int:
    plans = find_refusals(context.workspace, plans)
    changes = [one.preview(context.workspace)[0] for one in plans if one.refusal is None]
    found = preview_plans(
        context.workspace, trackers, changes, options=typed.delivery, offline=typed.offline
    )
    if not typed.as_json:
        tell_left_work(left_work(context, [one.before for one in changes], typed.kinds))
    return tell_previews(
        context,
        found,
        [Refusal(one.before.id, one.refusal, one.before) for one in plans if one.refusal],
        command="unlatch resume",
        items=items,
        excess=excess,
        as_json=typed.as_json,
    )
