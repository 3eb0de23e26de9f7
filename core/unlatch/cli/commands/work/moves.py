"""unlatch start, pause, review, backlog: moves along the status table that no tracker sees."""

from __future__ import annotations

from functools import partial
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.common import BY, JSON, dry_run_option
from unlatch.cli.options.increments import IDS
from unlatch.cli.options.reason import reason_option
from unlatch.cli.render.notes import tell_remarks, tell_warnings
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.terminal import output
from unlatch.increments.model.status import Status
from unlatch.lifecycle.activation_guard import ActivationOptions
from unlatch.lifecycle.move import ChangeResult, move, preview_move

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.cli.runtime.context import Context
    from unlatch.cli.runtime.increments import Named
    from unlatch.cli.table import Entry
    from unlatch.lifecycle.change import Refusal

STATUSES = {
    "start": Status.ACTIVE,
    "pause": Status.PAUSED,
    "review": Status.READY_FOR_REVIEW,
    "backlog": Status.BACKLOG,
}

_DRY_RUN = dry_run_option("--dry-run", help="Show the changes, and write nothing.")


def _forced(function: Any, *, to: Status) -> Any:
    if to is not Status.ACTIVE:  # only the limits for active increments may refuse a move
        return function
    from unlatch.cli.options.delivery import FORCE  # noqa: PLC0415

    return FORCE(function)


def command(entry: Entry) -> click.Command:
    to = STATUSES[entry.name]

    @click.command(entry.name, help=entry.own_help)
    @IDS
    @reason_option("Record this reason in the history.")
    @BY
    @partial(_forced, to=to)
    @_DRY_RUN
    @JSON
    @with_context
    def run(
        context: Context,
        *,
        named: Named,
        reason: str | None,
        by: str | None,
        dry_run: bool,
        as_json: bool,
        force: bool = False,
    ) -> int:
        who, activation = context.who(by), ActivationOptions(force=force)
        if dry_run:
            how: Any = {"by": who, "reason": reason, "activation": activation}
            return _preview(context, entry.name, named, how, as_json=as_json)

        def change(name: str) -> ChangeResult:
            workspace = context.workspace
            return move(workspace, name, to, by=who, reason=reason, activation=activation)

        if named.is_many:
            return _move_many(context, entry.name, named, change, as_json=as_json)
        moved = change(named.names[0])
        if as_json:
            tell_remarks(moved.increment)
            output.document(entry.name, **_document(moved))
        else:
            _tell(moved)
        return 0

    return run


def _preview(context: Context, name: str, named: Named, how: Any, *, as_json: bool) -> int:
    from unlatch.cli.render.preview import tell_preview  # noqa: PLC0415  (slow to load)
    from unlatch.cli.render.preview_many import tell_previews  # noqa: PLC0415
    from unlatch.delivery.preview import Preview  # noqa: PLC0415
    from unlatch.lifecycle.change import Refusal  # noqa: PLC0415
    from unlatch.lifecycle.many import change_each  # noqa: PLC0415

    to, workspace = STATUSES[name], context.workspace
    wip = {one.folder: one for one in workspace.manager.list()} if to is Status.ACTIVE else {}

    def preview(one: str) -> Preview:
        plan, approval = preview_move(workspace, one, to, wip=wip, **how)
        wip[plan.before.folder] = plan.after
        return Preview(plan, (), warnings=approval.warnings)

    if not named.is_many:
        return tell_preview(context, preview(named.names[0]), as_json=as_json)
    found = change_each(workspace, named.names, preview)
    return tell_previews(
        context,
        [one for one in found if not isinstance(one, Refusal)],
        [one for one in found if isinstance(one, Refusal)],
        command=f"unlatch {quote(name)}",
        items=0,
        excess=None,
        as_json=as_json,
    )


def _move_many(
    context: Context,
    name: str,
    named: Named,
    change: Callable[[str], ChangeResult],
    *,
    as_json: bool,
) -> int:
    from unlatch.cli.render.refusals import tell_refusals  # noqa: PLC0415  (as for many)
    from unlatch.cli.runtime.failure import code_of_many  # noqa: PLC0415
    from unlatch.lifecycle.change import Refusal  # noqa: PLC0415
    from unlatch.lifecycle.many import change_each  # noqa: PLC0415

    def report(one: ChangeResult | Refusal) -> None:
        if isinstance(one, Refusal):
            context.trace(one.error)
        elif as_json:
            tell_remarks(one.increment)
        else:
            _tell(one)

    moved = change_each(context.workspace, named.names, change, report)
    refused = [one for one in moved if isinstance(one, Refusal)]
    codes = (one.error.exit_code for one in refused)
    done = [one for one in moved if not isinstance(one, Refusal)]
    changed = any(one.before.status is not one.increment.status for one in done)
    code = code_of_many(codes, changed=changed)
    if as_json:
        output.document(f"{name}-many", code, increments=list(map(_entry, moved)))
    else:
        tell_refusals(refused)
    return code


def _tell(moved: ChangeResult) -> None:
    before, after = moved.before.status, moved.increment
    is_same = before is after.status
    change = f" is already {before}" if is_same else f": {before} -> {after.status}"
    output.ok(f"Increment {after.id}{change}")
    if moved.is_reason_lost:
        output.remark("this reason was not recorded")
    tell_remarks(after)
    tell_warnings(moved.approval.warnings)


def _document(moved: ChangeResult) -> output.Json:
    from unlatch.cli.render.documents import increment_entry, warning_entries  # noqa: PLC0415

    return {
        "increment": increment_entry(
            moved.increment, moved.before.status, is_reason_lost=moved.is_reason_lost
        ),
        "warnings": warning_entries(moved.approval.warnings),
    }


def _entry(one: ChangeResult | Refusal) -> output.Json:
    if isinstance(one, ChangeResult):
        made = _document(one)
        return {**made["increment"], "warnings": made["warnings"], "error": None}
    from unlatch.cli.render.refusals import refused_entry  # noqa: PLC0415

    return {**refused_entry(one), "warnings": []}
