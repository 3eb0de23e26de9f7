"""The plan and the result of a sync: in words, as JSON documents, and as exit codes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from unlatch.cli.commands.trackers.not_checked import (
    NotChecked,
    not_checked_entry,
    tell_not_checked,
)
from unlatch.cli.render import documents
from unlatch.cli.render.deliveries import tell_all_left
from unlatch.cli.render.describe import times
from unlatch.cli.render.preview import item_lines, previewed_entry
from unlatch.cli.runtime import output
from unlatch.cli.runtime.failure import UNDECIDED, error_entry, error_lines, problem_entry
from unlatch.cli.runtime.progress import FEW
from unlatch.errors import UnlatchError
from unlatch.sync.compare import Compared, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch.cli.runtime.session import Session
    from unlatch.delivery.preview import Previewed
    from unlatch.increments.model.increment import BrokenIncrement
    from unlatch.publish.publish import PublishResult
    from unlatch.sync.ingest import MatchedEvent
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


def preview_code(found: SyncPreview, missed: Sequence[NotChecked], *, check: bool) -> int:
    """5 if anything could not be checked, and with `check` for any drift."""
    is_checked = not found.broken and all(one.allowed for one in missed)
    return 0 if is_checked and not (check and found.plan.has_drift) else UNDECIDED


def result_code(result: SyncResult, missed: Sequence[NotChecked], published: PublishResult) -> int:
    codes = (documents.delivered_code(one.deliveries, one.left) for one in result.delivered)
    failed = any(one.error for one in result.moved) or not all(one.allowed for one in missed)
    is_undecided = failed or result.plan.is_unresolved or result.refused
    return (
        max(codes, default=0)
        or (UNDECIDED if is_undecided else 0)
        or (published.exit_code if isinstance(published, UnlatchError) else 0)
        or (UNDECIDED if result.broken else 0)
    )


def tell_none_changed(options: SyncOptions, found: SyncPreview | SyncResult) -> bool:
    """Say what a branch changed apart from increments, and that it changed none, if so."""
    since, chosen = options.changed_since, found.chosen
    if chosen.configuration is not None:
        output.note(f"{chosen.configuration} changed since {since}: syncing all increments")
    if chosen.gone:
        output.note(f"removed since {since}, and not compared: {', '.join(chosen.gone)}")
    is_none = since is not None and not chosen.increments and not found.broken
    if is_none and not chosen.gone:
        output.talk(f"No increments changed since {output.clean(str(since))}.")
    return is_none


def tell_preview(
    session: Session, found: SyncPreview, missed: Sequence[NotChecked], *, requests: bool
) -> None:
    """Show the plan; with `requests`, also each request."""
    _tell_broken(found.broken)
    if found.other_branch is not None:
        place = place_of(found.other_branch)
        output.talk(f"{place} only pending operations would be delivered.")
    tell_compared(found.plan)
    for move in found.due.moves:
        output.data(f"  {_move_line(move)}")
    output.data(*item_lines(session, found.items))
    tell_not_checked(session, found.plan, missed)
    if requests:
        output.data(_sum(session, found))
        if found.refused:
            line = f"unlatch sync would fail: {found.refused.message} [{found.refused.id}]"
            output.talk(f"{output.warn('!')} {line}. Next: add --max-items {found.due.items}")
    elif not (found.plan.reported or missed or found.broken):
        is_none = found.plan.excluded and not found.plan.links
        output.talk("No items were compared." if is_none else "Both sides are in sync.")


def place_of(other_branch: str) -> str:
    """The beginning of a line about a branch on which statuses are not compared."""
    is_detached = other_branch == "HEAD"
    return "HEAD is detached:" if is_detached else f"On branch {output.clean(other_branch)}"


def tell_compared(plan: SyncPlan, *, changes: bool = True) -> None:
    """A table of the links that differ; with `changes`, also of those that are brought in sync."""
    shown = (one for one in shown_links(plan) if changes or one.verdict not in _CHANGES)
    rows = list(map(link_row, shown))
    if rows:
        output.table(HEADINGS, rows, flexible=(4,))


def shown_links(plan: SyncPlan) -> list[Compared]:
    """The links that differ, without those of items that were not checked."""
    return [one for one in plan.reported if one.decision is not None or one.pending]


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
    return f"{_ACTIONS.get(one.verdict, one.verdict.value)}{why}"


def _pending(one: Compared) -> str:
    blocked = [operation for operation in one.pending if operation.is_blocked]
    causes = {operation.attempt.cause for operation in blocked if operation.attempt}
    known = ", ".join(sorted(filter(None, causes)))
    if not blocked:
        return f"{times(len(one.pending), 'operation')} pending"
    others = len(one.pending) - len(blocked)
    return (
        f"{times(len(blocked), 'operation')} blocked"
        + (f" [{known}]" if known else "")
        + (f", {others} pending" if others else "")
    )


def tell_moves(moved: Sequence[Move]) -> None:
    """The increments that followed their items; of many, only failures."""
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


def tell_result(session: Session, result: SyncResult, missed: Sequence[NotChecked]) -> None:
    """Show everything that is left to do."""
    event = result.event
    if event and event.ref and not event.increments:
        output.talk(f"No increment is linked to {event.ref.url}.")
    tell_all_left([one for one in result.delivered if one.deliveries])
    if result.blocked:
        skipped = f"{times(result.blocked, 'blocked operation')} skipped."
        output.talk(f"{output.warn(skipped)} Next: unlatch status")
    tell_not_checked(session, result.plan, missed)
    _tell_broken(result.broken)
    if result.refused:
        output.talk(*error_lines(result.refused))
    if not (result.delivered or result.plan.reported or missed or result.moved or result.broken):
        is_none = result.plan.excluded and not result.plan.links
        end = "no items were compared" if is_none else "both sides are in sync"
        output.talk(f"Nothing is pending; {end}.")


def _tell_broken(broken: Iterable[BrokenIncrement]) -> None:
    for one in broken:
        why = f"{output.clean(one.reason)} [{one.error_id}]"
        output.failed(f"{one.id} cannot be read: {why}", one.hint)


def _move_line(move: Move) -> str:
    before = move.increment.status
    return f"{move.increment.id}: {before} -> {move.to} ({output.clean(move.reason)})"


def _sum(session: Session, found: SyncPreview) -> str:
    if not found.items and not found.due.moves:
        if records := len([*found.due.having(Verdict.RECORD)]):
            return (
                f"No items would be changed; {times(records, 'link')} would be recorded as in sync."
            )
        return "No changes would be made."
    titles = {name: one.title for name, one in session.workspace.registry.manifests.items()}
    counts = _requests(found.items)
    requests = ", ".join(f"{titles[name]} {count}" for name, count in counts.items()) or "none"
    watchers = "; people who watch these items are notified" if found.items else ""
    return (
        f"{times(found.due.items, 'item')} would be written to; requests: {requests}; "
        f"{times(_comments(found), 'comment')}{watchers}. Nothing was written."
    )


def _requests(items: Iterable[Previewed]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for item in items:
        counts[item.operation.tracker] += len(item.requests)
    return counts


def _comments(found: SyncPreview) -> int:
    return sum(item.change.comment is not None for item in found.items)


def preview_document(found: SyncPreview, missed: Sequence[NotChecked]) -> output.Json:
    return {
        "compared": [_compared_entry(one) for one in found.plan.reported],
        "notChecked": list(map(not_checked_entry, missed)),
        "moves": [_move_entry(move) for move in found.due.moves],
        "pending": [
            entry for one in found.chosen.increments for entry in documents.pending_of(one)
        ],
        "items": [previewed_entry(item) for item in found.items],
        "requests": _requests(found.items),
        "comments": _comments(found),
        "adrift": found.plan.has_drift,
        "otherBranch": found.other_branch,
        "broken": documents.broken_entries(found.broken),
        "refused": problem_entry(found.refused) if found.refused else None,
    }


def result_document(
    result: SyncResult, missed: Sequence[NotChecked], published: PublishResult
) -> output.Json:
    return {
        "increments": [
            {
                "id": one.increment.id,
                "trackers": [documents.delivery_entry(delivery) for delivery in one.deliveries],
                "left": one.left,
            }
            for one in result.delivered
        ],
        "compared": [_compared_entry(one) for one in result.plan.reported],
        "notChecked": list(map(not_checked_entry, missed)),
        "moves": [_move_entry(one) for one in result.moved],
        "otherBranch": result.other_branch,
        "commit": _commit_entry(published),
        "event": _event_entry(result.event) if result.event else None,
        "broken": documents.broken_entries(result.broken),
        "refused": problem_entry(result.refused) if result.refused else None,
    }


def _compared_entry(one: Compared) -> output.Json:
    return {
        "increment": one.increment.id,
        "status": one.increment.status,
        **documents.link_entry(one.link),
        "name": one.seen.name,
        **output.fields(one.seen.item, "state", "category"),
        "verdict": one.verdict or _no_verdict(one),
        "why": one.decision.why if one.decision else "",
        "error": problem_entry(one.seen.error) if one.seen.error else None,
    }


def _no_verdict(one: Compared) -> str:
    if all(operation.is_blocked for operation in one.pending):
        return "blocked" if one.pending else "unknown"
    return "pending"


def _move_entry(move: Move) -> output.Json:
    return {
        "increment": move.increment.id,
        "before": move.increment.status,
        "after": move.to,
        **output.fields(move, "by", "reason"),
        "error": problem_entry(move.error) if move.error else None,
    }


def _commit_entry(result: PublishResult) -> output.Json | None:
    if result is None:
        return None
    error = result if isinstance(result, UnlatchError) else None
    done = None if isinstance(result, UnlatchError) else result
    return {
        **output.fields(done, "commit", "branch"),
        "increments": done.increments if done else [],
        "proposal": done.proposal if done else None,
        "error": error_entry(error) if error else None,
    }


def _event_entry(matched: MatchedEvent) -> output.Json:
    return {
        "tracker": matched.tracker,
        "action": matched.event.action,
        "url": matched.ref.url if matched.ref else None,
        "by": matched.event.by,
        "increments": [one.id for one in matched.increments],
        "note": matched.event.note,
    }
