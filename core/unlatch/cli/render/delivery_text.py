"""The results of operations as text."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from unlatch.cli.render.describe import tracker_title
from unlatch.cli.terminal.output import bad, clean, faint, good, sign, warn
from unlatch.delivery.states import State
from unlatch.spi.change import Result
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.delivery.task import Delivery, Effect
    from unlatch.project.registry import Registry

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
            acts = [*_done(delivery), *left] or [_unchanged(delivery)]
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


def _unchanged(delivery: Delivery) -> str:
    """The result of an operation that changed nothing."""
    is_refused = delivery.effect is not None and delivery.effect.refused
    return "labels refused again" if delivery.operation.labels and is_refused else "nothing to do"


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
    refused = {label.casefold() for label in effect.refused} if effect else set()
    there = {label.casefold() for label in effect.after.labels} if effect else set()
    if not {label.casefold() for label in asked.add_labels} <= refused | there:
        return _LABELS_ADDED
    is_left = not there.isdisjoint(label.casefold() for label in asked.remove_labels)
    return _LABELS_REMOVED if is_left or effect is None else None


def _notes(delivery: Delivery) -> list[str]:
    message = delivery.error.message if delivery.error else delivery.undecided or ""
    return [f"    {warn('note:')} {clean(note)}" for note in delivery.notes if note not in message]
