"""The specs of a project, where Kiro keeps them and where teams archive them."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from unlatch.increments.layouts.folders import files_below, has, subfolders, text_of
from unlatch.increments.model.unit import Unit
from unlatch.worklog.json_text import json_object

NAME = "kiro"
REQUIREMENTS, BUGFIX, DESIGN, TASKS = "requirements.md", "bugfix.md", "design.md", "tasks.md"
# The ledger of cc-sdd.
LEDGER = "spec.json"
DOCUMENTS: Sequence[str] = (REQUIREMENTS, BUGFIX, DESIGN, TASKS, LEDGER)
_FOLDER, _SPECS, _STEERING = ".kiro", ".kiro/specs", ".kiro/steering"
# Kiro's own record of a spec: its `specId` stays when the folder is renamed.
_RECORD = ".config.kiro"
_LONGEST_UID = 100
# Kiro archives nothing: these are folders that teams make.
_ARCHIVE = ".kiro-archive"
_ARCHIVES = (".kiro/archive", _ARCHIVE)
_ARCHIVE_NAMES = frozenset({"archive", "archived", "archives", "completed", "done"})
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[-_](?=.)")
# Folders that only group specs, as in `archive/2026/login`.
_DEEPEST = 2


def is_project(root: Path) -> bool:
    return has(root / _SPECS) or has(root / _STEERING)


def specs(root: Path) -> Iterator[Unit]:
    """The specs; of archived ones with the same key only the first."""
    taken: set[tuple[str, bool]] = set()
    for place, archived in _places(root):
        key = place.name
        if archived and (date := _DATE.match(key)):
            key = key[date.end() :]
        if (key, archived) not in taken:
            taken.add((key, archived))
            yield Unit(NAME, key, place, archived, _uid(place))


def home(unit: Unit) -> Path:
    """Where Kiro looks for the spec."""
    if not unit.archived:
        return unit.place
    tops = (parent for parent in unit.place.parents if parent.name in (_FOLDER, _ARCHIVE))
    return next(tops, unit.place.parent).parent / _SPECS / unit.key


def _places(root: Path) -> Iterator[tuple[Path, bool]]:
    yield from _below(root / _SPECS, archived=False)
    for archive in _ARCHIVES:
        yield from _below(root / archive, archived=True)


def _below(place: Path, *, archived: bool, deep: int = _DEEPEST) -> Iterator[tuple[Path, bool]]:
    for name in subfolders(place):
        folder = place / name
        if not {*DOCUMENTS, _RECORD}.isdisjoint(files_below(folder, "", deep=0)):
            yield folder, archived
        elif deep:
            is_archive = name.strip("_-").casefold() in _ARCHIVE_NAMES
            yield from _below(folder, archived=archived or is_archive, deep=deep - 1)


def _uid(place: Path) -> str | None:
    uid = json_object(text_of(place / _RECORD)).get("specId")
    return uid if isinstance(uid, str) and 0 < len(uid) <= _LONGEST_UID else None
