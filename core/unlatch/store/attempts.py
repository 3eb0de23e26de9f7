"""What was tried on this machine: attempts to deliver, when, and how each ended.

Kept in `.unlatch/local`, so it can be deleted at any time: that may cost a wait or a request, and
changes no outcome.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from unlatch.domain.times import read_stamp, stamp
from unlatch.store.atomic import replace_file, writing
from unlatch.store.json_text import render_new
from unlatch.store.locks import prepare_local

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from unlatch.domain.operation import Operation
    from unlatch.store.layout import Layout

_VERSION = 1
Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Tried:
    """The attempts to deliver one operation.

    Args:
        count: how many there were.
        began: when the last one began.
        ended: when it ended; None if the process died in it.
        cause: the id of the error that it ended with.
        not_before: when the tracker wants to be asked again, if it said so.
    """

    count: int
    began: datetime
    ended: datetime | None = None
    cause: str | None = None
    not_before: datetime | None = None


def key_of(operation: Operation) -> Key:
    """What an operation is known by: its intent on one item."""
    return operation.op, operation.tracker, operation.item


def read_attempts(layout: Layout, name: str) -> dict[Key, Tried]:
    """The attempts on one increment's operations; none if nothing readable is there."""
    try:
        raw = json.loads(_path(layout, name).read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(raw, dict) or raw.get("version") != _VERSION:
        return {}
    entries = raw.get("attempts")
    found = {}
    for entry in entries if isinstance(entries, list) else ():
        if tried := _tried(entry):
            found[(str(entry["op"]), str(entry["tracker"]), str(entry["item"]))] = tried
    return found


def _tried(entry: Any) -> Tried | None:
    if not isinstance(entry, dict) or not {"op", "tracker", "item"} <= entry.keys():
        return None
    began, count = read_stamp(entry.get("began")), entry.get("count")
    if began is None or not isinstance(count, int):
        return None
    return Tried(
        count,
        began,
        read_stamp(entry.get("ended")),
        entry.get("cause"),
        read_stamp(entry.get("notBefore")),
    )


def write_attempts(layout: Layout, name: str, attempts: Mapping[Key, Tried]) -> None:
    """Keep the attempts on one increment's operations; the delivery lock is held.

    Raises:
        StoreError: `not-writable`.
    """
    path = _path(layout, name)
    if not attempts:
        with writing(path):
            path.unlink(missing_ok=True)
        return
    prepare_local(layout)
    with writing(path):
        path.parent.mkdir(exist_ok=True)
    entries = [_entry(key, tried) for key, tried in attempts.items()]
    replace_file(path, render_new({"version": _VERSION, "attempts": entries}))


def _entry(key: Key, tried: Tried) -> dict[str, Any]:
    op, tracker, item = key
    return {
        "op": op,
        "tracker": tracker,
        "item": item,
        "count": tried.count,
        "began": stamp(tried.began),
        "ended": stamp(tried.ended) if tried.ended else None,
        "cause": tried.cause,
        "notBefore": stamp(tried.not_before) if tried.not_before else None,
    }


def begun(known: Tried | None, now: datetime) -> Tried:
    """Another attempt that begins now."""
    return Tried(known.count + 1 if known else 1, now)


def ended(tried: Tried, now: datetime, *, cause: str, not_before: datetime | None) -> Tried:
    """An attempt that failed."""
    return replace(tried, ended=now, cause=cause, not_before=not_before)


def _path(layout: Layout, name: str) -> Path:
    return layout.local / "attempts" / f"{name}.json"
