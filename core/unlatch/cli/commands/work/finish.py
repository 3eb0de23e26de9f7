"""unlatch complete, abandon, undo: changes of status that close items."""

from collections.abc import Callable, Sequence
from shlex import quote
from typing import Any

import click

from unlatch.cli.commands.work.finish_consent import confirm_finish
from unlatch.cli.commands.work.finish_ending import Ending, end_change
from unlatch.cli.commands.work.finish_many import Finishing, finish_many
from unlatch.cli.commands.work.finish_report import change_document, tell_change, tell_undecided
from unlatch.cli.options.common import BY, JSON, MainCommand, flag
from unlatch.cli.options.delivery import DRY_RUN, OFFLINE, YES, refuse_elsewhere, serving
from unlatch.cli.options.increments import IDS, UNDONE
from unlatch.cli.options.items import MAX_ITEMS
from unlatch.cli.options.reason import reason_option
from unlatch.cli.render.agreement import agree_to_pending
from unlatch.cli.render.deliveries import deliver_and_tell, tell_left
from unlatch.cli.render.delivery_documents import delivered_code, print_document
from unlatch.cli.render.notes import tell_remarks
from unlatch.cli.render.preview import preview_and_tell
from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.failure import DECLINED, UNDECIDED
from unlatch.cli.runtime.increments import Named
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.table import Entry
from unlatch.cli.terminal import output
from unlatch.increments.model.status import Status
from unlatch.lifecycle.deliver import SharedItems, find_excess
from unlatch.lifecycle.finish_many import Applied, items_of
from unlatch.lifecycle.status_change import (
    ChangePlan,
    apply_change,
    plan_finish,
    plan_undo_reopen,
)
from unlatch.lifecycle.units.archiving import check_archive
from unlatch.spi.delivery_options import DeliveryOptions
from unlatch.spi.operation import Kind

_FORCE = flag(
    "--force",
    help="Complete although work is open or nothing changed; recorded in the history.",
)
_ARCHIVE = flag(
    "--archive", help="Also archive the unit with its tool's own program, such as openspec archive."
)


_BRIEFING = click.option(
    "--briefing/--no-briefing",
    default=None,
    help="Write what is known of the increment into its folder; by default asks at a terminal.",
)


def _of_complete(function: Callable[..., Any]) -> Callable[..., Any]:
    return _FORCE(_ARCHIVE(_BRIEFING(function)))


_OWN_OPTIONS: dict[str, Callable[[Any], Any]] = {"complete": _of_complete}
STATUSES = {"complete": Status.COMPLETED, "abandon": Status.ABANDONED}


def command(entry: Entry) -> click.Command:
    @click.command(
        entry.name, cls=MainCommand, help=entry.own_help, example=f"unlatch {entry.name} 7"
    )
    @(UNDONE if entry.name == "undo" else IDS)
    @reason_option("Record this reason, and post it on each item.")
    @BY
    @YES
    @_OWN_OPTIONS.get(entry.name, lambda function: function)
    @MAX_ITEMS
    @OFFLINE
    @DRY_RUN
    @serving(Kind.CLOSE, labels=entry.name != "undo")
    @JSON
    @with_context
    def run(context: Context, *, named: Named, max_items: int | None, **options: Any) -> int:
        context = named.records or context
        if named.is_many:
            return _finish_many(context, entry.name, named.names, max_items=max_items, **options)
        return finish(context, entry.name, named.names[0], max_items=max_items, **options)

    return run


def finish(
    context: Context,
    name: str,
    wanted: str,
    *,
    by: str | None,
    max_items: int | None,
    offline: bool,
    dry_run: bool,
    delivery: DeliveryOptions,
    as_json: bool,
    yes: bool = False,
    archive: bool = False,
    briefing: bool | None = False,
    **options: Any,
) -> int:
    """Complete or abandon an increment, or undo its last reopen, by the command's name."""
    context.workspace.check_config()
    plan = _plan(context, name, wanted, by=context.who(by), options=delivery, **options)
    refuse_elsewhere(delivery, plan.before.links)
    if archive:
        check_archive(context.workspace, plan.before)
    command = f"unlatch {quote(name)} {quote(plan.before.id)} --dry-run"
    excess = find_excess(context.workspace, items_of([plan]), max_items, command=command)
    if dry_run:
        return preview_and_tell(
            context,
            plan.preview(context.workspace),
            delivery,
            offline=offline,
            as_json=as_json,
            spared=plan.spared,
            warnings=(*plan.approval.warnings, *filter(None, [excess])),
        )
    if excess is not None:
        raise excess
    if not offline:
        agree_to_pending([(context, [plan.before])], yes=yes, silent=as_json)
    confirmed = [plan] if yes else confirm_finish(context, name, [plan], silent=as_json)
    if confirmed is None:
        output.talk("Nothing was changed.")
        return DECLINED
    if briefing is None and as_json:
        briefing = False
    ending = Ending(name=name, archive=archive, briefing=briefing, silent=as_json, asks=not yes)
    return _apply(context, confirmed[0], ending, offline=offline)


def _finish_many(
    context: Context,
    name: str,
    names: Sequence[str],
    *,
    by: str | None,
    max_items: int | None,
    yes: bool = False,
    archive: bool = False,
    briefing: bool | None = False,
    reason: str | None,
    force: bool = False,
    **options: Any,
) -> int:
    context.workspace.check_config()
    who = context.who(by)
    own = {"force": force} if name == "complete" else {}

    def plan(one: str, shared: SharedItems) -> ChangePlan:
        made = _plan(
            context, name, one, shared, by=who, reason=reason, options=options["delivery"], **own
        )
        if archive:
            check_archive(context.workspace, made.before)
        return made

    def confirm(plans: Sequence[ChangePlan]) -> Sequence[ChangePlan] | None:
        if not options["offline"]:
            chosen = [(context, [one.before for one in plans])]
            agree_to_pending(chosen, yes=yes, silent=options["as_json"])
        return plans if yes else confirm_finish(context, name, plans, silent=options["as_json"])

    # Several are not asked about.
    ending = Ending(name=name, archive=archive, briefing=bool(briefing), silent=options["as_json"])
    typed = Finishing(ending=ending, plan=plan, confirm=confirm, tell=tell_change, **options)
    done = finish_many(context, names, typed, max_items=max_items)
    if done is None:
        output.talk("Nothing was changed.")
        return DECLINED
    return done


def _plan(
    context: Context, name: str, wanted: str, shared: SharedItems | None = None, **options: Any
) -> ChangePlan:
    if name == "undo":
        return plan_undo_reopen(context.workspace, wanted, **options)
    return plan_finish(context.workspace, wanted, STATUSES[name], shared=shared, **options)


def _apply(context: Context, plan: ChangePlan, ending: Ending, *, offline: bool) -> int:
    as_json = ending.silent
    result = apply_change(context.workspace, plan)
    if as_json:
        tell_remarks(result.increment)
    else:
        tell_change(Applied(plan, result))
    delivered = deliver_and_tell(
        context,
        result.increment,
        options=plan.details["options"],
        fresh=result.fresh,
        offline=offline,
        silent=as_json,
        shared=plan.shared,
    )
    code = 0 if offline else delivered_code(delivered.deliveries, delivered.left)
    if not as_json and plan.undone and code == UNDECIDED:
        tell_undecided(context, delivered)
    elif not as_json and code:
        tell_left(delivered)
    failed, keys = end_change(context, result.increment.id, ending)
    code = code or (UNDECIDED if failed else 0)
    if as_json:
        document = change_document(plan, result, delivered, failed)
        print_document(ending.name, code, **document, **keys)
    return code
