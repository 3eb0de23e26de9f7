"""unlatch status ITEM...: items as they are now, and what is pending on them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from unlatch.cli.commands.items.render import pending_line, record_facts
from unlatch.cli.render.describe import ago, lines_of, seen_line
from unlatch.cli.render.documents import item_entry
from unlatch.cli.render.notes import tell_unread
from unlatch.cli.runtime.failure import UNDECIDED
from unlatch.cli.runtime.item_words import find_groups, record_outside, with_increments
from unlatch.cli.terminal import output
from unlatch.lifecycle.items.change import find_increments, find_records, locate_items
from unlatch.lifecycle.items.outcome import ReopenOutcome, outcome_of
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.fetch_items import ItemSnapshot

_COLUMNS = 14
_OUTCOMES = {
    ReopenOutcome.OPENED: "reopened",
    ReopenOutcome.ALREADY_OPEN: "already open when reopened",
    ReopenOutcome.RECORDED: "reopen recorded",
    ReopenOutcome.WITHDRAWN: "reopen withdrawn, recorded",
    ReopenOutcome.SUPERSEDED: "reopen superseded, recorded",
}


def show_items(context: Context, words: Sequence[str], *, as_json: bool) -> int:
    """Show items; the exit code is 5 if one could not be read."""
    matches: list[tuple[ItemSnapshot, Increment | None]] = []
    owners: list[list[Increment]] = []
    own = context
    with ExitStack() as opened:
        for group in find_groups(context, words):
            own = context.over(group.workspace)
            trackers = opened.enter_context(own.trackers())
            refs = locate_items(trackers, group.words)
            records = find_records(group.workspace, trackers, refs)
            matches += [
                (seen, record or (record_outside(ref) if group.is_project else None))
                for ref, (seen, record) in zip(refs, records, strict=True)
            ]
            owners += find_increments(with_increments(context, group), trackers, refs)
    seen = [snapshot for snapshot, _ in matches]
    code = UNDECIDED if any(snapshot.error for snapshot in seen) else 0
    if as_json:
        items = [_entry(*pair, of) for pair, of in zip(matches, owners, strict=True)]
        output.document("item-status", code, items=items)
        return code
    now = own.workspace.clock()
    for (snapshot, record), increments in zip(matches, owners, strict=True):
        context.trace(snapshot.error)
        output.data(
            seen_line(own.workspace.registry, snapshot, columns=_COLUMNS).removeprefix("    ")
        )
        output.data(
            *(f"    belongs to {output.clean(each.id)} ({each.status})" for each in increments)
        )
        if record is not None and record.reopens:
            last = record.reopens[-1]
            when, by = ago(last.reopened_at, now), output.clean(last.reopened_by)
            head = f"{_OUTCOMES[outcome_of(record, last)]} {when} by {by}"
            if last.reverted_at is not None:
                is_sent = all(operation.kind is not Kind.UNDO for operation in record.pending)
                head += f", {'undone' if is_sent else 'undo recorded'} {ago(last.reverted_at, now)}"
            output.data(*lines_of("    ", f"{head}: ", last.reason))
        if record is not None and record.pending:
            output.data(f"    {pending_line(record)}")
    tell_unread(seen)
    return code


def _entry(
    seen: ItemSnapshot, record: Increment | None, increments: Sequence[Increment]
) -> output.Json:
    facts = record_facts(record) | {"increments": [increment.id for increment in increments]}
    return {**item_entry(seen), **facts, "name": seen.name}
