"""The JSON documents' common parts. Their keys are a contract: docs/json.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.cli.runtime.failure import problem_entry
from unlatch.cli.terminal.output import Json, fields
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from unlatch.errors import UnlatchError
    from unlatch.increments.model.link import Link
    from unlatch.increments.model.status import Status
    from unlatch.lifecycle.completion.evidence import Evidence
    from unlatch.lifecycle.fetch_items import ItemSnapshot
    from unlatch.lifecycle.scoping.change_scope import Scope

_LISTED = ("id", "title", "status", "type", "archived", "created", "completed_at", "last_activity")
_NONE: Json = {"links": [], "reopens": 0, "pending": 0, "unit": None}


def increment_entry(
    increment: Increment, previous: Status, *, is_reason_lost: bool = False
) -> Json:
    """A moved increment; with `is_reason_lost`, another process moved it first."""
    entry = {"id": increment.id, "status": increment.status, "previousStatus": previous}
    return {**entry, "reasonLost": True} if is_reason_lost else entry


def link_entry(link: Link) -> Json:
    return {"tracker": link.tracker, "id": link.item, "url": link.url}


def spared_entries(spared: Iterable[tuple[Link, tuple[str, ...]]]) -> list[Json]:
    """The items that stay open, with the unfinished increments that need them."""
    return [{**link_entry(link), "neededBy": list(needed)} for link, needed in spared]


def list_entry(increment: Increment | BrokenIncrement) -> Json:
    """An increment in a list; a broken one has no status."""
    if isinstance(increment, BrokenIncrement):
        broken = {"id": increment.error_id, **fields(increment, "reason", "hint")}
        return {
            **fields(None, *_LISTED),
            **_NONE,
            **fields(increment, "id", "archived"),
            "broken": broken,
        }
    # `fields` takes twice as long, and there may be thousands.
    return {
        "id": increment.id,
        "title": increment.title,
        "status": increment.status,
        "type": increment.type,
        "archived": increment.archived,
        "created": _stamped(increment.created),
        "completedAt": _stamped(increment.completed_at),
        "lastActivity": _stamped(increment.last_activity),
        "links": [link_entry(link) for link in increment.links],
        "reopens": increment.effective_reopens,
        "pending": len(increment.pending),
        "broken": None,
        "unit": _unit_entry(increment),
    }


def _stamped(at: datetime | None) -> str | None:
    return None if at is None else stamp(at)


def _unit_entry(increment: Increment) -> Json | None:
    if increment.unit is None:
        return None
    now = increment.evidence
    return {
        "layout": increment.unit.layout,
        "path": str(increment.unit.place),
        "shows": now.status if now else None,
        "by": now.by if now else None,
        "overridden": increment.overridden,
    }


def item_entry(seen: ItemSnapshot) -> Json:
    item, link = seen.item, seen.link
    return {
        "tracker": link.tracker,
        "id": item.ref.id if item else link.item,
        "url": item.ref.url if item else link.url,
        **fields(item, "title", "type", "state", "category"),
        "labels": list(item.labels) if item else [],
        "assignee": item.assignee if item else None,
        "error": problem_entry(seen.error) if seen.error else None,
    }


def item_entries(items: Iterable[ItemSnapshot]) -> list[Json]:
    return [item_entry(snapshot) for snapshot in items]


def synced_item_entry(seen: ItemSnapshot, times: Mapping[Link, datetime]) -> Json:
    at = times.get(seen.link)
    return {**item_entry(seen), "lastSynced": stamp(at) if at else None}


def broken_entries(broken: Iterable[BrokenIncrement]) -> list[Json]:
    return [fields(increment, "id", "reason", "hint") for increment in broken]


def warning_entries(warnings: Iterable[UnlatchError]) -> list[Json]:
    """Rule violations that did not refuse a change."""
    return [problem_entry(warning) for warning in warnings]


def scope_entry(scope: Scope | None) -> Json | None:
    if scope is None:
        return None
    amendment = scope.amended.amendment
    return {
        "change": amendment.change,
        "parts": list(amendment.parts),
        "newTasks": [fields(task, "id", "title", "story", "criteria") for task in amendment.tasks],
        "tasks": fields(scope, "total", "original", "new"),
        "coverageTarget": scope.coverage,
        "spared": [link_entry(link) for link in scope.spared],
        "undescribed": [link_entry(link) for link in scope.undescribed],
        "unwritten": list(amendment.unwritten),
    }


def evidence_entry(evidence: Evidence | None) -> Json | None:
    if evidence is None:
        return None
    return {
        "reopen": evidence.reopen.id,
        "since": stamp(evidence.reopen.reopened_at),
        "commits": [fields(commit, "id", "subject") for commit in evidence.commits],
        "ticked": evidence.ticked,
        "git": evidence.has_git,
    }


# The texts, lists and objects of a change's facts; other values are as they are in the document.
_FACTS: Mapping[str, Callable[[Any], Any]] = {
    "linked": item_entries,
    "already": item_entries,
    "scope": scope_entry,
    "spared": spared_entries,
    "warnings": warning_entries,
    "forced": list,
    "evidence": evidence_entry,
}


def fact_entries(facts: Mapping[str, Any]) -> Json:
    """The facts of a change, as `Change.entry` gives them, for its document."""
    return {key: _FACTS[key](value) if key in _FACTS else value for key, value in facts.items()}
