"""What sync found and would do, in words and for scripts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import pending_of
from unlatch.cli.render.preview import item_lines, previewed_entry
from unlatch.cli.runtime import output
from unlatch.cli.runtime.failure import problem_entry
from unlatch.cli.runtime.progress import FEW
from unlatch.sync.apply import Moved, preview_sync
from unlatch.sync.compare import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.contracts.parts import Broken
    from unlatch.cli.contracts.syncing import ComparedEntry, MoveEntry, SyncPlanDocument
    from unlatch.cli.runtime.session import Session
    from unlatch.delivery.preview import Previewed
    from unlatch.delivery.run import DeliveryRun
    from unlatch.errors import UnlatchError
    from unlatch.increments.model.increment import BrokenIncrement, Increment
    from unlatch.sync.compare import Compared
    from unlatch.sync.plan import Move, SyncPlan

ADRIFT = 5
_ACTS = {
    Verdict.RECORD: "note as in step",
    Verdict.PUSH: "item follows",
    Verdict.PULL: "increment follows",
    Verdict.ASK: "has to be decided",
    Verdict.CONFLICT: "conflict",
    Verdict.DRIFT: "left as it is",
    Verdict.EXPECTED: "as it should be",
}
# Without one of these nothing can be compared, and a fork's job has none.
NO_TOKEN = frozenset({"credential-missing", "credential-incomplete"})


def adrift_code(plan: SyncPlan) -> int:
    """The exit code of the CI gate."""
    if plan.is_adrift:
        return ADRIFT
    errors = [one.seen.error for one in plan.links if one.seen.error is not None]
    return ADRIFT if any(error.id not in NO_TOKEN for error in errors) else 0


def tell_plan(
    session: Session,
    run: DeliveryRun,
    plan: SyncPlan,
    increments: Sequence[Increment],
    *,
    by: str,
    other: str | None,
    requests: bool,
    as_json: bool,
    code: int,
    broken: Sequence[BrokenIncrement],
) -> None:
    """Show what bringing both sides in step would do.

    Args:
        requests: whether each request is to be shown, too.
    """
    items = preview_sync(run, plan, by=by) if requests else ()
    if as_json:
        output.document(_document(plan, increments, items, other=other, code=code, broken=broken))
        return
    if other is not None:
        output.talk(f"On branch {other} nothing of this would be done but what is pending.")
    tell_compared(plan)
    for move in plan.moves:
        output.data(f"  {_move_line(move)}")
    for line in item_lines(session, items):
        output.data(line)
    if requests:
        output.data(_sum(session, plan, items))
    elif not plan.told and not broken:
        output.talk("Both sides are in sync.")


def tell_compared(plan: SyncPlan, *, moves: bool = True) -> None:
    """A table of the links that are not simply in step."""
    hidden = set() if moves else {Verdict.PULL, Verdict.PUSH, Verdict.RECORD}
    rows = [_row(one) for one in plan.told if one.verdict not in hidden]
    if rows:
        output.table(("Increment", "Here", "Item", "There", "What"), rows, flexible=4)


def _row(one: Compared) -> tuple[str, str, str, str, str]:
    item = one.seen.item
    there = item.state if item else "unknown"
    return (one.increment.id, one.increment.status.value, one.seen.name, there, what_of(one))


def what_of(one: Compared) -> str:
    """What is to be done about a link, or what keeps it from being known."""
    if one.pending:
        return f"{times(one.pending, 'operation')} pending"
    if one.seen.error is not None:
        hint = f"; {one.seen.error.hint}" if one.seen.error.hint else ""
        return f"{one.seen.error.message} [{one.seen.error.id}]{hint}"
    if one.decision is None or one.verdict is None:
        return "unknown"
    why = f": {one.decision.why}" if one.decision.why else ""
    return f"{_ACTS.get(one.verdict, one.verdict.value)}{why}"


def _move_line(move: Move) -> str:
    before = move.increment.status
    return f"{move.increment.id}: {before} -> {move.to} ({output.clean(move.reason)})"


def tell_moves(moved: Sequence[Moved]) -> None:
    """The result of the increments that were to follow their items; of many, only failures."""
    done = [one for one in moved if one.error is None]
    if len(done) > FEW:
        mark = output.good(output.sign("ok"))
        output.data(f"{mark} {times(len(done), 'increment')} followed their items")
    for one in moved:
        if one.error is not None or len(done) <= FEW:
            tell_move(one)


def tell_move(moved: Moved) -> None:
    """The result of an increment that was to follow its items."""
    line = _move_line(moved.move)
    if moved.error is None:
        output.data(f"{output.good(output.sign('ok'))} {line}")
        return
    output.data(f"{output.bad(output.sign('no'))} {line}")
    output.data(f"    not done: {output.clean(moved.error.message)} [{moved.error.id}]")
    if moved.error.hint:
        output.data(f"    {output.clean(moved.error.hint)}")


def _sum(session: Session, plan: SyncPlan, items: Sequence[Previewed]) -> str:
    counts = _requests(items)
    if not items and not plan.moves:
        return "Nothing would be sent; nothing was written."
    titles = {name: one.title for name, one in session.workspace.registry.manifests.items()}
    requests = ", ".join(f"{titles[name]} {count}" for name, count in counts.items()) or "none"
    comments = sum(item.change.comment is not None for item in items)
    told = f"{times(plan.items, 'item')} would be written to; requests: {requests}"
    watchers = "; people who watch these items are notified" if items else ""
    return f"{told}; {times(comments, 'comment')}{watchers}. Nothing was written."


def _requests(items: Sequence[Previewed]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for item in items:
        counts[item.operation.tracker] += len(item.requests)
    return dict(counts)


def _document(
    plan: SyncPlan,
    increments: Sequence[Increment],
    items: Sequence[Previewed],
    *,
    other: str | None,
    code: int,
    broken: Sequence[BrokenIncrement],
) -> SyncPlanDocument:
    return {
        "schema": "unlatch.sync-plan/1",
        "compared": [compared_entry(one) for one in plan.told],
        "moves": [move_entry(move) for move in plan.moves],
        "pending": [entry for increment in increments for entry in pending_of(increment)],
        "items": [previewed_entry(item) for item in items],
        "requests": _requests(items),
        "comments": sum(item.change.comment is not None for item in items),
        "adrift": plan.is_adrift,
        "otherBranch": other,
        "broken": broken_entries(broken),
        "exitCode": code,
    }


def broken_entries(broken: Sequence[BrokenIncrement]) -> list[Broken]:
    """Increments that could not be compared, for scripts."""
    return [{"id": one.id, "reason": one.reason, "hint": one.hint} for one in broken]


def compared_entry(one: Compared) -> ComparedEntry:
    """A link and what both of its sides are, for scripts."""
    item = one.seen.item
    return {
        "increment": one.increment.id,
        "status": one.increment.status,
        "tracker": one.link.tracker,
        "id": one.link.item,
        "url": one.link.url,
        "name": one.seen.name,
        "state": item.state if item else None,
        "category": item.category.value if item else None,
        "verdict": one.verdict.value if one.verdict else ("owed" if one.pending else "unknown"),
        "why": one.decision.why if one.decision else "",
        "error": problem_entry(one.seen.error) if one.seen.error else None,
    }


def move_entry(move: Move, error: UnlatchError | None = None) -> MoveEntry:
    """An increment that follows its items, for scripts."""
    return {
        "increment": move.increment.id,
        "before": move.increment.status,
        "after": move.to,
        "by": move.by,
        "reason": move.reason,
        "error": problem_entry(error) if error else None,
    }
