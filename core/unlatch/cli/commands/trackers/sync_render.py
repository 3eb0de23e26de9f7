"""The plan and the result of a sync as text."""

from collections.abc import Iterable, Sequence
from shlex import join

from unlatch.cli.commands.trackers.box_text import boxes_text, is_drifting, pulled_text
from unlatch.cli.commands.trackers.not_checked import (
    NotChecked,
    tell_not_checked,
)
from unlatch.cli.commands.trackers.sync_documents import (
    RefusedItems,
    count_comments,
    count_requests,
)
from unlatch.cli.commands.trackers.sync_next import tell_decisions
from unlatch.cli.render.deliveries import tell_all_left
from unlatch.cli.render.describe import times
from unlatch.cli.render.notes import adoption_line, tell_excess, tell_warnings
from unlatch.cli.render.preview import item_lines
from unlatch.cli.render.refused import RETRY, tell_refused
from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.failure import error_lines
from unlatch.cli.terminal import output
from unlatch.cli.terminal.progress import FEW
from unlatch.delivery.duplicates import Duplicates
from unlatch.increments.model.increment import BrokenIncrement
from unlatch.lifecycle.deliver import DeliveryResult
from unlatch.project.git.sparse import sparse_command
from unlatch.sync.compare import Compared, Verdict
from unlatch.sync.plan import Move, SyncPlan
from unlatch.sync.sync import SyncOptions, SyncPreview, SyncResult

HEADINGS = ("Increment", "Here", "Item", "There", "What")
_ACTIONS = {
    Verdict.RECORD: "record as in sync",
    Verdict.PUSH: "item follows",
    Verdict.PULL: "increment follows",
    Verdict.ASK: "needs a decision",
    Verdict.CONFLICT: "conflict",
    Verdict.DRIFT: "left as it is",
    Verdict.EXPECTED: "OK",
}
_CHANGES = frozenset({Verdict.PULL, Verdict.PUSH, Verdict.RECORD})


def tell_none_changed(
    context: Context, options: SyncOptions, found: SyncPreview | SyncResult
) -> bool:
    """Report what a branch changed and is not compared; return whether nothing else changed."""
    since, chosen = options.changed_since, found.chosen
    if chosen.configuration is not None:
        output.note(f"{chosen.configuration} changed since {since}: syncing all increments")
    if chosen.gone:
        output.note(f"removed since {since}, and not compared: {', '.join(chosen.gone)}")
    if missing := chosen.changed_left_out:
        text = f"changed since {since}, but not in this sparse checkout: {', '.join(missing)}"
        output.failed(output.clean(text), f"{sparse_command(context.paths)} adds them")
    is_none = since is not None and not chosen.increments and not found.broken
    if is_none and not (chosen.gone or missing):
        output.talk(f"No increments changed since {output.clean(str(since))}.")
    return is_none


def tell_preview(
    context: Context,
    found: SyncPreview,
    missed: Sequence[NotChecked],
    refused: RefusedItems,
    *,
    requests: bool,
    is_all_done: bool = True,
) -> None:
    """Show the plan; with `requests`, also each request; `is_all_done` as in `tell_result`.

    `refused` are labels that trackers refused on items alone.
    """
    _tell_broken(found.broken)
    if found.other_branch is not None:
        place = place_of(found.other_branch)
        output.talk(f"{place} only pending operations would be delivered.")
    output.data(*(f"  {adoption_line(one)}" for one in found.adoptions))
    tell_compared(found.plan)
    tell_decisions(context, found.plan)
    for move in found.due.moves:
        output.data(f"  {_move_line(move)}")
    output.data(*item_lines(context, found.previewed))
    tell_duplicates(found.duplicates)
    tell_not_checked(context, found.plan, missed)
    if not (requests and found.plan.retries_refused):
        _tell_refused(found.plan, found.plan.missing_labels, refused)
    if requests:
        output.data(_sum(context, found))
        if found.refused:
            tell_excess("unlatch sync", found.refused, found.written)
        return
    left = (found.plan.reported, missed, found.broken, found.chosen.changed_left_out)
    if is_all_done and not any(left):
        output.talk(f"{_in_sync(found).capitalize()}.")


def tell_duplicates(duplicates: Iterable[Duplicates]) -> None:
    """Name the comments that were posted twice, and what became of them."""
    for one in duplicates:
        if one.notes:
            for note in one.notes:
                output.note(f"{one.name}: {note}")
        else:
            output.note(f"{one.name}: a comment that was posted twice was deleted")


def _unsaid(result: SyncResult) -> list[Compared]:
    """The links with refused labels that no delivery of this sync has named."""
    asked = {one.operation.key for each in result.delivered for one in each.deliveries}
    links = result.missing_labels
    return [one for one in links if one.refused and one.refused.refusal.key not in asked]


def _tell_refused(plan: SyncPlan, links: Sequence[Compared], items: RefusedItems) -> None:
    shown = [(one.seen.name, one.refused) for one in links if one.refused]
    shown += [(record.title, refused) for record, refused in items]
    names = dict.fromkeys(one.increment.id for one in links)
    tell_refused(shown, join(["unlatch", "sync", *names]) if plan.is_named else RETRY)


def is_partial(found: SyncPreview | SyncResult) -> bool:
    """Whether increments or items were not compared, without an error."""
    return bool(found.plan.excluded or found.chosen.left_out or found.chosen.gone)


def _in_sync(found: SyncPreview | SyncResult) -> str:
    if not is_partial(found):
        return "both sides are in sync"
    if not found.plan.links:
        return "no items were compared"
    return "both sides are in sync as far as they were compared"


def place_of(other_branch: str) -> str:
    """The start of a line about a branch without comparison of statuses."""
    is_detached = other_branch == "HEAD"
    return "HEAD is detached:" if is_detached else f"On branch {output.clean(other_branch)}"


def tell_compared(plan: SyncPlan, *, changes: bool = True) -> None:
    """Show a table of the links that differ; with `changes`, also those to be synced."""
    rows = list(map(link_row, shown_links(plan) if changes else left_links(plan)))
    if rows:
        output.table(HEADINGS, rows, flexible=(4,))


def _is_left(one: Compared) -> bool:
    """Whether a link still differs after a sync."""
    if one.verdict is Verdict.NOTHING or one.verdict in _CHANGES:
        return one.boxes is not None and is_drifting(one.boxes)
    return True


def shown_links(plan: SyncPlan) -> list[Compared]:
    """The links that differ, without unchecked items."""
    return [one for one in plan.reported if one.decision is not None or one.pending]


def left_links(plan: SyncPlan) -> list[Compared]:
    """The links that still differ after a sync."""
    return [one for one in shown_links(plan) if _is_left(one)]


def link_row(one: Compared) -> tuple[str, str, str, str, str]:
    there = one.seen.item.state if one.seen.item else "unknown"
    return (one.increment.id, one.increment.status.value, one.seen.name, there, action_of(one))


def action_of(one: Compared) -> str:
    """The action for a link; "unknown" if its item was not checked."""
    if one.pending:
        return _pending(one)
    if one.decision is None or one.verdict is None:
        return "unknown"
    why = f": {one.decision.why}" if one.decision.why else ""
    action = f"{_ACTIONS.get(one.verdict, one.verdict.value)}{why}"
    boxes = boxes_text(one.boxes) if one.boxes and one.boxes.differ else None
    if boxes and one.verdict is Verdict.NOTHING:
        return boxes
    return f"{action}; {boxes}" if boxes else action


def _pending(one: Compared) -> str:
    blocked = [operation for operation in one.pending if operation.is_blocked]
    known = ", ".join(sorted({operation.cause for operation in blocked if operation.cause}))
    if not blocked:
        return f"{times(len(one.pending), 'operation')} pending"
    others = len(one.pending) - len(blocked)
    return (
        f"{times(len(blocked), 'operation')} blocked"
        + (f" [{known}]" if known else "")
        + (f", {others} pending" if others else "")
    )


def tell_pulled(plan: SyncPlan) -> None:
    """Show the tasks and criteria that followed their items."""
    for one in plan.links:
        if one.boxes and one.boxes.marks:
            line = f"{one.increment.id}: {pulled_text(one.boxes)} ({one.seen.name})"
            output.ok(output.clean(line))


def tell_moves(moved: Sequence[Move]) -> None:
    """Show the increments that followed their items; if many, only failures."""
    done = [one for one in moved if one.error is None]
    if len(done) > FEW:
        output.ok(f"{times(len(done), 'increment')} followed their items")
    for one in moved:
        if one.error is not None:
            output.failed(_move_line(one))
            output.data(f"    not done: {output.clean(one.error.message)} [{one.error.id}]")
            if one.error.hint:
                output.data(f"    {output.clean(one.error.hint)}")
        elif len(done) <= FEW:
            output.ok(_move_line(one))
            tell_warnings(one.warnings)


def tell_result(
    context: Context,
    result: SyncResult,
    missed: Sequence[NotChecked],
    refused: RefusedItems,
    *,
    is_all_done: bool,
) -> None:
    """Show everything that is left to do; `is_all_done` if it is nothing for items alone."""
    event = result.event
    here = " in this checkout" if result.chosen.left_out else ""
    if event and event.ref and not event.increments:
        output.talk(f"No increment{here} is linked to {event.ref.url}.")
    for adopted in result.adoptions:
        output.ok(f"Increment {adoption_line(adopted)}")
    tell_all_left([one for one in result.delivered if one.deliveries and not _is_skipped(one)])
    if result.blocked:
        skipped = f"{times(result.blocked, 'blocked operation')} skipped."
        output.talk(f"{output.warn(skipped)} Next: unlatch status")
    tell_duplicates(result.duplicates)
    tell_not_checked(context, result.plan, missed)
    _tell_refused(result.plan, _unsaid(result), refused)
    tell_decisions(context, result.plan)
    _tell_broken(result.broken)
    if result.refused:
        output.talk(*error_lines(result.refused))
    left = (result.delivered, result.plan.reported, missed, result.moved, result.broken)
    if is_all_done and not any((*left, result.chosen.changed_left_out)):
        output.talk(f"Nothing is pending{here}; {_in_sync(result)}.")


def _is_skipped(one: DeliveryResult) -> bool:
    """Whether all that is left are blocked operations that this sync skipped."""
    failed = any(each.error for each in one.deliveries)
    return not failed and one.left == sum(each.is_blocked for each in one.increment.pending)


def _tell_broken(broken: Iterable[BrokenIncrement]) -> None:
    for one in broken:
        why = f"{output.clean(one.reason)} [{one.error_id}]"
        output.failed(f"{one.id} cannot be read: {why}", one.hint)


def _move_line(move: Move) -> str:
    before = move.increment.status
    return f"{move.increment.id}: {before} -> {move.to} ({output.clean(move.reason)})"


def _sum(context: Context, found: SyncPreview) -> str:
    ticks = sum(len(one.boxes.marks) for one in found.due.links if one.boxes)
    if ticks and not found.previewed:
        boxes = "1 check box" if ticks == 1 else f"{ticks} check boxes"
        return f"No items would be written to; {boxes} would change in the files."
    if not found.previewed and not found.due.moves:
        if records := len([*found.due.having(Verdict.RECORD)]):
            return (
                f"No items would be changed; {times(records, 'link')} would be recorded as in sync."
            )
        return "No changes would be made."
    titles = {name: one.title for name, one in context.workspace.registry.manifests.items()}
    counts = count_requests(found.previewed)
    requests = ", ".join(f"{titles[name]} {count}" for name, count in counts.items()) or "none"
    watchers = "; people who watch these items are notified" if found.previewed else ""
    return (
        f"{times(found.written, 'item')} would be written to; requests: {requests}; "
        f"{times(count_comments(found), 'comment')}{watchers}. Nothing was written."
    )
