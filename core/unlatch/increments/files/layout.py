"""The folders of a project and of its increments."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from unlatch.errors import UsageError
from unlatch.worklog.collection import Collection
from unlatch.worklog.disk.safe_open import HOMES

HOME, SPECWEAVE = HOMES
_MISSING = "no project: there is no .unlatch or .specweave/increments"
METADATA, EVENTS, SPEC, TASKS = "metadata.json", "events.jsonl", "spec.md", "tasks.md"


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of one project; its root holds `.unlatch` or `.specweave`."""

    root: Path
    increments: Path

    @property
    def home(self) -> Path:
        """The folder of our own files in git: the configuration."""
        return self.root / HOME

    @property
    def config(self) -> Path:
        return self.home / "config.toml"

    @property
    def collection(self) -> Collection:
        return Collection(self.increments)


def find_layout(start: Path) -> Layout:
    """The layout of the nearest project at or above `start`; raises `no-project`."""
    for root in (start, *start.parents):
        if _is_project(root):
            return layout_at(root)
    raise UsageError(
        "no-project",
        f"{_MISSING} in this folder or one above",
        where=str(start),
        hint="unlatch init",
    )


def project_at(root: Path) -> Layout:
    """The layout of the project whose folder is `root`; raises `no-project`."""
    if not _is_project(root):
        hint = f"unlatch --root {shlex.quote(str(root))} init"
        raise UsageError("no-project", f"{_MISSING} in this folder", where=str(root), hint=hint)
    return layout_at(root)


def _is_project(root: Path) -> bool:
    return _is_folder(root / HOME) or _is_folder(root / SPECWEAVE / "increments")


def layout_at(root: Path) -> Layout:
    """The layout of the project at `root`; `.unlatch/increments` goes before `.specweave`'s."""
    ours = root / HOME / "increments"
    theirs = root / SPECWEAVE / "increments"
    return Layout(root, theirs if _is_folder(theirs) and not _is_folder(ours) else ours)


def items_at(root: Path) -> Layout:
    """The layout of the records of items below `root`: each has a folder, as increments have."""
    return Layout(root, root / HOME / "items")


def _is_folder(place: Path) -> bool:
    """Whether a folder or a link exists; opening a link fails with the reason."""
    return place.is_dir() or place.is_symlink()
