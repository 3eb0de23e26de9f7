"""Increments and items as JSON entries, and notes about increments that cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import link_entry
from unlatch.cli.runtime import output
from unlatch.cli.runtime.failure import UNDECIDED, problem_entry
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch.errors import StoreError
    from unlatch.lifecycle.fetch_items import ItemSnapshot

_MOST_NAMED = 5
_NONE = ("id", "title", "status", "type", "archived", "created", "completedAt", "lastActivity")
_UNKNOWN: output.Json = {**dict.fromkeys(_NONE), "links": [], "reopens": 0, "pending": 0}


def list_entry(one: Increment | BrokenIncrement) -> output.Json:
    """An increment in a list, for scripts; a broken one has no status."""
    if isinstance(one, BrokenIncrement):
        broken = {"id": one.error_id, "reason": one.reason, "hint": one.hint}
        return {**_UNKNOWN, "id": one.id, "archived": one.archived, "broken": broken}
    return {
        "id": one.id,
        "title": one.title,
        "status": one.status,
        "type": one.type,
        "archived": one.archived,
        "created": stamp(one.created) if one.created else None,
        "completedAt": stamp(one.completed_at) if one.completed_at else None,
        "lastActivity": stamp(one.last_activity) if one.last_activity else None,
        "links": [link_entry(link) for link in one.links],
        "reopens": one.effective_reopens,
        "pending": len(one.pending),
        "broken": None,
    }


def item_entry(seen: ItemSnapshot) -> output.Json:
    """An item as its tracker has it now, for scripts."""
    item = seen.item
    return {
        "tracker": seen.link.tracker,
        "id": item.ref.id if item else seen.link.item,
        "url": item.ref.url if item else seen.link.url,
        "title": item.title if item else None,
        "type": item.type if item else None,
        "state": item.state if item else None,
        "category": item.category if item else None,
        "labels": list(item.labels) if item else [],
        "assignee": item.assignee if item else None,
        "error": problem_entry(seen.error) if seen.error else None,
    }


def broken_entries(broken: Iterable[BrokenIncrement]) -> list[output.Json]:
    """Increments that cannot be read, for scripts."""
    return [{"id": one.id, "reason": one.reason, "hint": one.hint} for one in broken]


def tell_left_out(broken: Sequence[BrokenIncrement]) -> int:
    """Name the increments that are left out because they cannot be read; the exit code."""
    if not broken:
        return 0
    names = ", ".join(one.id for one in broken[:_MOST_NAMED])
    more = f" and {len(broken) - _MOST_NAMED} more" if len(broken) > _MOST_NAMED else ""
    verb = "is" if len(broken) == 1 else "are"
    count = times(len(broken), "increment")
    output.note(f"{count} cannot be read and {verb} left out: {names}{more}")
    output.talk("  next: unlatch doctor")
    return UNDECIDED


def tell_hint(broken: BrokenIncrement) -> None:
    """The next step for an increment that cannot be read."""
    if broken.hint:
        output.talk(f"{broken.id}: next: {output.clean(broken.hint)}")


def not_read(error: StoreError) -> str:
    """The note about a document that cannot be read; the rest of the increment can."""
    place = error.where or ""
    name = place.rpartition("/")[2]
    why = error.message.removeprefix(f"{name} ")
    return f"{name} was not read: it {why} [{error.id}] at {place}"
