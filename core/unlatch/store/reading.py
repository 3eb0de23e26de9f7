"""From an increment's folder to a snapshot, whatever shape its files have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unlatch.domain.increment import BrokenIncrement, Increment
from unlatch.domain.status import read_status
from unlatch.domain.times import read_stamp
from unlatch.errors import StoreError
from unlatch.store import front_matter
from unlatch.store.json_text import JsonText, JsonTextError
from unlatch.store.layout import METADATA, SPEC
from unlatch.store.links import read_links
from unlatch.store.records import BadRecord, read_pending, read_reopens

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from unlatch.domain.increment import LinkShape
    from unlatch.store.layout import Folder

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Shapes:
    """How the trackers' links and syncedTo entries are written, by the plugins' names."""

    links: Mapping[str, LinkShape]
    synced: Mapping[str, LinkShape]


ID_KEYS = ("id", "increment", "increment_id")
CREATED_KEYS = ("created", "created_at", "createdAt")
ACTIVITY_KEYS = ("lastActivity", "lastUpdated", "updated_at")
COMPLETED_KEYS = ("completedAt", "completed", "completed_at")


def read_metadata(path: Path) -> JsonText:
    """The text of a metadata.json.

    Raises:
        StoreError: the file is missing, no file, or not what JSON allows; the id says which.
    """
    try:
        text = JsonText.parse(path.read_bytes())
    except FileNotFoundError:
        raise StoreError(
            "metadata-missing",
            "the folder has no metadata.json",
            where=str(path),
            hint="restore it from git, or remove the folder",
        ) from None
    except IsADirectoryError:
        raise StoreError(
            "metadata-unreadable",
            "metadata.json is a folder",
            where=str(path),
            hint="restore the file from git",
        ) from None
    except OSError as error:
        raise StoreError(
            "metadata-unreadable",
            f"metadata.json cannot be read: {error.strerror}",
            where=str(path),
            hint="check the file's permissions",
        ) from error
    except JsonTextError as error:
        raise _broken_json(error, path) from error
    if not isinstance(text.value, dict):
        raise StoreError(
            "metadata-invalid",
            "metadata.json does not hold a JSON object",
            where=str(path),
            hint="restore it from git: git log -- metadata.json",
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
    return StoreError(
        "metadata-invalid",
        f"metadata.json is no JSON: {error.reason}",
        where=where,
        hint="mend it by hand, or restore it from git: git log -- metadata.json",
    )


def read_folder(folder: Folder, shapes: Shapes) -> Increment | BrokenIncrement:
    """The increment in `folder`, or why it cannot be read."""
    try:
        return read_increment(folder, shapes)
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
    data = text.value
    path = folder.path / METADATA
    _refuse_newer(data, path)
    raw_status = data.get("status")
    status = read_status(raw_status) if isinstance(raw_status, str) else None
    if status is None:
        raise StoreError(
            "status-unknown",
            f"the status {raw_status!r} is none of the known ones"
            if "status" in data
            else "metadata.json names no status",
            where=str(path),
            hint="set status to one of planning, backlog, active, paused, ready_for_review, "
            "completed, abandoned",
        )
    try:
        reopens, pending = read_reopens(data, shapes.synced), read_pending(data)
    except BadRecord as error:
        raise StoreError(
            "metadata-invalid",
            f"metadata.json: {error}",
            where=str(path),
            hint="mend it by hand, or restore it from git: git log -- metadata.json",
        ) from error
    kind = data.get("type")
    return Increment(
        id=folder.name,
        folder=folder.path,
        title=read_title(folder),
        status=status,
        raw_status=str(raw_status),
        type=kind if isinstance(kind, str) else None,
        created=_first_time(data, CREATED_KEYS),
        last_activity=_first_time(data, ACTIVITY_KEYS),
        completed_at=_first_time(data, COMPLETED_KEYS),
        archived=folder.archived,
        links=read_links(data, shapes.links),
        reopens=reopens,
        pending=pending,
        warnings=tuple(_warnings(folder, text)),
        data=data,
    )


def _refuse_newer(data: Mapping[str, Any], path: Path) -> None:
    version = data.get("formatVersion", FORMAT_VERSION)
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise StoreError(
            "metadata-newer",
            f"metadata.json has format version {version}; this unlatch knows {FORMAT_VERSION}",
            where=str(path),
            hint="upgrade: pipx upgrade unlatch",
        )


def _warnings(folder: Folder, text: JsonText) -> list[str]:
    found = [f"{pointer} occurs twice; the last one counts" for pointer in text.duplicates]
    named = next((text.value[key] for key in ID_KEYS if text.value.get(key)), None)
    if isinstance(named, str) and named != folder.name:
        found.append(f"the id {named!r} differs from the folder's name; the folder counts")
    return found


def _first_time(data: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((time for key in keys if (time := read_stamp(data.get(key)))), None)


def read_title(folder: Folder) -> str:
    """The title from spec.md, else the words of the folder's name."""
    spec = read_spec(folder.path / SPEC)
    title = front_matter.title(spec) if spec is not None else None
    return title or folder.name.partition("-")[2].replace("-", " ")


def read_spec(path: Path) -> str | None:
    """spec.md with its line endings as they are; None if it is missing or no UTF-8 text."""
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
