"""unlatch start, pause, review, backlog: moves along the status table that no tracker sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.delivery import FORCE
from unlatch.cli.options.reason import reason_option
from unlatch.cli.render.documents import increment_entry, warning_entries
from unlatch.cli.render.notes import tell_remarks, tell_warnings
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import BY, ID, JSON, Session, with_session
from unlatch.increments.model.status import Status
from unlatch.lifecycle.activation_guard import ActivationOptions
from unlatch.lifecycle.status_change import move

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.cli.table import Entry

STATUSES = {
    "start": Status.ACTIVE,
    "pause": Status.PAUSED,
    "review": Status.READY_FOR_REVIEW,
    "backlog": Status.BACKLOG,
}


def command(entry: Entry) -> click.Command:
    to = STATUSES[entry.name]
    # Only the limits for active increments may refuse a move.
    force: Callable[[Any], Any] = FORCE if to is Status.ACTIVE else lambda function: function

    @click.command(entry.name, help=entry.own_help)
    @ID
    @reason_option("Record this reason in the history.")
    @BY
    @force
    @JSON
    @with_session
    def run(
        session: Session,
        *,
        wanted: str,
        reason: str | None,
        by: str | None,
        as_json: bool,
        force: bool = False,
    ) -> int:
        who, activation = session.who(by), ActivationOptions(force=force)
        moved = move(session.workspace, wanted, to, by=who, reason=reason, activation=activation)
        before, after, warnings = moved.before.status, moved.increment, moved.approval.warnings
        if as_json:
            tell_remarks(after)
            output.document(
                entry.name,
                increment=increment_entry(after, before),
                warnings=warning_entries(warnings),
            )
            return 0
        is_same = before is after.status
        change = f" is already {before}" if is_same else f": {before} -> {after.status}"
        output.ok(f"Increment {after.id}{change}")
        tell_remarks(after)
        tell_warnings(warnings)
        return 0

    return run
