"""Writing a plan into metadata.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.increments.files.plans import times_in
from unlatch.increments.files.reading import ACTIVITY_KEYS, COMPLETED_KEYS
from unlatch.increments.model.status import Status
from unlatch.increments.records.links import block_at
from unlatch.increments.records.records import set_pending, write_reopen
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from datetime import datetime

    from unlatch.increments.files.plans import Plan
    from unlatch.increments.model.increment import ReopenEntry
    from unlatch.worklog.event_log import Event


def write_plan(data: dict[str, Any], plan: Plan, now: datetime) -> list[Event]:
    """Write what a plan changes; the events that describe it."""
    if plan.undone is not None:
        _mark_undone(data, plan.undone)
        _set_back(data, plan.undone, now)
    elif plan.event is not None:
        _set_status(data, plan.after.status, now)
    if plan.entry is not None:
        data.setdefault("reopenHistory", []).append(write_reopen(plan.entry))
    for link in plan.pin_base:
        if link.base is not None:
            # Else the next comparison would take the difference for one to be mended.
            block_at(data, link.path)["base"]["local"] = plan.after.status.value
    set_pending(data, plan.after.pending)
    return [plan.event] if plan.event is not None else []


def _set_status(data: dict[str, Any], to: Status, now: datetime) -> None:
    data["status"] = to.value
    data[_time_key(data, ACTIVITY_KEYS)] = stamp(now)
    if to is Status.COMPLETED:
        data[_time_key(data, COMPLETED_KEYS)] = stamp(now)
    elif not to.is_finished:
        for key in times_in(data, COMPLETED_KEYS):
            del data[key]


def _mark_undone(data: dict[str, Any], entry: ReopenEntry) -> None:
    for written in data["reopenHistory"]:
        if written["id"] == entry.id and entry.reverted_at is not None:
            written |= {"revertedAt": stamp(entry.reverted_at), "revert": entry.revert}
            # What did not get into the documents yet is not to get there now.
            written.pop("unwritten", None)


def _set_back(data: dict[str, Any], entry: ReopenEntry, now: datetime) -> None:
    data["status"] = entry.previous_status.value
    data[next((key for key in ACTIVITY_KEYS if key in data), ACTIVITY_KEYS[0])] = stamp(now)
    if entry.previous_completed_at is not None:
        data[COMPLETED_KEYS[0]] = entry.previous_completed_at


def _time_key(data: dict[str, Any], keys: tuple[str, ...]) -> str:
    free = (key for key in keys if key not in data)
    return (*times_in(data, keys), *free, keys[0])[0]
