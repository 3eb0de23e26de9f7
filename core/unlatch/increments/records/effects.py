"""The effect of a reopen on an item in one line, as `syncedTo` keeps it.

    closed:done open:todo =bug -completed +reopened

The words are the item's state and category before and after (`-` if unknown), and the labels that
it kept (=), that the reopen removed (-) and added (+), and that others did meanwhile (< and >).
They are quoted as for a shell. The whole is in the event of the delivery.
"""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Any

from unlatch.increments.records.pending import read_seen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.increments.model.reopens import SyncedItem
    from unlatch.increments.records.events import Delivered
    from unlatch.spi.operation import SeenItem

_BEFORE, _AFTER = "=-<", "=+>"
_UNKNOWN, _RESOLVED = "-", "+resolved"


def write_effect(item: SyncedItem | Delivered) -> str:
    """The effect in one line; texts are equal where the effects are."""
    return " ".join(map(quote, (_state(item.before), _state(item.after), *_labels(item))))


def _state(seen: SeenItem | None) -> str:
    if seen is None:
        return _UNKNOWN
    return f"{seen.state}:{seen.category or ''}{_RESOLVED if seen.resolved else ''}"


def _labels(item: SyncedItem | Delivered) -> Iterator[str]:
    before, after = (seen.labels if seen else () for seen in (item.before, item.after))
    for label in dict.fromkeys((*before, *after, *item.labels_removed, *item.labels_added)):
        if label in item.labels_removed or label in item.labels_added:
            sign = "-" if label in item.labels_removed else "+"
        elif label in before:
            sign = "=" if label in after else "<"
        else:
            sign = ">"
        yield f"{sign}{label}"


def read_effect(raw: Any) -> dict[str, Any]:
    """The attributes of a `SyncedItem` that a line has; none if it cannot be read."""
    words = _words(raw) if isinstance(raw, str) else []
    if len(words) < 2:  # noqa: PLR2004  (both states)
        return {}
    states, labels = words[:2], words[2:]

    def with_signs(signs: str) -> tuple[str, ...]:
        return tuple(word[1:] for word in labels if word[:1] in signs)

    return {
        "before": _seen(states[0], with_signs(_BEFORE)),
        "after": _seen(states[1], with_signs(_AFTER)),
        "labels_added": with_signs("+"),
        "labels_removed": with_signs("-"),
    }


def _words(line: str) -> list[str]:
    if "'" not in line:  # most are; shlex takes a hundred times as long
        return line.split()
    from shlex import split  # noqa: PLC0415  (rarely needed)

    try:
        return split(line)
    except ValueError:
        return []


def _seen(word: str, labels: tuple[str, ...]) -> SeenItem | None:
    state, colon, category = word.removesuffix(_RESOLVED).rpartition(":")
    seen = read_seen({"state": state, "category": category, "labels": [*labels]})
    is_resolved = word.endswith(_RESOLVED)
    return replace(seen, resolved=is_resolved) if seen is not None and colon else None
