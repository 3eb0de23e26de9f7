"""unlatch resume with one id: the plan, the prompts, and the delivery."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

import click

from unlatch.cli.commands.work.closed_items import confirm_deliberate, settle_closed_items
from unlatch.cli.commands.work.foreseen_work import (
    ask_for_work,
    due_work,
    foreseen_keys,
    tell_work,
)
from unlatch.cli.commands.work.resume_documents import resume_code, tell_details, write_document
from unlatch.cli.commands.work.resume_options import ResumeOptions, with_category
from unlatch.cli.commands.work.resume_report import (
    tell_end,
    tell_problems,
    tell_result,
    warn_of_frequency,
)
from unlatch.cli.commands.work.scope import changed_work, foreseen_scope
from unlatch.cli.options.delivery import refuse_elsewhere
from unlatch.cli.options.reason import ask_reason, typed_reason
from unlatch.cli.render.agreement import agree_to_pending, refuse_pending_of_others
from unlatch.cli.render.deliveries import deliver_and_tell
from unlatch.cli.render.describe import ago, seen_line, times
from unlatch.cli.render.elsewhere import tell_elsewhere
from unlatch.cli.render.notes import tell_remarks, tell_warnings
from unlatch.cli.render.preview import preview_and_tell
from unlatch.cli.runtime.context import Context, is_interactive, require_terminal
from unlatch.cli.runtime.failure import DECLINED, UNDECIDED, error_lines
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UnlatchError, UsageError, unexpected
from unlatch.increments.model.increment import Increment
from unlatch.lifecycle.deliver import find_excess
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.lifecycle.resume import ResumeResult, apply_resume
from unlatch.lifecycle.resume_plan import (
    ResumePlan,
    ResumeRequest,
    ResumeStep,
    digest_of,
    plan_resume,
)
from unlatch.project.trackers import Trackers
from unlatch.related.places import may_have_related

if TYPE_CHECKING:
    from unlatch.related.kinds import Step


def resume_one(
    context: Context,
    trackers: Trackers,
    wanted: str,
    typed: ResumeOptions,
    *,
    max_items: int | None,
) -> int:
    increment = context.workspace.manager.read(wanted)
    context.workspace.check_config()
    refuse_elsewhere(typed.delivery, increment.links)
    if typed.current:
        from unlatch.lifecycle.units.current import check_current  # noqa: PLC0415  (units alone)

        check_current(context.workspace, increment)
    _agree(context, increment, typed)
    plan = plan_resume(increment, typed.request(context))
    others = due_work(context, increment, typed)
    settled = settle_closed_items(context, trackers, plan, typed, has_other_work=bool(others))
    items = len((settled or plan).items)
    command = f"unlatch resume {quote(increment.id)} --dry-run"
    excess = find_excess(context.workspace, items, max_items, command=command)
    if typed.dry_run:
        return _preview(context, settled or plan, typed, others, excess)
    if excess is not None:
        raise excess
    confirmed = _confirm(context, trackers, settled, typed, others) if settled else None
    if confirmed is None:
        output.talk("Nothing was changed.")
        return DECLINED
    plan, shown = confirmed
    result = _with_current(context, apply_resume(context.workspace, plan), plan)
    if typed.as_json:
        tell_remarks(result.increment)
    else:
        tell_result(context, result, offline=typed.offline)
        tell_problems(context, plan, result, typed, shown)
    delivered = deliver_and_tell(
        context,
        result.increment,
        options=plan.request.options,
        fresh=result.fresh,
        offline=typed.offline,
        silent=typed.as_json,
        trackers=trackers,
    )
    code = resume_code(result, delivered)
    if not typed.as_json:
        if typed.verbose:
            tell_details(result, delivered.increment)
        tell_end(context, result, delivered, code)
    unfinished, keys, failed = _other_work(context, delivered.increment, typed, plan.request)
    code = code or unfinished
    if typed.as_json:
        write_document(result, delivered, code, failed, **keys)
    return code


def _agree(context: Context, increment: Increment, typed: ResumeOptions) -> None:
    """See to the consent to what others recorded."""
    if typed.own_pending:
        refuse_pending_of_others([(context, [increment])])
    if not (typed.dry_run or typed.offline):
        agree_to_pending([(context, [increment])], yes=typed.yes, silent=typed.as_json)


def _with_current(context: Context, result: ResumeResult, plan: ResumePlan) -> ResumeResult:
    """Let the tool work on the unit if that was asked for; else a note names its current one."""
    if result.increment.unit is None:
        return result
    from unlatch.lifecycle.units.current import settle_current  # noqa: PLC0415  (units alone)

    wanted = plan.request.current
    try:
        note: UnlatchError | None = settle_current(
            context.workspace, result.increment, wanted=wanted
        )
    except UnlatchError as error:
        note = error  # the increment is resumed
    return replace(result, warnings=(*result.warnings, note)) if note else result


def _other_work(
    context: Context, increment: Increment, typed: ResumeOptions, request: ResumeRequest
) -> tuple[int, output.Json, Collection[UnlatchError]]:
    """Resume the efforts, sessions and runs of an increment; loads nothing if there are none.

    Returns:
        The exit code, the keys for the document, and the errors, which are shown: they cannot end
        the command as if nothing was changed.
    """
    try:
        if not may_have_related(context.workspace, increment):
            tell_elsewhere(context, increment)
            return 0, {}, ()
        from unlatch.cli.commands.work.other_work import resume_others  # noqa: PLC0415

        # Agents read the reasons of other work.
        reason = request.source or request.reason
        return resume_others(context, increment, typed, reason=reason)
    except click.Abort:
        raise
    except Exception as error:  # noqa: BLE001  # a bug is reported like any error
        failed = unexpected(error)
        context.trace(failed)
        output.talk(*error_lines(failed))
        return UNDECIDED, {}, (failed,)


def _preview(
    context: Context,
    plan: ResumePlan,
    typed: ResumeOptions,
    others: "Sequence[Step]",
    excess: UsageError | None,
) -> int:
    if typed.scoping is not None:
        amendment = foreseen_scope(context, plan.before, typed.scoping, reason=typed.reason)
        plan = replace(plan, request=replace(plan.request, amendment=amendment))
    change, scope = plan.preview(context.workspace)
    tell_work(others)
    return preview_and_tell(
        context,
        change,
        typed.delivery,
        offline=typed.offline,
        as_json=typed.as_json,
        warnings=(
            *plan.check_rules(context.workspace).warnings,
            *plan.warnings,
            *filter(None, [excess]),
        ),
        scope=scope,
        more={"digest": digest_of(change)} | foreseen_keys(others),
    )


def _confirm(
    context: Context,
    trackers: Trackers,
    plan: ResumePlan,
    typed: ResumeOptions,
    others: "Sequence[Step]",
) -> tuple[ResumePlan, frozenset[str]] | None:
    """The plan with all answers, and the ids of the warnings shown; None if the user declined."""
    shown: frozenset[str] = frozenset()
    is_part = typed.scoping is not None and not typed.scoping.update
    if is_part:
        # Unknown parts are reported before any prompt.
        plan = _with_amendment(context, plan, typed)
    if plan.before.status.is_finished and (plan.request.reason is None or not typed.yes):
        warnings = plan.check_rules(context.workspace, is_asked=is_interactive()).warnings
        answered = _ask(context, trackers, plan, typed, warnings=warnings, others=others)
        if answered is None:
            return None
        plan, shown = answered, frozenset(one.id for one in warnings)
    elif not (plan.before.status.is_finished or typed.yes):
        plan = ask_for_work(plan, context, others)
    if typed.scoping is not None and not is_part:
        plan = _with_amendment(context, plan, typed)
        if plan.request.amendment is None:
            return None
    return plan, shown


def _with_amendment(context: Context, plan: ResumePlan, typed: ResumeOptions) -> ResumePlan:
    """The plan with a change of the work; unchanged if the user declined."""
    if typed.scoping is None:
        return plan
    reason = plan.request.reason
    amendment = changed_work(context, plan.before, typed.scoping, reason=reason, yes=typed.yes)
    return replace(plan, request=replace(plan.request, amendment=amendment))


def _ask(
    context: Context,
    trackers: Trackers,
    plan: ResumePlan,
    typed: ResumeOptions,
    *,
    warnings: Collection[UnlatchError],
    others: "Sequence[Step]",
) -> ResumePlan | None:
    """Show the plan, and ask for consent, reason and category; None if the user declined."""
    increment, request = plan.before, plan.request
    require_terminal(
        f"{increment.id} is {increment.status}",
        f"unlatch resume {quote(increment.id)} {typed_reason()} --yes",
    )
    seen = _introduce(context, trackers, increment, warnings, offline=typed.offline)
    output.talk(f"  {_announcement(plan, offline=typed.offline)}")
    tell_work(others)
    if not typed.yes and not prompts.confirm("Continue?"):
        return None
    options = request.options
    if not options.even_if_not_planned and plan.step is ResumeStep.REOPEN:
        options = replace(options, even_if_not_planned=confirm_deliberate(seen))
    reason = request.reason if request.reason is not None else ask_reason(context)
    activation = with_category(context, increment, request.activation)
    current = request.current or (not typed.yes and _is_to_be_current(context, increment))
    request = replace(
        request, reason=reason, options=options, activation=activation, current=current
    )
    return replace(plan, request=request)


def _is_to_be_current(context: Context, increment: Increment) -> bool:
    """Whether the user lets the increment's tool work on it, in place of another unit."""
    if increment.unit is None:
        return False
    from unlatch.lifecycle.units.current import other_current  # noqa: PLC0415  (units alone)

    other = other_current(context.workspace, increment)
    return other is not None and prompts.confirm(
        f"Let {other.tool} work on it, in place of {other.path}?"
    )


def _introduce(
    context: Context,
    trackers: Trackers,
    increment: Increment,
    warnings: Collection[UnlatchError],
    *,
    offline: bool,
) -> list[ItemSnapshot]:
    registry, now = context.workspace.registry, context.workspace.clock()
    archived = ", and archived" if increment.archived else ""
    name = output.strong(increment.id)
    output.talk(f"{output.warn('!')} Increment {name} is {increment.status}{archived}")
    titles = [registry.manifest(link.tracker).title for link in increment.links]
    columns = 1 + max(map(len, ("Reopened before", *titles)))
    if increment.completed_at:
        day = f"{increment.completed_at:%Y-%m-%d} ({ago(increment.completed_at, now)})"
        output.talk(f"    {'Completed':<{columns}}{day}")
    items = [ItemSnapshot(link, link.key) for link in increment.links]
    if not offline:
        items = fetch_items(trackers, increment.links, within=context.workspace.config.patience)
    for seen in items:
        context.trace(seen.error)
        output.talk(seen_line(registry, seen, columns=columns))
    for warning in () if increment.links else increment.warnings:
        output.remark(warning)
    count = times(increment.effective_reopens, "time")
    output.talk(f"    {'Reopened before':<{columns}}{count}")
    warn_of_frequency(context, increment, more=1, shown=warnings)
    tell_warnings(warnings)
    return items


def _announcement(plan: ResumePlan, *, offline: bool) -> str:
    links, spared = plan.before.links, len(plan.spared)
    back = "move it out of the archive, " if plan.before.archived else ""
    if not links:
        return f"Resuming will {back}set it active; it has no linked items."
    if not plan.reopens_items:
        return f"Resuming will {back}set it active; its items stay as they are."
    count = len(links) - spared
    items, each = times(count, "item"), "it" if count == 1 else "each"
    apart = f" {times(spared, 'item')} not affected." if spared else ""
    if offline:
        return f"Resuming will {back}set it active, and leave {items} to unlatch sync.{apart}"
    return (
        f"Resuming will {back}set it active, reopen {items} and post the reason on {each}.{apart}"
    )
