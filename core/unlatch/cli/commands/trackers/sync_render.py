"""The plan and the result of a sync as text."""

from collections.abc import Iterable, Sequence
from shlex import join

from unlatch.cli.commands.trackers.box_text import boxes_text, is_drifting, pulled_text
from unlatch.cli.commands.trackers.not_checked import NotChecked, tell_not_checked
from unlatch.cli.commands.trackers.sync_documents import (
    RefusedItems,
    count_comments,
    count_requests,
)
from unlatch.cli.commands.trackers.sync_next import tell_decisions
from unlatch.cli.render.deliveries import tell_all_left
from unlatch.cli.render.describe import times
from unlatch.cli.render.notes import adoption_line, tell_excess, tell_warnings
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
    context: Context, options: SyncOptions, result: SyncPreview | SyncResult
) -> bool:
    """Report what a branch changed and is not compared; return whether nothing else changed."""
    since, chosen = options.changed_since, result.chosen
    if chosen.configuration is not None:
        output.note(f"{chosen.configuration} changed since {since}: syncing all increments")
    if chosen.gone:
        output.note(f"removed since {since}, and not compared: {', '.join(chosen.gone)}")
    if missing := chosen.changed_left_out:
        text = f"changed since {since}, but not in this sparse checkout: {', '.join(missing)}"
        output.failed(output.clean(text), f"{sparse_command(context.paths)} adds them")
    is_none = since is not None and not chosen.increments and not result.broken
    if is_none and not (chosen.gone or missing):
        output.talk(f"No increments changed since {output.clean(str(since))}.")
    return is_none


def tell_preview(
    context: Context,
    preview: SyncPreview,
    missed: Sequence[NotChecked],
    refused: RefusedItems,
    *,
    requests: bool,
    is_all_done: bool = True,
) -> None:
    """Show the plan; with `requests`, also each request; `is_all_done` as in `tell_result`.

    `refused` are labels that trackers refused on items alone.
    """
    from unlatch.cli.render.preview import item_lines  # noqa: PLC0415  (slow to load)

    _tell_broken(preview.broken)
    if preview.other_branch is not None:
        place = place_of(preview.other_branch)
        output.talk(f"{place} only pending operations would be delivered.")
    output.data(*(f"  {adoption_line(adoption)}" for adoption in preview.adoptions))
    tell_compared(preview.plan)
    tell_decisions(context, preview.plan)
    for move in preview.due.moves:
        output.data(f"  {_move_line(move)}")
    output.data(*item_lines(context, preview.previewed))
    tell_duplicates(preview.duplicates)
    tell_not_checked(context, preview.plan, missed)
    if not (requests and preview.plan.retries_refused):
        _tell_refused(preview.plan, preview.plan.missing_labels, refused)
    if requests:
        output.data(_sum(context, preview))
        if preview.refused:
            tell_excess("unlatch sync", preview.refused, preview.written)
        return
    left = (preview.plan.reported, missed, preview.broken, preview.chosen.changed_left_out)
    if is_all_done and not any(left):
        output.talk(f"{_in_sync(preview).capitalize()}.")


def tell_duplicates(duplicates: Iterable[Duplicates]) -> None:
    """Name the comments that were posted twice, and what became of them."""
    for duplicate in duplicates:
        if duplicate.notes:
            for note in duplicate.notes:
                output.note(f"{duplicate.name}: {note}")
        else:
            output.note(f"{duplicate.name}: a comment that was posted twice was deleted")


def _unsaid(result: SyncResult) -> list[Compared]:
    """The links with refused labels that no delivery of this sync has named."""
    asked = {delivery.operation.key for each in result.delivered for delivery in each.deliveries}
    links = result.missing_labels
    return [
        compared
        for compared in links
        if compared.refused and compared.refused.refusal.key not in asked
    ]


def _tell_refused(plan: SyncPlan, links: Sequence[Compared], items: RefusedItems) -> None:
    labels = [(compared.seen.name, compared.refused) for compared in links if compared.refused]
    labels += [(record.title, refused) for record, refused in items]
    names = dict.fromkeys(compared.increment.id for compared in links)
    tell_refused(labels, join(["unlatch", "sync", *names]) if plan.is_named else RETRY)


def is_partial(result: SyncPreview | SyncResult) -> bool:
    """Whether increments or items were not compared, without an error."""
    return bool(result.plan.excluded or result.chosen.left_out or result.chosen.gone)


def _in_sync(result: SyncPreview | SyncResult) -> str:
    if not is_partial(result):
        return "both sides are in sync"
    if not result.plan.links:
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


def _is_left(compared: Compared) -> bool:
    """Whether a link still differs after a sync."""
    if compared.verdict is Verdict.NOTHING or compared.verdict in _CHANGES:
        return compared.boxes is not None and is_drifting(compared.boxes)
    return True


def shown_links(plan: SyncPlan) -> list[Compared]:
    """The links that differ, without unchecked items."""
    return [
        compared for compared in plan.reported if compared.decision is not None or compared.pending
    ]


def left_links(plan: SyncPlan) -> list[Compared]:
    """The links that still differ after a sync."""
    return [compared for compared in shown_links(plan) if _is_left(compared)]


def link_row(compared: Compared) -> tuple[str, str, str, str, str]:
    there = compared.seen.item.state if compared.seen.item else "unknown"
    return (
        compared.increment.id,
        compared.increment.status.value,
        compared.seen.name,
        there,
        action_of(compared),
    )


def action_of(compared: Compared) -> str:
    """The action for a link; "unknown" if its item was not checked."""
    if compared.pending:
        return _pending(compared)
    if compared.decision is None or compared.verdict is None:
        return "unknown"
    why = f": {compared.decision.why}" if compared.decision.why else ""
    action = f"{_ACTIONS.get(compared.verdict, compared.verdict.value)}{why}"
    boxes = boxes_text(compared.boxes) if compared.boxes and compared.boxes.differ else None
    if boxes and compared.verdict is Verdict.NOTHING:
        return boxes
    return f"{action}; {boxes}" if boxes else action


def _pending(compared: Compared) -> str:
    blocked = [operation for operation in compared.pending if operation.is_blocked]
    causes = ", ".join(sorted({operation.cause for operation in blocked if operation.cause}))
    if not blocked:
        return f"{times(len(compared.pending), 'operation')} pending"
    others = len(compared.pending) - len(blocked)
    return (
        f"{times(len(blocked), 'operation')} blocked"
        + (f" [{causes}]" if causes else "")
        + (f", {others} pending" if others else "")
    )


def tell_pulled(plan: SyncPlan) -> None:
    """Show the tasks and criteria that followed their items."""
    for compared in plan.links:
        if compared.boxes and compared.boxes.marks:
            line = f"{compared.increment.id}: {pulled_text(compared.boxes)} ({compared.seen.name})"
            output.ok(output.clean(line))


def tell_moves(moved: Sequence[Move]) -> None:
    """Show the increments that followed their items; if many, only failures."""
    done = [move for move in moved if move.error is None]
    if len(done) > FEW:
        output.ok(f"{times(len(done), 'increment')} followed their items")
    for move in moved:
        if move.error is not None:
            output.failed(_move_line(move))
            output.data(f"    not done: {output.clean(move.error.message)} [{move.error.id}]")
            if move.error.hint:
                output.data(f"    {output.clean(move.error.hint)}")
        elif len(done) <= FEW:
            output.ok(_move_line(move))
            tell_warnings(move.warnings)


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
    tell_all_left(
        [result for result in result.delivered if result.deliveries and not _is_skipped(result)]
    )
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


def _is_skipped(result: DeliveryResult) -> bool:
    """Whether all that is left are blocked operations that this sync skipped."""
    failed = any(each.error for each in result.deliveries)
    return not failed and result.left == sum(each.is_blocked for each in result.increment.pending)


def _tell_broken(broken: Iterable[BrokenIncrement]) -> None:
    for increment in broken:
        why = f"{output.clean(increment.reason)} [{increment.error_id}]"
        output.failed(f"{increment.id} cannot be read: {why}", increment.hint)


def _move_line(move: Move) -> str:
    before = move.increment.status
    return f"{move.increment.id}: {before} -> {move.to} ({output.clean(move.reason)})"


def _sum(context: Context, preview: SyncPreview) -> str:
    ticks = sum(len(link.boxes.marks) for link in preview.due.links if link.boxes)
    if ticks and not preview.previewed:
        boxes = "1 check box" if ticks == 1 else f"{ticks} check boxes"
        return f"No items would be written to; {boxes} would change in the files."
    if not preview.previewed and not preview.due.moves:
        if records := len([*preview.due.having(Verdict.RECORD)]):
            return (
                f"No items would be changed; {times(records, 'link')} would be recorded as in sync."
            )
        return "No changes would be made."
    titles = {
        name: manifest.title for name, manifest in context.workspace.registry.manifests.items()
    }
    counts = count_requests(preview.previewed)
    requests = ", ".join(f"{titles[name]} {count}" for name, count in counts.items()) or "none"
    comments = count_comments(preview)
    is_seen = bool(comments) or any(counts.values())
    watchers = "; people who watch these items are notified" if is_seen else ""
    return (
        f"{times(preview.written, 'item')} would be written to; requests: {requests}; "
        f"{times(comments, 'comment')}{watchers}. Nothing was written."
    )
