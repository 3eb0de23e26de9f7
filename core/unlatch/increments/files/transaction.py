"""Change an increment's files in one step; unchanged parts keep their bytes."""

from __future__ import annotations

import codecs
import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.increments.documents import front_matter
from unlatch.increments.files.metadata_file import (
    ACTIVITY_KEYS,
    COMPLETED_KEYS,
    NewUnitText,
    SpecText,
    opened_folder,
    read_metadata,
    times_in,
)
from unlatch.increments.files.paths import METADATA, SPEC, ProjectPaths
from unlatch.increments.files.snapshots import header_of, read_increment, snapshot, text_of
from unlatch.increments.files.units import unit_in
from unlatch.increments.model.increment import NEW_TYPE, Increment
from unlatch.increments.model.status import Status, read_status
from unlatch.increments.records.status_events import LOG, UNWRITTEN
from unlatch.worklog.disk.atomic import replace_in, sweep, writing
from unlatch.worklog.disk.safe_open import open_folder
from unlatch.worklog.json_text.document import JsonText
from unlatch.worklog.json_text.nodes import copied
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from unlatch.increments.files.changes.plans import Plan
    from unlatch.increments.model.reopens import ReopenEntry
    from unlatch.increments.records.shapes import Shapes
    from unlatch.worklog.collection import Folder
    from unlatch.worklog.disk.folder import OpenFolder
    from unlatch.worklog.event_log import Event

    # A change of an increment: alters the data in place and returns the events that record it.
    Edit = Callable[[Increment, dict[str, Any]], list[Event]]


def change_folder(
    paths: ProjectPaths,
    folder: Folder,
    shapes: Shapes,
    edit: Edit,
    *,
    now: datetime,
    unarchive: bool = False,
    events_first: bool = False,
    last: Increment | None = None,
) -> Increment:
    """Read, edit and write one increment; the caller holds its store lock.

    Args:
        last: as it was read before; parsed again only if its file changed since.
    """
    with contextlib.ExitStack() as held:
        there = held.enter_context(opened_folder(folder))
        text = _read_to_write(folder, there, last)
        opened = there or held.enter_context(_open_to_write(folder))
        LOG.check(opened)
        before = header_of(folder, text, shapes, last)
        data, former = copied(text.value), text.value
        if isinstance(text, NewUnitText):
            data |= {"status": before.status.value, "type": NEW_TYPE}
            data |= dict.fromkeys(("created", "lastActivity"), stamp(now))
            former = copied(data)
        events = [*_lost_events(opened, before, data), *edit(before, data)]
        if events_first:
            LOG.append(opened, *events)
        is_new = isinstance(text, SpecText) and data != text.value
        warnings = ["metadata.json was missing; created from spec.md"] if is_new else []
        to = data["status"] if data.get("status") != former.get("status") else None

        def record_before() -> None:
            # Else a crash would leave what the tool's files show as the only status.
            if to and isinstance(text, NewUnitText):
                _note_unit(paths, folder, former)
                _write(opened, text, former)

        with _moving(paths, folder, wanted=unarchive, record=record_before) as place:
            if place is not folder:
                opened = held.enter_context(_open_to_write(place))
            sweep(opened)
            if data != former:
                _note_activity(data, now)
                with _in_tool(folder, place, to):
                    _note_unit(paths, place, data)
                    text = _write(opened, text, data)
        if not events_first:
            text, unwritten = _log_or_keep(opened, text, data, events)
            warnings += unwritten
        increment = snapshot(place, text, shapes, opened, last=before)
        if increment.unit is None:
            warnings += _follow_status(opened, before, increment)
    if increment.unwritten:
        from unlatch.increments.files.work.amendments import write_amendments  # noqa: PLC0415

        warnings += write_amendments(place, increment)
        increment = read_increment(place, shapes)
    return replace(increment, warnings=(*increment.warnings, *warnings)) if warnings else increment


def _moving(
    paths: ProjectPaths, folder: Folder, *, wanted: bool, record: Callable[[], None]
) -> contextlib.AbstractContextManager[Folder]:
    """Call `record`, and move the folder out of the archive if that is wanted."""
    if wanted and folder.archived:
        from unlatch.increments.files.work.moving import moved_out  # noqa: PLC0415  (rarely needed)

        return moved_out(paths, folder, record=record)
    record()
    return contextlib.nullcontext(folder)


def _note_activity(data: dict[str, Any], now: datetime) -> None:
    """Give the data a time of the last activity, which our own schema requires."""
    if not times_in(data, ACTIVITY_KEYS):
        data[_time_key(data, ACTIVITY_KEYS)] = stamp(now)


def _open_to_write(folder: Folder) -> OpenFolder:
    with writing(folder.path / METADATA):
        return open_folder(folder.path)


def _write(folder: OpenFolder, text: JsonText, data: dict[str, Any]) -> JsonText:
    """Write the content of metadata.json; returns its new text."""
    content = text.with_value(data)
    replace_in(folder, METADATA, content)
    return JsonText.parse(content)


def _lost_events(folder: OpenFolder, before: Increment, data: dict[str, Any]) -> list[Event]:
    """The events that could not be written with their changes, as on a full disk."""
    if before.reopens or before.amendments or UNWRITTEN in data:
        from unlatch.increments.records.events import drop_written, lost_events  # noqa: PLC0415  (slow)

        with contextlib.suppress(StoreError):  # whether any is lost is unknown
            events = LOG.read(folder)
            drop_written(data, events)
            return lost_events(before, events)
    return []


def _log_or_keep(
    folder: OpenFolder, text: JsonText, data: dict[str, Any], events: list[Event]
) -> tuple[JsonText, list[str]]:
    """Log the events of a change, or keep them in metadata.json for the next one.

    The change is on disk, so an event that cannot be logged is no failure.

    Returns:
        The text of metadata.json, and warnings.
    """
    try:
        LOG.append(folder, *events)
    except StoreError as error:
        from unlatch.increments.records.events import keep_events  # noqa: PLC0415  (slow to load)

        keep_events(data, events)
        try:
            text = _write(folder, text, data)
        except StoreError:
            return text, [f"{error.message}; only a reopen or undo is added to it later"]
        later = "the next change, or unlatch doctor --fix, adds the event"
        return text, [f"{error.message}; {later}"]
    return text, []


def _read_to_write(folder: Folder, opened: OpenFolder | None, last: Increment | None) -> JsonText:
    text = read_metadata(folder.path / METADATA, folder, opened, earlier=text_of(last))
    if text.duplicates:
        keys = ", ".join(text.duplicates)
        raise StoreError(
            "metadata-duplicate-key",
            f"metadata.json has {keys} twice; writing would lose one of the values",
            where=str(folder.path / METADATA),
            hint="remove the wrong one by hand, then run the command again",
        )
    return text


def _note_unit(paths: ProjectPaths, folder: Folder, data: dict[str, Any]) -> None:
    if unit := unit_in(folder):
        from unlatch.increments.files.work.unit_changes import note_unit  # noqa: PLC0415  (for units)

        note_unit(paths, unit, data)


def _in_tool(
    before: Folder, folder: Folder, to: str | None
) -> contextlib.AbstractContextManager[None]:
    """What shows a new status in the files of another tool, while its body writes it."""
    unit, moved = unit_in(before), unit_in(folder)
    if to is None or unit is None or moved is None:
        return contextlib.nullcontext()
    from unlatch.increments.files.work.unit_changes import status_in_tool  # noqa: PLC0415  (as above)

    return status_in_tool(unit, moved, Status(to))


def write_plan(data: dict[str, Any], plan: Plan, now: datetime) -> list[Event]:
    """Write a plan into the content of metadata.json; returns the events that record it."""
    if plan.undone:
        _set_back(data, plan.undone, now)
    elif plan.amended is not None:
        from unlatch.increments.records.reopens import AMENDED, AMENDMENTS  # noqa: PLC0415

        data.setdefault(AMENDMENTS, []).append(AMENDED.write(plan.amended))
    elif plan.event is not None:
        _set_status(data, plan.after.status, now)
    if plan.entry is not None:
        from unlatch.increments.records.reopens import write_reopen  # noqa: PLC0415

        data.setdefault("reopenHistory", []).append(write_reopen(plan.entry))
    for link in plan.pin_base:
        if link.base is not None:
            from unlatch.increments.records.link_edits import block_at  # noqa: PLC0415

            # Else the next comparison would report the difference as drift.
            block_at(data, link.path)["base"]["local"] = plan.after.status.value
    if plan.after.pending or "pending" in data or "formatVersion" in data:
        from unlatch.increments.records.pending import set_pending  # noqa: PLC0415  (items alone)

        set_pending(data, plan.after.pending)
    return [plan.event] if plan.event is not None else []


def _put_status(data: dict[str, Any], to: Status, now: datetime) -> None:
    if "unit" in data:
        from unlatch.increments.records.units import forget_evidence  # noqa: PLC0415

        forget_evidence(data)
    data["status"] = to.value
    data[_time_key(data, ACTIVITY_KEYS)] = stamp(now)


def _set_status(data: dict[str, Any], to: Status, now: datetime) -> None:
    _put_status(data, to, now)
    if to is Status.COMPLETED:
        data[_time_key(data, COMPLETED_KEYS)] = stamp(now)
    elif not to.is_finished:
        for key in times_in(data, COMPLETED_KEYS):
            data[key] = None  # another name keeps its place for the next time
        if data.get(COMPLETED_KEYS[0]) is None:
            data.pop(COMPLETED_KEYS[0], None)


def _set_back(data: dict[str, Any], entries: tuple[ReopenEntry, ...], now: datetime) -> None:
    _put_status(data, entries[-1].previous_status, now)
    if entries[-1].previous_completed_at is not None and not entries[-1].previous_completed_in:
        data[_time_key(data, COMPLETED_KEYS)] = entries[-1].previous_completed_at
    undone = {entry.id: entry for entry in entries}
    for written in data["reopenHistory"]:
        entry = undone.get(written.get("id"))
        if entry is not None and entry.reverted_at is not None:
            written |= {"revertedAt": stamp(entry.reverted_at), "revert": entry.revert}
            # An amendment that is not in the documents yet must not be written any more.
            written.pop("unwritten", None)


def _time_key(data: dict[str, Any], keys: tuple[str, ...]) -> str:
    free = (key for key in keys if key not in data)
    return (*times_in(data, keys), *free, keys[0])[0]


def _follow_status(folder: OpenFolder, before: Increment, after: Increment) -> list[str]:
    """Update the status line of spec.md, unless it spells the status already; returns warnings.

    An undo writes what stood there before the reopen, which stays as long as the status does.
    """
    status, last = after.status, after.reopens[-1] if after.reopens else None
    is_back = last is not None and last.reverted_at and status is last.previous_status
    former = last.previous_spec_status if last and is_back else None
    standing = {entry.id for entry in before.reopens if not entry.reverted_at}
    spelling = former if former and last and last.id in standing else status.value
    try:
        spec, is_utf8 = _decoded(folder.read(SPEC))
        old = front_matter.status(spec)
        if old is None or old in {former, spelling}:
            return []
        if spelling == status.value and read_status(old) is status:
            return []
        if not is_utf8:
            left = f"{SPEC} cannot be read as UTF-8 text; its status line still says {old}"
            return [f"{left}: save it as UTF-8 text, and write the status there"]
        replace_in(folder, SPEC, front_matter.with_status(spec, spelling).encode())
    except OSError:  # there is none, or nobody can read it
        return []
    except StoreError as error:
        return [f"{error.message}; the next command fixes its status line"]
    return []


def _decoded(raw: bytes) -> tuple[str, bool]:
    """A text, as far as it can be read (UTF-16 with its mark), and whether it is UTF-8."""
    try:
        return raw.decode("utf-8"), True
    except UnicodeDecodeError:
        is_utf16 = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return raw.decode("utf-16" if is_utf16 else "utf-8", errors="replace"), False
