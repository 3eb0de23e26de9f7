"""Increments, items and deliveries as text."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from unlatch.cli.runtime.output import bad, clean, faint, good, hang, sign, warn
from unlatch.delivery.states import State
from unlatch.spi.operation import Kind, Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from unlatch.delivery.task import Delivery, Effect
    from unlatch.errors import UnlatchError
    from unlatch.increments.model.increment import Link
    from unlatch.lifecycle.fetch_items import ItemSnapshot
    from unlatch.lifecycle.scoping.scope import Scope
    from unlatch.project.registry import Registry
    from unlatch.spi.operation import Operation

RESULTS: Mapping[str, str] = {
    Result.REOPENED: "reopened",
    Result.ALREADY_OPEN: "was open already",
    Result.CLOSED: "closed",
    Result.ALREADY_CLOSED: "was closed already",
    Result.CREATED: "created",
    Result.UPDATED: "updated",
    Result.UNCHANGED: "was up to date already",
}
_WANTED = {
    Kind.REOPEN: "reopened",
    Kind.CLOSE: "closed",
    Kind.CREATE: "created",
    Kind.UPDATE: "updated",
    Kind.UNDO: "undone",
}
_COMMENTED, _LABELS_ADDED, _LABELS_REMOVED = "commented", "labels added", "labels removed"
# The text for a part that failed, and for one with an unknown result.
_FAILED = {
    _COMMENTED: ("not commented", "the comment was posted"),
    _LABELS_ADDED: ("labels not added", "the labels were added"),
    _LABELS_REMOVED: ("labels not removed", "the labels were removed"),
}


def ago(moment: datetime, now: datetime) -> str:
    """The time since a moment, in the largest unit that fits."""
    days = (now - moment).days
    if days < 0:
        return "in the future"
    if days == 0:
        return "today"
    return "yesterday" if days == 1 else f"{days} days ago"


def seen_line(registry: Registry, seen: ItemSnapshot, *, columns: int) -> str:
    """A linked item before the prompt: tracker, name, title, and state."""
    return "".join(_seen_parts(registry, seen, columns))


def _seen_parts(registry: Registry, seen: ItemSnapshot, columns: int) -> tuple[str, str]:
    title = registry.manifest(seen.link.tracker).title
    return f"    {title:<{columns}}", f"{clean(seen.name)} {_state_of(seen)}"


def synced_lines(
    registry: Registry,
    seen: ItemSnapshot,
    times: Mapping[Link, datetime],
    *,
    columns: int,
    now: datetime,
) -> list[str]:
    """The same, and when it was last synced."""
    head, text = _seen_parts(registry, seen, columns)
    at = times.get(seen.link)
    return hang(head, f"{text}, last synced {ago(at, now)}" if at else text)


def _state_of(seen: ItemSnapshot) -> str:
    if seen.error is not None:
        causes = "; ".join(seen.error.problems) or seen.error.message
        return warn(f"(unknown: {clean(causes)})")
    if seen.item is None:
        return warn("(unknown)")
    item = seen.item
    facts = [item.type, item.state, f"assigned to {item.assignee}" if item.assignee else None]
    return f'"{clean(item.title)}" ({clean(", ".join(filter(None, facts)))})'


def tracker_title(registry: Registry, tracker: str) -> str:
    """The title of a tracker, or its name if no plugin for it is installed."""
    manifest = registry.manifests.get(tracker)
    return manifest.title if manifest else tracker


def delivery_lines(registry: Registry, delivery: Delivery, *, again: bool = False) -> list[str]:
    """The result of an operation part by part, and the next step if it was not delivered.

    Args:
        again: whether the cause was shown for another operation, and is not repeated.
    """
    tracker = tracker_title(registry, delivery.operation.tracker)
    name = f"{tracker} {clean(delivery.name)}"
    error = delivery.error
    if error is None:
        if delivery.effect is not None and delivery.found:
            acts = ["was delivered before; now recorded"]
        else:
            left = [clean(delivery.undecided)] if delivery.undecided else []
            acts = [*_done(delivery), *left] or ["nothing to do"]
        return [f"{good(sign('ok', sys.stdout))} {name} {'; '.join(acts)}", *_notes(delivery)]
    parts = "; ".join([*_done(delivery), *_not_done(delivery)])
    message = "as above" if again else clean(error.message)
    return [
        f"{bad(sign('no', sys.stdout))} {name} {parts}: {message} {faint(f'[{error.id}]')}",
        *([f"    {clean(error.hint)}"] if error.hint and not again else []),
        *_notes(delivery),
    ]


def _done(delivery: Delivery) -> list[str]:
    """The parts that were done."""
    effect = delivery.effect
    if effect is None:
        return []
    acts = [RESULTS[effect.result]] if _state_is_done(delivery, effect) else []
    if effect.commented:
        acts.append("commented")
    signs = (("+", effect.labels_added), ("-", effect.labels_removed))
    if labels := [clean(f"{sign}{label}") for sign, labels in signs for label in labels]:
        acts.append(f"labels {' '.join(labels)}")
    return acts


def _state_is_done(delivery: Delivery, effect: Effect) -> bool:
    # The result of an update is the same whether it failed or not.
    is_failed_update = delivery.operation.kind is Kind.UPDATE and delivery.error is not None
    return effect.result in RESULTS and not is_failed_update


def _not_done(delivery: Delivery) -> list[str]:
    """The part that failed or has an unknown result, and the labels that were not tried."""
    if delivery.requests == 0 and delivery.change is None:
        return ["not delivered yet"]
    part = _failed_part(delivery)
    if part is None:
        return []
    failed, unknown = _FAILED.get(part, (f"not {part}", f"it was {part}"))
    if delivery.state is State.UNKNOWN:
        return [f"not known whether {unknown}"]
    asked = delivery.change
    labels = asked is not None and bool(asked.add_labels or asked.remove_labels)
    return [failed, *(["labels not changed"] if part == _COMMENTED and labels else [])]


def _failed_part(delivery: Delivery) -> str | None:
    """The first part that is not known to be done; None if all are, as before a lost read."""
    asked, effect = delivery.change, delivery.effect
    if effect is None or not _state_is_done(delivery, effect):
        is_comment = asked is not None and asked.goal is None and asked.draft is None
        if not is_comment and delivery.operation.state:
            return _WANTED[delivery.operation.kind]
    if asked is None or (asked.comment is not None and not (effect and effect.commented)):
        return _COMMENTED
    if not (asked.add_labels or asked.remove_labels):
        return None if effect else _COMMENTED
    settled = (*effect.after.labels, *effect.refused) if effect else ()
    there = {label.casefold() for label in settled}
    is_missing = any(label.casefold() not in there for label in asked.add_labels)
    return _LABELS_ADDED if is_missing else _LABELS_REMOVED


def _notes(delivery: Delivery) -> list[str]:
    message = delivery.error.message if delivery.error else delivery.undecided or ""
    return [f"    {warn('note:')} {clean(note)}" for note in delivery.notes if note not in message]


def brief(error: UnlatchError) -> str:
    """An error on one line, with its id and hint."""
    return f"{error.message} [{error.id}]" + (f"; {error.hint}" if error.hint else "")


def times(count: int, noun: str) -> str:
    """A count with its noun: 1 time, 3 times."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def document_lines(scope: Scope) -> Iterator[str]:
    """The result of a change of scope in the documents, and the unaffected items."""
    amendment, mark = scope.amended.amendment, good(sign("ok"))
    spec, tasks = scope.described_in, scope.listed_in
    if spec and amendment.change is not None and spec not in amendment.unwritten:
        yield f"{mark} {spec}: the scope change is at the end"
    if amendment.ids and tasks not in amendment.unwritten:
        yield f"{mark} {tasks}: {', '.join(map(clean, amendment.ids))}"
    if amendment.parts:
        yield f"{mark} To be done again: {', '.join(map(clean, amendment.parts))}"
    yield from _spared_lines(scope)


def foreseen_lines(scope: Scope) -> Iterator[str]:
    """The same for a dry run, with the resulting work."""
    amendment = scope.amended.amendment
    if amendment.unwritten:
        yield f"    {' and '.join(amendment.unwritten)} would be changed"
    yield from _spared_lines(scope)
    yield from sum_lines(scope)


def _spared_lines(scope: Scope) -> Iterator[str]:
    for link in scope.spared:
        about = clean(link.story or "")
        yield f"    {clean(link.key)} is not changed: it belongs to {about}"


def sum_lines(scope: Scope) -> Iterator[str]:
    """The number of tasks after a change of scope."""
    if scope.amended.amendment.change is not None:
        yield f"Tasks: {scope.total} ({scope.original} original + {scope.new} new)"
        if scope.coverage is not None:
            yield f"Coverage target: {scope.coverage:g}%"


def next_command(increment: str, pending: Sequence[Operation]) -> str:
    """The command that can deliver the remaining operations.

    It has the options for refused operations only if no others remain: these would get the options
    too, and might lose their comment.
    """
    remedies = {one.attempt.remedy for one in pending if one.is_blocked and one.attempt}
    if not remedies or None in remedies or not all(one.is_blocked for one in pending):
        remedies = set()
    if "--comment none" in remedies:
        remedies.discard("--comment short")
    return " ".join(["unlatch sync", increment, *sorted(filter(None, remedies))])
