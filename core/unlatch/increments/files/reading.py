"""From an increment's folder to a snapshot, whatever shape its files have."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.increments.files import front_matter
from unlatch.increments.files.layout import METADATA, SPEC
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.increments.model.status import read_status
from unlatch.increments.records.links import read_links
from unlatch.increments.records.records import (
    AMENDED,
    AMENDMENTS,
    BadRecord,
    read_pending,
    read_reopens,
)
from unlatch.worklog.json_text.document import JsonText, JsonTextError
from unlatch.worklog.restore import or_restore
from unlatch.worklog.safe_open import read_file
from unlatch.worklog.times import read_stamp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.increments.files.layout import Folder
    from unlatch.increments.model.status import Status
    from unlatch.spi.manifest import LinkShape

FORMAT_VERSION = 2
# A title stands at the beginning of a spec.md, and the rest may be long.
_HEAD = 2048


@dataclass(frozen=True, slots=True)
class Shapes:
    """How the trackers' links and syncedTo entries are written, by the plugins' names."""

    links: Mapping[str, LinkShape]
    synced: Mapping[str, LinkShape]


_RECORDS = frozenset({"reopenHistory", "pending", AMENDMENTS})
ID_KEYS = ("id", "increment", "increment_id")
CREATED_KEYS = ("created", "created_at", "createdAt")
ACTIVITY_KEYS = ("lastActivity", "lastUpdated", "updated_at")
COMPLETED_KEYS = ("completedAt", "completed", "completed_at")
_TIMES = {
    "created": CREATED_KEYS,
    "last_activity": ACTIVITY_KEYS,
    "completed_at": COMPLETED_KEYS,
}


def read_metadata(place: Path | str, folder: Folder | None = None) -> JsonText:
    """The text of a metadata.json.

    Args:
        place: where it is; as text it is read a little sooner.
        folder: the increment that it belongs to; from a listing it is read sooner, too.

    Raises:
        StoreError: the file is missing, no file, too large, behind a link, or not what JSON
            allows; the id says which.
    """
    try:
        raw = _read(folder, METADATA) if folder else read_file(place)
        text = JsonText.parse(raw)
    except FileNotFoundError:
        raise StoreError(
            "metadata-missing",
            "the folder has no metadata.json",
            where=str(place),
            hint=or_restore("remove the folder", place),
        ) from None
    except OSError as error:
        raise StoreError(
            "metadata-unreadable",
            f"metadata.json cannot be read: {error.strerror}",
            where=str(place),
            hint=or_restore("check the file's permissions", place),
        ) from error
    except JsonTextError as error:
        raise _broken_json(error, Path(place)) from error
    if not isinstance(text.value, dict):
        raise StoreError(
            "metadata-invalid",
            "metadata.json does not hold a JSON object",
            where=str(place),
            hint=or_restore("correct it by hand", place),
        )
    return text


def _broken_json(error: JsonTextError, path: Path) -> StoreError:
    where = f"{path}:{error.line}:{error.column}"
    if "conflict" in error.reason:
        return StoreError(
            "metadata-in-conflict",
            "metadata.json holds git conflict markers",
            where=where,
            hint=f"unlatch merge --resolve {path.parent.name}",
        )
    return _invalid(f"metadata.json: invalid JSON: {error.reason}", where, path)


def read_folder(folder: Folder, shapes: Shapes) -> Increment | BrokenIncrement:
    """The increment in `folder`, or why it cannot be read.

    Much of it is worked out when it is asked for: of many increments, most is never looked at.
    """
    try:
        return IncrementHeader.of(
            folder, read_metadata(f"{folder.place}{os.sep}{METADATA}", folder), shapes
        )
    except StoreError as error:
        reason = f"{error.message} ({error.where})" if error.where else error.message
        return BrokenIncrement(
            folder.name, folder.path, error.id, reason, folder.archived, error.hint
        )


def read_increment(folder: Folder, shapes: Shapes) -> Increment:
    """The increment in `folder`.

    Raises:
        StoreError: it cannot be read; the id says why.
    """
    path = folder.path / METADATA
    return snapshot(folder, read_metadata(path), shapes)


def snapshot(folder: Folder, text: JsonText, shapes: Shapes) -> Increment:
    """What a metadata.json says of the increment in `folder`.

    Raises:
        StoreError: `metadata-newer`, `metadata-invalid` or `status-unknown`.
    """
    return IncrementHeader.of(folder, text, shapes).whole


class IncrementHeader(Increment):
    """An increment of which parts are worked out when they are first asked for.

    What can be wrong with it is found when it is made.
    """

    __slots__ = ("shapes", "source", "text")

    @classmethod
    def of(cls, folder: Folder, text: JsonText, shapes: Shapes) -> IncrementHeader:
        data = text.value
        _refuse_newer(data, folder)
        kind = data.get("type")
        one = cls.__new__(cls)
        put = object.__setattr__
        put(one, "id", folder.name)
        put(one, "status", _status(data, folder))
        put(one, "raw_status", data["status"])
        put(one, "type", kind if isinstance(kind, str) else None)
        put(one, "archived", folder.archived)
        put(one, "data", data)
        if not _RECORDS.isdisjoint(data):
            try:
                put(one, "reopens", read_reopens(data, shapes.synced))
                put(one, "pending", read_pending(data))
                amendments = AMENDED.read_all(data.get(AMENDMENTS, []), f"/{AMENDMENTS}")
                put(one, "amendments", amendments)
            except BadRecord as error:
                path = folder.path / METADATA
                raise _invalid(f"metadata.json: {error}", str(path), path) from error
        put(one, "source", folder)
        put(one, "text", text)
        put(one, "shapes", shapes)
        return one

    if not TYPE_CHECKING:  # it would make every misspelt attribute pass

        def __getattr__(self, name: str) -> Any:
            match name:
                case "reopens" | "pending" | "amendments":
                    part = ()
                case "folder":
                    part = self.source.path
                case "title":
                    part = read_title(self.source)
                case "links":
                    part = read_links(self.data, self.shapes.links)
                case "warnings":
                    part = tuple(_warnings(self.source, self.text))
                case "created" | "last_activity" | "completed_at":
                    part = _first_time(self.data, _TIMES[name])
                case _:
                    raise AttributeError(name)
            object.__setattr__(self, name, part)
            return part

    @property
    def whole(self) -> Increment:
        """The same with all that can be asked for."""
        return Increment(**{field.name: getattr(self, field.name) for field in fields(Increment)})

    def __eq__(self, other: object) -> bool:
        theirs = other.whole if isinstance(other, IncrementHeader) else other
        return self.whole == theirs

    def __hash__(self) -> int:
        return hash(self.whole)


def _status(data: Mapping[str, Any], folder: Folder) -> Status:
    raw = data.get("status")
    status = read_status(raw) if isinstance(raw, str) else None
    if status is not None:
        return status
    raise StoreError(
        "status-unknown",
        f"the status {raw!r} is none of the known ones"
        if "status" in data
        else "metadata.json names no status",
        where=str(folder.path / METADATA),
        hint="set status to one of planning, backlog, active, paused, ready_for_review, "
        "completed, abandoned",
    )


def _invalid(message: str, where: str, path: Path) -> StoreError:
    hint = or_restore("correct it by hand", path)
    return StoreError("metadata-invalid", message, where=where, hint=hint)


def _refuse_newer(data: Mapping[str, Any], folder: Folder) -> None:
    version = data.get("formatVersion", FORMAT_VERSION)
    if type(version) is not int or version > FORMAT_VERSION:
        raise StoreError(
            "metadata-newer",
            f"metadata.json has format version {version}; this unlatch knows {FORMAT_VERSION}",
            where=str(folder.path / METADATA),
            hint="upgrade: pipx upgrade unlatch",
        )


def _warnings(folder: Folder, text: JsonText) -> list[str]:
    found = [f"{pointer} occurs twice; the last one counts" for pointer in text.duplicates]
    for key in ID_KEYS:
        if named := text.value.get(key):
            if isinstance(named, str) and named != folder.name:
                found.append(f"the id {named!r} differs from the folder's name; the folder counts")
            break
    return found


def _first_time(data: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    for key in keys:
        raw = data.get(key)
        if raw is not None and (time := read_stamp(raw)):
            return time
    return None


def read_title(folder: Folder) -> str:
    """The title from spec.md, else the words of the folder's name."""
    title = None
    with suppress(OSError, StoreError, UnicodeDecodeError):
        raw = _read(folder, SPEC, at_most=_HEAD)
        if len(raw) == _HEAD:
            head = raw[: raw.rfind(b"\n") + 1].decode("utf-8")
            title = front_matter.title(head) if front_matter.is_whole(head) else None
            raw = b"" if title else _read(folder, SPEC)
        title = title or front_matter.title(raw.decode("utf-8"))
    return title or words_of(folder.name)


def words_of(name: str) -> str:
    """The words of an increment's name, which stand in for a title."""
    return name.partition("-")[2].replace("-", " ")


def _read(folder: Folder, name: str, *, at_most: int | None = None) -> bytes:
    if folder.within is None:
        return read_file(f"{folder.place}{os.sep}{name}", at_most=at_most)
    return folder.within.read_in(folder.name, name, at_most=at_most)


def read_document(path: Path) -> str | None:
    """A document with its line endings as they are; None if it is missing or no UTF-8 text.

    Raises:
        StoreError: `unsafe-path`, `not-a-file` or `file-too-large`.
    """
    try:
        return read_file(path).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
