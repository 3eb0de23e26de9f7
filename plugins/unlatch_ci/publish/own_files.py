"""The changed files of a checkout that belong to increments, and so may be committed."""

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

from unlatch.increments.files.paths import BRIEFING, EVENTS, METADATA, SPEC, TASKS
from unlatch.worklog.ids import number_of

# A spec.md or tasks.md that changed alone was changed by a person.
_RECORDS = frozenset({METADATA, EVENTS})
_OURS = _RECORDS | {SPEC, TASKS}
# Before the path of a file in the folder of a unit.
_DOCUMENT, _UNIT = "document:", "unit:"


class UnitPlaces(NamedTuple):
    """A unit of another tool in a checkout.

    Args:
        folders: where it is and where it belongs, from the top of the checkout; a unit that is a
            file has its paths here.
        documents: the paths of its documents in there; a dot for such a file.
    """

    folders: tuple[str, ...]
    documents: frozenset[str]


Units = Mapping[str, UnitPlaces]


def merge_attributes(below: Iterable[str], logs: Iterable[str]) -> str:
    """The git attributes for merging records, for a clone without them in .gitattributes."""
    return "".join(f"/{log} merge=union\n" for log in logs) + "".join(
        f"/{folder}/**/{METADATA} merge=unlatch\n/{folder}/**/{EVENTS} merge=union\n"
        f"/{folder}/**/{BRIEFING} merge=unlatch\n"
        for folder in below
    )


def own_files(
    status: bytes,
    *,
    below: Collection[str],
    units: Units = MappingProxyType({}),
    logs: Collection[str] = (),
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The changed files of increments, from the top of the checkout, and the increments' folders.

    Args:
        status: the output of `git status --porcelain -z --no-renames`.
        below: the folders of increments and of items, from the top of the checkout.
        units: the units of other tools, by the names of their increments.
        logs: files of no increment, from the top of the checkout, that are listed as well.
    """
    changes: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    paths: list[str] = []
    for entry in filter(None, os.fsdecode(status).split("\0")):
        code, path = entry[:2], entry[3:]
        if path in logs:
            paths.append(path)
        elif place := _place(path, below, units):
            increment, inner = place
            changes[increment][inner][path] = code
    ours = {name: files for name, files in changes.items() if files.keys() & _RECORDS}
    # A folder taken out of the archive moved with all its files.
    paths += [
        path
        for files in ours.values()
        for inner, codes in files.items()
        if inner in _OURS or inner.startswith(_DOCUMENT) or _is_moved(codes.values())
        for path in codes
    ]
    return tuple(sorted(paths)), tuple(sorted(ours))


def changed_increments(
    paths: Iterable[str], *, below: Collection[str], units: Units = MappingProxyType({})
) -> tuple[str, ...]:
    """The folders of the increments with records among these files."""
    places = (_place(path, below, units) for path in paths)
    return tuple(sorted({place[0] for place in places if place and place[1] in _RECORDS}))


def _is_moved(codes: Collection[str]) -> bool:
    is_new = any(code == "??" or "A" in code for code in codes)
    return is_new and any("D" in code for code in codes)


def _place(path: str, below: Collection[str], units: Units) -> tuple[str, str] | None:
    """The folder of the file's increment or item, and the file's path inside of it."""
    folder = next((folder for folder in below if PurePosixPath(path).is_relative_to(folder)), None)
    if folder is None:
        return _place_in_unit(path, units)
    parts = PurePosixPath(path).relative_to(folder).parts
    start = 1 if parts[0].startswith("_") else 0
    if len(parts) < start + 2 or (number_of(parts[start]) is None and parts[start] not in units):
        return None
    return parts[start], "/".join(parts[start + 1 :])


def _place_in_unit(path: str, units: Units) -> tuple[str, str] | None:
    for name, unit in units.items():
        for folder in unit.folders:
            if PurePosixPath(path).is_relative_to(folder):
                inner = str(PurePosixPath(path).relative_to(folder))
                return name, f"{_DOCUMENT if inner in unit.documents else _UNIT}{inner}"
    return None
