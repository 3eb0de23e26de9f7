"""unlatch resume: resume increments with their items."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.commands.work.closed_items import ask_about_items, settle_plans
from unlatch.cli.commands.work.foreseen_work import due_work
from unlatch.cli.commands.work.resume_dialog import ResumeDialog
from unlatch.cli.options.common import MainCommand
from unlatch.cli.options.delivery import refuse_elsewhere, take_options
from unlatch.cli.options.increments import increment_argument, increment_ids, pick_increment
from unlatch.cli.options.resume import INCREMENT, resuming, take_kinds
from unlatch.cli.options.scope_options import take_scoping
from unlatch.cli.render.describe import times
from unlatch.cli.render.notes import tell_left_out, tell_warnings
from unlatch.cli.runtime.increments import Named
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.runtime.work_references import Reference, read_reference, run_instead
from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch.increments.model.matching import matching, read_condition
from unlatch.lifecycle.activation_guard import ActivationOptions
from unlatch.lifecycle.carry_out import carry_out
from unlatch.lifecycle.change import Place, Work
from unlatch.lifecycle.closed_items import has_new_reason
from unlatch.lifecycle.resume import Resume, plan_resume
from unlatch.lifecycle.resume_plan import ACTIVE_STEPS, ResumeRequest, ResumeStep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.cli.table import Entry
    from unlatch.increments.model.increment import Increment
    from unlatch.spi.operation import DeliveryOptions

_EXAMPLE = "unlatch resume 7 --reason 'Still fails'"


def command(entry: Entry) -> click.Command:
    @click.command(entry.name, cls=MainCommand, help=entry.own_help, example=_EXAMPLE)
    @increment_argument("ids", metavar="ID...", callback=_meant, nargs=-1)
    @resuming
    @click.option("--planned", hidden=True, help="Refuse any change but that of this dry run.")
    @click.option(
        "--source", hidden=True, help="The comment that the words of the reason are from."
    )
    @with_context
    def run(context: Context, *, ids: Named | Reference, **options: Any) -> int:
        if isinstance(ids, Reference):
            return run_instead(ids, "resume", without=("yes",))
        return resume(context, ids, **options)

    return run


def _meant(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> Named | Reference:
    reference = read_reference(value[0]) if len(value) == 1 else None
    return reference or increment_ids(ctx, param, value)


def resume(
    context: Context,
    ids: Named,
    *,
    expressions: tuple[str, ...],
    by: str | None,
    **given: Any,
) -> int:
    """Resume the increments with these names, or those that the expressions select."""
    if not (ids.names or expressions) and (picked := pick_increment(click.get_current_context())):
        ids = Named((picked,))
    if bool(ids.names) is bool(expressions):
        raise click.UsageError("pass either IDs or --all-matching EXPR")
    scoping, kinds = take_scoping(given), take_kinds(given)
    is_many = ids.is_many or bool(expressions)
    options, given = take_options(given, command="resume", is_many=is_many, activates=True)
    if INCREMENT not in kinds:
        if len(ids.names) != 1 or scoping is not None:
            message = "without the increment itself, name one, and no change of its work"
            raise click.UsageError(message)
        from unlatch.cli.commands.work.other_work import resume_only_others  # noqa: PLC0415

        request = _request(context, by, **given)
        return resume_only_others(context, ids.names[0], request, options, kinds)
    if is_many and (scoping is not None or given["current"]):
        raise click.UsageError("--current and options that change the work take one increment")
    context.workspace.check_config()
    increments, left_out = _select(context, ids.names, expressions)
    refuse_elsewhere(given["delivery"], (link for each in increments for link in each.links))
    if given["current"]:
        from unlatch.lifecycle.units.current import check_current  # noqa: PLC0415  (units alone)

        check_current(context.workspace, increments[0])
    request = _request(context, by, **given)
    if is_many:
        request = replace(request, current=None)
    options = replace(options, listing=_listing(ids, expressions, increments, is_many=is_many))
    plans = [plan_resume(increment, request) for increment in increments]
    dialog = ResumeDialog(context, options, request, kinds)
    dialog.scoping, dialog.left_out = scoping, left_out
    with context.trackers() as trackers:
        dialog.place = Place(context.workspace, trackers)
        return _carry_out(dialog, plans, has_conditions=bool(expressions))


def _carry_out(dialog: ResumeDialog, plans: list[Resume], *, has_conditions: bool) -> int:
    options, works = dialog.options, [Work(dialog.place, plans)]
    dialog.refuse_others(works)
    if not (options.is_many or options.dry_run or options.offline):
        # Before the items are read, and questions about them asked.
        dialog.agree(works)
    # Conditions may select active increments; only named ones are refused.
    apart = [plan for plan in plans if has_conditions and plan.step in ACTIVE_STEPS]
    if apart:
        plans = [plan for plan in plans if plan.step not in ACTIVE_STEPS]
    is_many = options.is_many
    settled = _settled_many(dialog, plans, apart) if is_many else _settled(dialog, plans[0])
    if settled is None:
        return dialog.declined()
    return carry_out([Work(dialog.place, settled)], dialog, options)


def _request(
    context: Context,
    by: str | None,
    *,
    category: str | None,
    force: bool,
    delivery: DeliveryOptions,
    **given: Any,
) -> ResumeRequest:
    """The request, before any prompt."""
    activation = ActivationOptions(category, force)
    return ResumeRequest(context.who(by), options=delivery, activation=activation, **given)


def _listing(
    ids: Named, expressions: Sequence[str], increments: Sequence[Increment], *, is_many: bool
) -> str:
    """The command that lists the items to be written to."""
    if not is_many:
        return f"unlatch resume {quote(increments[0].id)} --dry-run"
    selected = [
        *map(quote, ids.names),
        *(f"--all-matching {quote(expression)}" for expression in expressions),
    ]
    return f"unlatch resume {' '.join(selected)} --dry-run"


def _select(
    context: Context, ids: Sequence[str], expressions: Sequence[str]
) -> tuple[Sequence[Increment], int]:
    """The increments, and the exit code for unreadable ones."""
    manager = context.workspace.manager
    if ids:
        named = {increment.folder: increment for increment in map(manager.read, ids)}
        return tuple(named.values()), 0
    conditions = [read_condition(expression) for expression in expressions]
    increments, broken = manager.read_all()
    matched = matching(increments, conditions)
    left_out = tell_left_out(broken)
    if not matched:
        condition = " ".join(expressions)
        raise UsageError(
            "nothing-matches", f"no increment is {condition}", hint="unlatch list --all"
        )
    return matched, left_out


def _settled(dialog: ResumeDialog, plan: Resume) -> list[Resume] | None:
    """The plan with what was asked about its items; None if the user declined."""
    context, options, scoping = dialog.context, dialog.options, dialog.scoping
    steps = due_work(context, plan.subject, plan.request, options, dialog.kinds)
    dialog.steps = steps
    settled: Resume | None = plan
    if scoping is None or plan.step is ResumeStep.ACTIVATE:
        has_work = bool(steps)
        settled = ask_about_items(context, dialog.place, plan, options, has_other_work=has_work)
    if settled is None:
        return None
    if options.dry_run and scoping is not None:
        from unlatch.cli.commands.work.scope_input import foreseen_scope  # noqa: PLC0415  (rarely)

        reason = dialog.request.reason
        amendment = foreseen_scope(context, settled.subject, scoping, reason=reason)
        settled = replace(settled, request=replace(settled.request, amendment=amendment))
    return [settled]


def _settled_many(
    dialog: ResumeDialog, plans: Sequence[Resume], apart: Sequence[Resume]
) -> list[Resume]:
    """The plans of the increments that are not active already, `apart` of some."""
    settled = settle_plans(dialog.context, dialog.place, plans, dialog.options)
    dialog.idle = idle = [plan for plan in (*settled, *apart) if plan.is_idle]
    if idle and not dialog.options.as_json:
        _tell_idle(idle)
    return [plan for plan in (*settled, *apart) if not plan.is_idle]


def _tell_idle(idle: Sequence[Resume]) -> None:
    verb = "is" if len(idle) == 1 else "are"
    new = sum(map(has_new_reason, idle))
    reason = f"; the reason was not recorded on {times(new, 'increment')}" if new else ""
    output.talk(f"{times(len(idle), 'increment')} {verb} already active; nothing to do{reason}.")
    for plan in idle:
        if plan.warnings:
            output.talk(plan.subject.id)
            tell_warnings(plan.warnings)
            output.talk(*(f"    {warning.hint}" for warning in plan.warnings if warning.hint))
