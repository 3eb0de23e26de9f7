"""unlatch start, pause, review, backlog: moves along the status table that no tracker sees."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.common import BY, dry_run_option, with_json
from unlatch.cli.options.increments import IDS
from unlatch.cli.options.reason import reason_option
from unlatch.cli.render.dialog import Dialog
from unlatch.cli.render.notes import tell_remarks, tell_warnings
from unlatch.cli.terminal import output
from unlatch.increments.model.status import Status
from unlatch.lifecycle.activation_guard import ActivationOptions
from unlatch.lifecycle.carry_out import carry_out, plan_each
from unlatch.lifecycle.change import ChangeOptions, Done, Ended, Place, Work
from unlatch.lifecycle.status_change import plan_move

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.cli.runtime.increments import Named
    from unlatch.cli.table import Entry

STATUSES = {
    "start": Status.ACTIVE,
    "pause": Status.PAUSED,
    "review": Status.READY_FOR_REVIEW,
    "backlog": Status.BACKLOG,
}

_DRY_RUN = dry_run_option("Show the changes, and write nothing.")


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
    @with_json
    def run(
        context: Context,
        *,
        named: Named,
        reason: str | None,
        by: str | None,
        force: bool = False,
        **given: Any,
    ) -> int:
        workspace, is_many = context.workspace, named.is_many
        how: Any = {"by": context.who(by), "reason": reason}
        how["activation"] = ActivationOptions(force=force)
        options = ChangeOptions(
            command=entry.name, is_many=is_many, activates=to is Status.ACTIVE, **given
        )
        changes, refused = plan_each(
            *(workspace, named.names, lambda name: plan_move(workspace, name, to, **how)),
            stops=not is_many,
        )
        works = [Work(Place(workspace), changes, refused, named.names)]
        return carry_out(works, MoveDialog(context, options), options)

    return run


class MoveDialog(Dialog):
    """What a move shows; it asks nothing."""

    def tell(self, done: Done) -> None:
        outcome = done.outcome
        before, after = outcome.before.status, outcome.increment
        is_same = before is after.status
        change = f" is already {before}" if is_same else f": {before} -> {after.status}"
        output.ok(f"Increment {after.id}{change}")
        if outcome.is_reason_lost:
            output.remark("this reason was not recorded")
        tell_remarks(after)
        tell_warnings(outcome.warnings)

    def tell_left(self, _done: Sequence[Done]) -> None:
        """Nothing is delivered."""

    def print_document(self, name: str, code: int, **parts: Any) -> None:
        output.document(name, code, **parts)

    def entry(self, ended: Ended) -> output.Json:
        entry = super().entry(ended)
        if entry["error"] is not None:
            entry["warnings"] = entry.pop("warnings")  # there it follows the error
        return entry
