"""Checks of metadata.json, alone and compared with other increments."""

from __future__ import annotations

from datetime import datetime, timedelta
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

from unlatch.errors import ConfigError, StoreError, UnlatchError
from unlatch.increments.files.metadata_file import (
    ACTIVITY_KEYS,
    CREATED_KEYS,
    FORMER,
    ID_KEYS,
    SpecText,
    completion_keys,
)
from unlatch.increments.files.units import unit_in
from unlatch.increments.model.status import Status
from unlatch.increments.records.link_edits import block_at, is_old_place
from unlatch.increments.records.link_places import OUTER_BLOCKS, places_of
from unlatch.increments.records.link_places import Path as Steps
from unlatch.increments.records.links import ByItem, read_links, same_item
from unlatch.increments.records.unread_places import unknown_trackers, unread_places, unread_reason
from unlatch.worklog.disk.atomic import unfinished_files
from unlatch.worklog.disk.safe_open import read_file
from unlatch.worklog.name_matching import number_in
from unlatch.worklog.times import read_stamp
from unlatch_doctor.finding import FIX, FileChange, Found, Hits, several
from unlatch_doctor.renames import with_rename
from unlatch_doctor.shape import explain, is_about_link, is_vital, missing_key, pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.increments.records.link_places import Path as Steps
    from unlatch.spi.manifest import LinkShape
    from unlatch_doctor.snapshot import IncrementFiles, ProjectSnapshot, ReadableIncrement

MIGRATE = "unlatch migrate"
# A clock may be wrong by a day, and a date alone is a whole day.
_LEEWAY = timedelta(days=1)
_DATE = len("2025-11-01")


def unfinished(files: IncrementFiles) -> Hits:
    for path in unfinished_files(files.folder.path):
        yield Found("left over from an interrupted command; not used", path, FIX)


def remove_unfinished(files: IncrementFiles) -> Iterator[FileChange]:
    for path in unfinished_files(files.folder.path):
        if (content := content_of(path)) is not None:
            yield path, content, None


def content_of(path: Path) -> bytes | None:
    try:
        return read_file(path)
    except (OSError, StoreError):
        return None


def unreadable(files: IncrementFiles) -> Hits:
    """The reason why an increment cannot be read, at its place if the schema finds it."""
    # Before the first write of a record has ended, no operation is recorded in it.
    if files.error is None or (files.project.of_items and files.error.id == "metadata-missing"):
        return
    vital = [error for error in _schema_errors(files) if is_vital(error)]
    for error in vital:
        _, message, place = explain(error, files.data)
        where = f"{files.metadata}:{place}" if place else str(files.metadata)
        yield StoreError(files.error.id, message, where=where, hint=files.error.hint)
    if not vital:
        yield with_rename(files.error, files.data, files.folder.path, files.project.root)


def from_spec(files: IncrementFiles) -> Hits:
    if isinstance(files.text, SpecText):
        yield Found("is missing; the front matter of spec.md is read instead", files.metadata, FIX)


def create_from_spec(files: IncrementFiles) -> Iterator[FileChange]:
    if isinstance(files.text, SpecText):
        yield files.metadata, None, files.text.text.encode()


def duplicate_keys(files: IncrementFiles) -> Hits:
    for key in files.text.duplicates if files.text is not None else ():
        message = "duplicate key: the last value is read, and unlatch does not write the file"
        yield Found(message, f"{files.metadata}:{key}", "remove the wrong one by hand")


def _schema_errors(files: IncrementFiles) -> Iterator[Any]:
    if files.text is None or isinstance(files.text, SpecText):
        return iter(())
    return files.project.metadata_schema.iter_errors(files.data)


@several
def against_schema(files: IncrementFiles) -> Iterator[tuple[str, Found]]:
    blocks = frozenset(_link_blocks(files))
    for error in _schema_errors(files):
        if is_about_link(error, blocks):
            continue  # the link is read, or `link-unread` reports it
        if files.project.of_items and missing_key(error) == "type":
            continue
        if files.error is None or not is_vital(error):
            name, message, place = explain(error, files.data)
            where = f"{files.metadata}:{place}" if place else files.metadata
            yield name, Found(message, where, MIGRATE if name.startswith("old-") else None)


def _link_blocks(files: IncrementFiles) -> Iterator[tuple[Steps, str]]:
    """The place and the item's key of each link block that is read or reported as unread."""
    for tracker, shape in files.project.workspace.manager.shapes.links.items():
        read = (link.path for link in places_of(files.data, tracker, shape))
        for path in (*read, *unread_places(files.data, tracker, shape)):
            yield path, shape.item


def other_id(readable: ReadableIncrement) -> Hits:
    if (key := _id_key(readable)) is not None:
        message = f"{readable.files.data[key]!r} differs from the folder's name, which applies"
        yield Found(message, readable.files.at(key), FIX)


def fix_id(readable: ReadableIncrement) -> Iterator[FileChange]:
    key, text = _id_key(readable), readable.files.text
    if key is not None and text is not None and not text.duplicates:
        after = text.with_value({**text.value, key: readable.name, **_former(text.value, key)})
        yield readable.files.metadata, content_of(readable.files.metadata), after


def _former(data: Mapping[str, Any], key: str) -> dict[str, list[str]]:
    """The earlier ids, with the one that is replaced; nothing if it is not a name."""
    former = data.get(FORMER, [])
    is_name = isinstance(data[key], str) and "-" in data[key]
    if not (is_name and isinstance(former, list)) or data[key] in former:
        return {}
    return {FORMER: [*former, data[key]]}


def _id_key(readable: ReadableIncrement) -> str | None:
    key = next((key for key in ID_KEYS if readable.files.data.get(key)), None)
    return key if key is not None and readable.files.data[key] != readable.name else None


class _Time(NamedTuple):
    """A time as written in the file."""

    key: str
    text: str
    moment: datetime

    def is_before(self, other: _Time) -> bool:
        """Whether it is certainly before: a date alone may be any time of that day."""
        if _DATE in (len(self.text.strip()), len(other.text.strip())):
            return self.moment.date() < other.moment.date()
        return self.moment < other.moment


def _time(data: Mapping[str, Any], keys: tuple[str, ...]) -> _Time | None:
    times = ((key, data.get(key), read_stamp(data.get(key))) for key in keys)
    return next((_Time(key, str(raw), moment) for key, raw, moment in times if moment), None)


@several
def odd_dates(readable: ReadableIncrement) -> Iterator[tuple[str, Found]]:
    status = readable.increment.status
    created, active, completed = (
        _time(readable.files.data, keys)
        for keys in (CREATED_KEYS, ACTIVITY_KEYS, completion_keys(status))
    )
    for time in filter(None, (active, completed)):
        if created and time.is_before(created):
            message = f"{time.text} is before it was created, {created.text}"
            yield "dates-out-of-order", Found(message, readable.files.at(time.key))
    for time in filter(None, (created, active, completed)):
        if time.moment > readable.files.project.workspace.clock() + _LEEWAY:
            yield (
                "time-in-future",
                Found(f"{time.text} is in the future", readable.files.at(time.key)),
            )
    if completed and not status.is_finished:
        message = f"completion time {completed.text}, but the status is {status}"
        yield "completed-at-left", Found(message, readable.files.at(completed.key))
    if status is Status.COMPLETED and completed is None:
        message = "the time of completion is missing"
        yield "completed-at-missing", Found(message, readable.files.metadata)


@several
def unusable_links(readable: ReadableIncrement) -> Iterator[tuple[str, Found]]:
    """Links to items that nothing can be delivered to, by the configuration."""
    project = readable.files.project
    for link in readable.increment.links:
        settings = (project.settings or {}).get(link.tracker)
        if settings is None:
            continue
        where = readable.files.at(*link.path)
        try:
            ref = settings.locate(link.name, link.url)
            is_allowed = settings.allows(ref)
        except UnlatchError as error:
            is_config = isinstance(error, ConfigError)
            message = "; ".join(error.problems) if is_config else error.message
            yield "link-unlocated", Found(message, where, error.hint)
            continue
        if not is_allowed:
            title = project.workspace.registry.manifests[link.tracker].title
            message = f"{ref.target} is not among the configured targets of {title}"
            yield "target-not-allowed", Found(message, where)


def unread_links(readable: ReadableIncrement) -> Hits:
    for tracker, shape in readable.files.project.workspace.manager.shapes.links.items():
        for path in unread_places(readable.files.data, tracker, shape):
            block = block_at({**readable.files.data}, path)
            message = f"{unread_reason(block, tracker, shape)} ({_shape_of(block)})"
            hint = f"unlatch link {quote(readable.name)} URL"
            if path == (tracker,) and isinstance(block, list) and len(block) > 1:
                hint = f"remove it; then {hint}"
            yield Found(message, readable.files.at(*path), hint)
    for path in unknown_trackers(
        readable.files.data, readable.files.project.workspace.manager.shapes.links
    ):
        message = f"names an item of {path[-1]}, for which no plugin is installed"
        yield Found(
            message, readable.files.at(*path), "unlatch plugins lists the installed plugins"
        )


def _shape_of(value: object) -> str:
    if isinstance(value, dict):
        return f"an object with {', '.join(value)}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return repr(value)


def _spelled_twice(data: Mapping[str, Any], shapes: Mapping[str, LinkShape]) -> tuple[Link, ...]:
    """Links to the item of an earlier link, with another address."""
    links = read_links(data, shapes)
    kept, addresses = {link.path for link in links}, {(link.tracker, link.url) for link in links}
    every = (link for tracker, shape in shapes.items() for link in places_of(data, tracker, shape))
    return tuple(
        link
        for link in every
        if link.path not in kept and link.url and (link.tracker, link.url) not in addresses
    )


def repeated_links(readable: ReadableIncrement) -> Hits:
    for link in _spelled_twice(
        readable.files.data, readable.files.project.workspace.manager.shapes.links
    ):
        first = next(earlier for earlier in readable.increment.links if same_item(earlier, link))
        message = f"{link.url} is the same item as {first.url or first.item}"
        hint = "remove one of the two links from metadata.json"
        yield Found(message, readable.files.at(*link.path), hint)


def old_links(readable: ReadableIncrement) -> Hits:
    if readable.increment.from_spec:
        return
    old: dict[str, list[str]] = {}
    for link in readable.increment.links:
        if _is_old(link, readable):
            is_block = link.path[-1] == link.tracker
            outer = link.path if is_block else link.path[:-1]
            old.setdefault(pointer(outer), []).append(f"{link.tracker} {link.item}")
    for place, items in old.items():
        message = f"is read as the link to {', '.join(items)}"
        yield Found(message, f"{readable.files.metadata}:{place}", MIGRATE)


def _is_old(link: Link, readable: ReadableIncrement) -> bool:
    """Whether `unlatch migrate` would rewrite a link."""
    if link.path[0] not in (link.tracker, *OUTER_BLOCKS):
        return False  # it stays where it is
    shape = readable.files.project.workspace.manager.shapes.links[link.tracker]
    return is_old_place(link) or shape.item not in block_at({**readable.files.data}, link.path)


@several
def same_names(project: ProjectSnapshot) -> Iterator[tuple[str, Found]]:
    names: dict[str, Path] = {}
    numbers: dict[tuple[int, str], str] = {}
    for files in (*project.increments, *project.units):
        unit = unit_in(files.folder)
        name, place = files.name, unit.place if unit else files.folder.path
        first = names.setdefault(name, place)
        if unit and unit.twin:
            first, place = place, unit.twin
        number = number_in(name)
        namesake = numbers.setdefault(number, name) if number else name
        if first != place:
            message = f"has the same name as {first.relative_to(project.root)}"
            hint = "rename or remove one of the two"
            yield "folder-twice", Found(message, place, hint, name)
        elif namesake != name:
            message = f"has the same number as {namesake}; use the folder's name"
            yield "number-twice", Found(message, place, None, name)


def shared_items(project: ProjectSnapshot) -> Hits:
    linked: ByItem[Increment] = ByItem()
    for readable in project.readable:
        for link in readable.increment.links:
            linked.add(link, readable.increment)
            first = linked.on(link)[0]
            if first is not readable.increment:
                shared = f"{link.tracker} {link.item} is also linked to {first.id}"
                message = f"{shared}; it is closed with the last of them"
                hint = f"if that is wrong: unlatch unlink {quote(readable.name)} {quote(link.key)}"
                yield Found(message, readable.files.at(*link.path), hint, readable.name)


def unconfigured_trackers(project: ProjectSnapshot) -> Hits:
    if project.settings is None:
        return
    links = [link.tracker for readable in project.readable for link in readable.increment.links]
    reported = {*project.settings, *project.workspace.broken}  # another check reports those
    for tracker in sorted(set(links) - reported):
        count = links.count(tracker)
        pointing = "1 link points" if count == 1 else f"{count} links point"
        title = project.workspace.registry.manifests[tracker].title
        hint = f"add a table [trackers.{tracker}] to .unlatch/config.toml"
        yield Found(f"{pointing} to {title}, which is not configured", hint=hint)
