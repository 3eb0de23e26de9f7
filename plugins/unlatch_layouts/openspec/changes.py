"""The changes of a project, and the files of one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from unlatch.increments.layouts.folders import files_below, has, subfolders
from unlatch.increments.layouts.native import UNLATCH
from unlatch.increments.model.unit import Unit
from unlatch_layouts.openspec.schema import task_files

NAME = "openspec"
CHANGES = "openspec/changes"
SPECS = "openspec/specs"
PROPOSAL, SPEC = "proposal.md", "spec.md"
_ARCHIVE = "archive"
_MARKERS = ("openspec/config.yaml", "openspec/project.md", CHANGES)
# The date that archiving puts before a name that has none.
_DATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}-(?P<name>.+)\Z", re.DOTALL)


def is_project(root: Path) -> bool:
    return any(has(root / marker) for marker in _MARKERS)


def changes(root: Path) -> Iterator[Unit]:
    """The changes, archived ones last; folders that only wrap changes too, as the tool lists.

    A copy in the archive without a date, which the tool never makes, is none beside the change.
    """
    place = root / CHANGES
    active = [name for name in subfolders(place) if name != _ARCHIVE]
    archived = subfolders(place / _ARCHIVE)
    older = {
        dated["name"]: place / _ARCHIVE / name for name in archived if (dated := _DATED.match(name))
    }
    for name in active:
        twin = place / _ARCHIVE / name if name in archived else None
        yield Unit(NAME, name, place / name, older=older.get(name), twin=twin)
    archived = [name for name in archived if name not in active]
    recorded = frozenset(subfolders(root / UNLATCH.increments)) if archived else frozenset()
    for name, key in _archived_keys(archived, {*active, *archived}, recorded).items():
        yield Unit(NAME, key, place / _ARCHIVE / name, archived=True)


def _archived_keys(
    names: Sequence[str], taken: set[str], recorded: frozenset[str]
) -> Mapping[str, str]:
    """The keys of archived changes, by the names of their folders.

    The newest archive of a name has it as its key; an older one keeps its date, and so do all where
    an active change has that name. A change with a date of its own is archived without another, so
    it keeps its date if unlatch has a record of it.
    """
    keys: dict[str, str] = {}
    for name in reversed(names):
        dated = None if name in recorded else _DATED.match(name)
        keys[name] = dated["name"] if dated and dated["name"] not in taken else name
        taken.add(keys[name])
    return {name: keys[name] for name in names}


def root_of(unit: Unit) -> Path:
    """The root of its project."""
    return unit.place.parents[3 if unit.archived else 2]


def documents(unit: Unit) -> Sequence[str]:
    """The proposal, the files with tasks, and the changes of specifications."""
    return PROPOSAL, *task_files(root_of(unit), unit.place), *_deltas(unit.place)


def _deltas(place: Path) -> Iterator[str]:
    return (path for path in files_below(place, SPEC, within="specs") if is_delta(path))


def is_delta(path: str) -> bool:
    """Whether it is the `spec.md` of a capability; its folders are the capability's name."""
    first, *folders, name = path.split("/") if "/" in path else ("", path)
    hidden = any(folder.startswith(".") for folder in folders)
    return first == "specs" and bool(folders) and name == SPEC and not hidden


def capability(path: str) -> str:
    return path.removeprefix("specs/").removesuffix(f"/{SPEC}")


def home(unit: Unit) -> Path:
    return root_of(unit) / CHANGES / unit.key


def archive_command(unit: Unit) -> tuple[str, ...]:
    """The program and its arguments that archive a change; without prompts, in the root."""
    return "openspec", "archive", "--yes", "--", unit.key
