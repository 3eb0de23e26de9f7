"""What was changed about the work, as it stands in metadata.json.

An amendment that came with a reopen stands in the reopen's entry; any other is an entry of
`amendments`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.domain.amendment import Amended, Amendment
from unlatch.domain.times import read_stamp, stamp
from unlatch.store.record_fields import (
    BadRecord,
    list_at,
    object_in,
    optional_at,
    text_at,
    ulid_at,
    words_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from unlatch.domain.documents import NewTask

AMENDMENTS = "amendments"
_KEYS = frozenset({"scopeChange", "newTasks", "parts", "unwritten"})


def read_amendments(data: Mapping[str, Any]) -> tuple[Amended, ...]:
    """The changes of the work that no reopen came with.

    Raises:
        BadRecord: an entry lacks something that it cannot do without.
    """
    entries = list_at(data, AMENDMENTS)
    return tuple(_amended(entry, f"/{AMENDMENTS}/{n}") for n, entry in enumerate(entries))


def _amended(entry: Any, place: str) -> Amended:
    ulid = ulid_at(entry, "id", place)
    at = read_stamp(entry.get("at"))
    if at is None:
        raise BadRecord(f"{place}/at is not a time")
    return Amended(
        ulid,
        at,
        text_at(entry, "by", place),
        read_amendment(entry, place) or Amendment(),
        optional_at(entry, "reason", place),
    )


def read_amendment(entry: Mapping[str, Any], place: str) -> Amendment | None:
    """What an entry says was changed about the work; None if it says nothing of it.

    Raises:
        BadRecord: it does so in a form that cannot be understood.
    """
    if _KEYS.isdisjoint(entry):
        return None
    tasks = list_at(entry, "newTasks", place=place)
    read = [_task(one, f"{place}/newTasks/{n}") for n, one in enumerate(tasks)]
    return Amendment(
        change=optional_at(entry, "scopeChange", place),
        tasks=tuple(task for _, task in read),
        ids=tuple(task_id for task_id, _ in read),
        parts=words_at(entry, "parts", place),
        unwritten=words_at(entry, "unwritten", place),
    )


def _task(value: Any, place: str) -> tuple[str, NewTask]:
    from unlatch.domain.documents import NewTask  # noqa: PLC0415  (few entries have any)

    entry = object_in(value, place)
    task = NewTask(
        text_at(entry, "title", place),
        optional_at(entry, "story", place),
        words_at(entry, "criteria", place),
        optional_at(entry, "description", place),
    )
    return text_at(entry, "id", place), task


def write_amended(amended: Amended) -> dict[str, Any]:
    """An entry of `amendments`."""
    written = {
        "id": amended.id,
        "at": stamp(amended.at),
        "by": amended.by,
        "reason": amended.reason,
        **write_amendment(amended.amendment),
    }
    return {key: value for key, value in written.items() if value is not None}


def write_amendment(amendment: Amendment | None) -> dict[str, Any]:
    """What an entry says of an amendment; keys without a value are None."""
    if amendment is None:
        return {}
    tasks = zip(amendment.ids, amendment.tasks, strict=True)
    return {
        "scopeChange": amendment.change,
        "newTasks": [_task_entry(task_id, task) for task_id, task in tasks] or None,
        "parts": list(amendment.parts) or None,
        "unwritten": list(amendment.unwritten) or None,
    }


def _task_entry(id: str, task: NewTask) -> dict[str, Any]:
    written = {
        "id": id,
        "title": task.title,
        "story": task.story,
        "criteria": list(task.criteria) or None,
        "description": task.description,
    }
    return {key: value for key, value in written.items() if value is not None}


def told_of(amendment: Amendment | None) -> dict[str, Any]:
    """What an event tells of an amendment."""
    if amendment is None:
        return {}
    return {
        "scopeChange": amendment.change,
        "tasks": list(amendment.ids) or None,
        "parts": list(amendment.parts) or None,
    }


def entries_of(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """All entries that may hold an amendment, to be changed in place."""
    yield from data.get("reopenHistory", ())
    yield from data.get(AMENDMENTS, ())
