"""Reading the files of an increment."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import Any

from unlatch.errors import StoreError
from unlatch.increments.documents import front_matter
from unlatch.increments.files.paths import METADATA, SPEC
from unlatch.increments.files.units import unit_in
from unlatch.increments.model.status import Status, read_status
from unlatch.patterns import pattern
from unlatch.worklog.collection import Folder
from unlatch.worklog.disk.file_check import or_restore
from unlatch.worklog.disk.folder import OpenFolder
from unlatch.worklog.disk.safe_open import open_folder, read_file
from unlatch.worklog.json_text.document import JsonText, JsonTextError, render_new
from unlatch.worklog.times import read_stamp

FORMAT_VERSION = 2
ID_KEYS = ("id", "increment", "increment_id")
# The earlier ids of a renamed increment, by which other work names it.
FORMER = "formerIds"
CREATED_KEYS = ("created", "created_at", "createdAt")
ACTIVITY_KEYS = ("lastActivity", "lastUpdated", "updated_at", "updated", "updatedAt")
COMPLETED_KEYS = ("completedAt", "completed", "completed_at", "completedDate")
# SpecWeave's time of the final review; it stays when the status changes.
APPROVED = "approvedAt"
TITLE_KEYS = ("title", "name")
# The keys that are read from the front matter where there is no metadata.json.
_SPEC_KEYS = ("status", "type", "origin")
_SPEC_TIMES = (*CREATED_KEYS, *ACTIVITY_KEYS, *COMPLETED_KEYS, APPROVED)
# The title is at the beginning of a spec.md, and the rest may be long.
_HEAD = 2048
# git writes all three in this order, each at the start of a line.
_MARKS = tuple(pattern(mark, re.MULTILINE) for mark in (r"^<{7} ", r"^={7}\r?$", r"^>{7} "))


def read_metadata(
    place: Path | str,
    folder: Folder | None = None,
    opened: OpenFolder | None = None,
    *,
    earlier: JsonText | None = None,
) -> JsonText:
    """The text of a metadata.json; a string for `place`, and the folder itself, make it faster.

    Args:
        earlier: the text as it was read before, which is parsed again only if it changed.
    """
    try:
        raw = read_in(folder, METADATA, opened=opened) if folder else read_file(place)
        text = earlier if earlier is not None and earlier.is_from(raw) else JsonText.parse(raw)
    except FileNotFoundError:
        folder = folder or Folder(Path(place).parent.name, Path(place).parent, False)
        return _from_spec(folder) if unit_in(folder) is None else _of_new_unit(folder)
    except OSError as error:
        hint = or_restore("check the file's permissions", place)
        message = f"metadata.json cannot be read: {error.strerror}"
        raise _error("metadata-unreadable", message, place, hint) from error
    except JsonTextError as error:
        where = f"{place}:{error.line}:{error.column}"
        if "conflict" in error.reason:
            hint = f"unlatch merge --resolve {quote(Path(place).parent.name)}"
            message = "metadata.json holds git conflict markers"
            raise _error("metadata-in-conflict", message, where, hint) from error
        raise invalid(f"metadata.json: invalid JSON: {error.reason}", place, where) from error
    if not isinstance(text.value, dict):
        raise invalid("metadata.json does not hold a JSON object", place)
    return text


class DocumentInConflict(StoreError):
    """A document has the conflict markers of git: both sides of it would count."""


class SpecText(JsonText):
    """The content of a missing metadata.json, from the front matter of spec.md."""


class NewUnitText(JsonText):
    """The content of a missing metadata.json of a unit, which unlatch has not changed yet."""


def _of_new_unit(folder: Folder) -> NewUnitText:
    # Its status is what its files show.
    content = JsonText.parse(render_new({"id": folder.name, "status": Status.PLANNING.value}))
    return NewUnitText(content.text, content.bom, content.value)


def _from_spec(folder: Folder) -> SpecText:
    from unlatch.increments.records.link_places import LINK_KEYS  # noqa: PLC0415  (rarely needed)

    values: dict[str, Any] = {}
    with suppress(OSError, StoreError, UnicodeDecodeError):
        values = front_matter.values(read_in(folder, SPEC).decode("utf-8"))
    if "status" not in values:
        place = folder.path / METADATA
        hint = or_restore(f"write 'status: STATUS' into the front matter of {SPEC}", place)
        raise _error("metadata-missing", "the folder has no metadata.json", place, hint)
    links = {key: _with_numbers(values[key]) for key in LINK_KEYS if key in values}
    texts = {key: values[key] for key in _SPEC_KEYS if isinstance(values.get(key), str)}
    # Every scalar is a text here, also a truth value under such a name.
    times = {key: values[key] for key in _SPEC_TIMES if read_stamp(values.get(key))}
    content = JsonText.parse(render_new({"id": folder.name, **texts, **times, **links}))
    return SpecText(content.text, content.bom, content.value)


def _with_numbers(value: Any) -> Any:
    """A value of the front matter; every scalar in it is a text."""
    if isinstance(value, dict):
        return {key: _with_numbers(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_with_numbers(member) for member in value]
    is_number = isinstance(value, str) and re.fullmatch(r"[1-9][0-9]{0,17}", value)
    return int(value) if is_number else value


def invalid(message: str, path: Path | str, where: str | None = None) -> StoreError:
    """The error for a metadata.json that must be corrected by hand."""
    hint = or_restore("correct it by hand", path)
    return _error("metadata-invalid", message, where or path, hint)


def newer_version(data: Mapping[str, Any]) -> str | None:
    """The reason to refuse an unknown format version; None for a known one."""
    version = data.get("formatVersion", FORMAT_VERSION)
    if type(version) is int and version <= FORMAT_VERSION:
        return None
    return f"format version {version}; this unlatch knows {FORMAT_VERSION}"


def status_in(data: Mapping[str, Any], path: str) -> Status:
    """The status in a metadata.json; StoreError `status-unknown`."""
    raw = data.get("status")
    status = read_status(raw) if isinstance(raw, str) else None
    if status is not None:
        return status
    raise StoreError(
        "status-unknown",
        f"unknown status {raw!r} (known: {', '.join(Status)})"
        if "status" in data
        else f"metadata.json has no status (known: {', '.join(Status)})",
        where=path,
        hint="set status to one of these in metadata.json",
    )


def completion_keys(status: Status) -> tuple[str, ...]:
    """The keys for the completion time of an increment in this status."""
    return (*COMPLETED_KEYS, APPROVED) if status is Status.COMPLETED else COMPLETED_KEYS


def times_in(data: Mapping[str, Any], keys: Iterable[str]) -> tuple[str, ...]:
    """The keys that hold a time."""
    # A number or a truth value under such a name is another program's field.
    return tuple(key for key in keys if key in data and isinstance(data[key], str | None))


def read_title(folder: Folder, data: Mapping[str, Any], opened: OpenFolder | None = None) -> str:
    """The title from spec.md, else from metadata.json, else the words of the folder's name.

    A heading that begins with a kind of document ("Spec: Albums") comes after `title` in
    metadata.json, without that kind; one that is nothing else is no title. At its end, behind
    a blank, such a word often says what the work is, and counts as a kind only where `title`
    is the heading without it.
    """
    titles = [
        " ".join(title.split()) for title in map(data.get, TITLE_KEYS) if isinstance(title, str)
    ]
    first = titles[0] if isinstance(data.get(TITLE_KEYS[0]), str) else None

    def named(heading: str) -> str | None:
        behind = heading.removeprefix(f"{first} ") if first else heading
        from unlatch.increments.documents.titles import name_in  # noqa: PLC0415  (rarely needed)

        if behind != heading and name_in(behind) is None:
            return first
        name = name_in(heading)
        return heading if name and name in (heading, heading.strip("*_`")) else first or name

    try:
        title = _title_in_spec(folder, named, opened)
    except (OSError, StoreError, UnicodeDecodeError):
        title = None
    return title or next(filter(None, titles), None) or words_of(folder.name)


def _title_in_spec(
    folder: Folder, named: Callable[[str], str | None], opened: OpenFolder | None
) -> str | None:
    raw = read_in(folder, SPEC, at_most=_HEAD, opened=opened)
    if len(raw) < _HEAD:
        return front_matter.title(raw.decode("utf-8"), named)
    head = raw[: raw.rfind(b"\n") + 1].decode("utf-8")
    title = front_matter.title_in_head(head, named)
    return title or front_matter.title(read_in(folder, SPEC).decode(), named)


def words_of(name: str) -> str:
    """The words of an increment's name, the default for its title."""
    return name.partition("-")[2].replace("-", " ")


def words_of_unit(name: str) -> str:
    """The words of a unit's name, without a number or date before them."""
    return re.sub(r"[-_]+", " ", re.sub(r"\A(?:[0-9]+[-_])+", "", name)) or name


def spelled_status(folder: Path) -> str | None:
    """The status in the front matter of spec.md, as it is spelled there."""
    return front_matter.status(read_document(folder / SPEC) or "")


def read_document(path: Path) -> str | None:
    """A document with its own line endings; None if it is missing or not UTF-8 text."""
    try:
        return read_file(path).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def document(folder: Path, name: str) -> str:
    """A document of an increment; empty if it is missing.

    Raises:
        StoreError: `document-unreadable` or `document-in-conflict`.
    """
    try:
        text = read_file(folder / name).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(
            "document-unreadable",
            f"{name} cannot be read as UTF-8 text",
            where=str(folder / name),
            hint=or_restore("save it as UTF-8 text, or check its permissions", folder / name),
        ) from error
    if line := conflict_in(text):
        raise DocumentInConflict(
            "document-in-conflict",
            f"{name} has git conflict markers",
            where=f"{folder / name}:{line}",
            hint="resolve it by hand, then git add it",
        )
    return text


def conflict_in(text: str) -> int | None:
    """The first line of a conflict that git left in a text."""
    if "<<<<<<< " not in text:  # a search for the start of a line takes a hundred times as long
        return None
    at, places = 0, []
    for mark in _MARKS:
        match = mark.search(text, at)
        if match is None:
            return None
        places.append(match.start())
        at = match.end()
    return text.count("\n", 0, places[0]) + 1


@contextmanager
def opened_folder(folder: Folder) -> Iterator[OpenFolder | None]:
    """Open a folder to read several files; None if it cannot be opened: a read says why."""
    try:
        opened = open_folder(folder.path)
    except (OSError, StoreError):
        yield None
        return
    with opened:
        yield opened


def read_in(
    folder: Folder, name: str, *, at_most: int | None = None, opened: OpenFolder | None = None
) -> bytes:
    """The content of a file in a listed folder, as `read_file`.

    It is faster while the folder, or its parent, is open.
    """
    if opened is not None:
        return opened.read(name, at_most=at_most)
    if folder.within is None:
        return read_file(f"{folder.place}{os.sep}{name}", at_most=at_most)
    return folder.within.read_in(folder.name, name, at_most=at_most)


def _error(id: str, message: str, where: Path | str, hint: str) -> StoreError:
    return StoreError(id, message, where=str(where), hint=hint)
