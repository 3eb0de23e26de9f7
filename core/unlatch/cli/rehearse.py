"""--dry-run: each item, the comment, each request; nothing is written anywhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.cli import output
from unlatch.cli.describe import seen_line, times
from unlatch.domain.operation import Kind, Operation
from unlatch.domain.status import Status
from unlatch.engine.finish import needed_by
from unlatch.engine.intent import change_for
from unlatch.engine.items import look
from unlatch.engine.resume import Step

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.cli.session import Session
    from unlatch.domain.increment import Increment, Link
    from unlatch.engine.items import Seen
    from unlatch.engine.trackers import Trackers
    from unlatch.spi import PlannedRequest

_NO_REASON = "(the reason)"


def rehearse(
    session: Session,
    trackers: Trackers,
    increment: Increment,
    step: Step,
    *,
    reason: str | None,
    as_json: bool,
) -> int:
    """Show what resuming would do."""
    if step in (Step.DELIVER, Step.NOTHING):
        operations = increment.pending
    elif step is Step.REOPEN:
        operations = _owed(session, Kind.REOPEN, increment.links, reason or _NO_REASON)
    else:
        operations = ()
    after = replace(increment, status=Status.ACTIVE)
    return _show(session, trackers, increment, after, operations=operations, as_json=as_json)


def rehearse_finish(
    session: Session,
    trackers: Trackers,
    wanted: str,
    to: Status,
    *,
    reason: str | None,
    as_json: bool,
) -> int:
    """Show what completing or abandoning would do."""
    increment = session.workspace.manager.read(wanted)
    links = [link for link in increment.links if not needed_by(session.workspace, increment, link)]
    operations = _owed(session, Kind.CLOSE, links, reason)
    after = replace(increment, status=to)
    return _show(session, trackers, increment, after, operations=operations, as_json=as_json)


def rehearse_operations(
    session: Session,
    trackers: Trackers,
    increment: Increment,
    kind: Kind,
    *,
    links: Iterable[Link],
    reason: str | None,
    as_json: bool,
) -> int:
    """Show what operations of one kind would do to the items of these links."""
    operations = _owed(session, kind, links, reason)
    return _show(session, trackers, increment, increment, operations=operations, as_json=as_json)


def _owed(
    session: Session, kind: Kind, links: Iterable[Link], reason: str | None
) -> tuple[Operation, ...]:
    op, now = session.workspace.new_id(), session.workspace.clock()
    return tuple(
        Operation(op, kind, link.tracker, link.key, now, session.who(None), reason)
        for link in links
    )


def _show(
    session: Session,
    trackers: Trackers,
    before: Increment,
    after: Increment,
    *,
    operations: tuple[Operation, ...],
    as_json: bool,
) -> int:
    rows = [_rehearsed(session, trackers, after, operation) for operation in operations]
    if as_json:
        output.document(
            {
                "schema": "unlatch.dry-run/1",
                "increment": {
                    "id": before.id,
                    "status": before.status.value,
                    "wouldBe": after.status.value,
                },
                "items": [entry for entry, _ in rows],
                "requests": sum(len(entry["requests"]) for entry, _ in rows),
                "exitCode": 0,
            }
        )
        return 0
    output.data(f"Increment {before.id}: {before.status} -> {after.status} (not done: --dry-run)")
    for entry, seen in rows:
        _tell(session, entry, seen)
    count = sum(len(entry["requests"]) for entry, _ in rows)
    output.data(f"{times(count, 'request')} to {times(len(rows), 'item')}; nothing was written.")
    return 0


def _rehearsed(
    session: Session, trackers: Trackers, increment: Increment, operation: Operation
) -> tuple[dict[str, Any], Seen | None]:
    links = [link for link in increment.links if link.key == operation.item]
    seen = look(trackers, links[:1])[0] if links else None
    change = change_for(operation, increment, session.workspace.config)
    requests: tuple[PlannedRequest, ...] = ()
    if seen is not None and seen.item is not None:
        plugin = trackers.open(operation.tracker)
        requests = plugin.plan(seen.item, change)
    comment = change.comment and "\n".join("".join(s.text for s in p) for p in change.comment)
    entry = {
        "tracker": operation.tracker,
        "item": operation.item,
        "state": seen.item.state if seen and seen.item else None,
        "comment": comment,
        "addLabels": list(change.add_labels),
        "removeLabels": list(change.remove_labels),
        "requests": [f"{one.method} {one.url}  {one.what}".rstrip() for one in requests],
        "error": seen.error.id if seen and seen.error else None,
    }
    return entry, seen


def _tell(session: Session, entry: dict[str, Any], seen: Seen | None) -> None:
    if seen is not None:
        output.data(seen_line(session.workspace.registry, seen, columns=16))
    if entry["comment"]:
        for line in entry["comment"].splitlines():
            output.data(f"      | {output.clean(line)}")
    for request in entry["requests"]:
        output.data(f"      {output.clean(request)}")
