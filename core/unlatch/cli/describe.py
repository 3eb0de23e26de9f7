"""Increments, items and deliveries in words."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from unlatch.cli.output import bad, clean, faint, good, sign, warn
from unlatch.domain.operation import Kind, Result

if TYPE_CHECKING:
    from datetime import datetime

    from unlatch.engine.items import Seen
    from unlatch.engine.progress import Delivery
    from unlatch.engine.registry import Registry

_RESULTS = {
    Result.REOPENED: "reopened",
    Result.ALREADY_OPEN: "was open already",
    Result.CLOSED: "closed",
    Result.ALREADY_CLOSED: "was closed already",
    Result.CREATED: "created",
    Result.UPDATED: "updated",
}


def ago(moment: datetime, now: datetime) -> str:
    """How long ago a moment was, in the largest unit that fits."""
    days = (now - moment).days
    if days < 0:
        return "in the future"
    if days == 0:
        return "today"
    return "yesterday" if days == 1 else f"{days} days ago"


def seen_line(registry: Registry, seen: Seen, *, columns: int) -> str:
    """A linked item in the dialogue: tracker, name, title, and what it is."""
    title = registry.manifest(seen.link.tracker).title
    return f"    {title:<{columns}}{clean(seen.name)} {_state_of(seen)}"


def _state_of(seen: Seen) -> str:
    if seen.error is not None:
        return warn(f"(unknown: {clean(seen.error.message)})")
    if seen.item is None:
        return warn("(unknown)")
    item = seen.item
    facts = [item.type, item.state, f"assigned to {item.assignee}" if item.assignee else None]
    return f'"{clean(item.title)}" ({clean(", ".join(filter(None, facts)))})'


def delivery_lines(registry: Registry, delivery: Delivery) -> list[str]:
    """What became of an operation, and what to do if it was not delivered."""
    manifest = registry.manifests.get(delivery.operation.tracker)
    tracker = manifest.title if manifest else delivery.operation.tracker
    name = f"{tracker} {clean(delivery.name)}"
    if delivery.error is not None:
        lines = [
            (
                f"{bad(sign('no', sys.stdout))} {name} not {_wanted(delivery)}: "
                f"{clean(delivery.error.message)} {faint(f'[{delivery.error.id}]')}"
            )
        ]
        if delivery.error.hint:
            lines.append(f"    {clean(delivery.error.hint)}")
        return lines
    return [
        f"{good(sign('ok', sys.stdout))} {name} {'; '.join(_acts(delivery))}",
        *_notes(delivery),
    ]


def _wanted(delivery: Delivery) -> str:
    wanted = {Kind.REOPEN: "reopened", Kind.CLOSE: "closed", Kind.CREATE: "created"}
    return wanted.get(delivery.operation.kind, "updated")


def _acts(delivery: Delivery) -> list[str]:
    outcome = delivery.outcome
    if outcome is None:
        return ["nothing to do"]
    if delivery.found:
        return ["was delivered before; now recorded"]
    acts = [_RESULTS[outcome.result]] if outcome.result in _RESULTS else []
    if outcome.commented:
        acts.append("commented")
    labels = [f"+{label}" for label in outcome.labels_added]
    labels += [f"-{label}" for label in outcome.labels_removed]
    if labels:
        acts.append(f"labels {' '.join(map(clean, labels))}")
    return acts or ["nothing to do"]


def _notes(delivery: Delivery) -> list[str]:
    notes = delivery.outcome.notes if delivery.outcome else ()
    return [f"    {warn('note:')} {clean(note)}" for note in notes]


def times(count: int, noun: str) -> str:
    """A count with its noun: 1 time, 3 times."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
