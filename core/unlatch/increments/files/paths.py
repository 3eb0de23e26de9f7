"""The folders of a project and of its increments."""

import os
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any

from unlatch.errors import StoreError, UsageError
from unlatch.values import dataclass
from unlatch.worklog.collection import sorted_folders
from unlatch.worklog.disk.safe_open import HOMES, exists, read_file

HOME, SPECWEAVE = HOMES
_MISSING = "no project: there is no .unlatch or .specweave/increments"
METADATA, EVENTS, SPEC, TASKS = "metadata.json", "events.jsonl", "spec.md", "tasks.md"
BRIEFING = "briefing.md"
# The marks that projects count as discarded, by root, as the configuration was when the project was
# opened: each document is read with those of the project that it is in.
DISCARDED_MARKS: dict[Path, tuple[str, ...]] = {}
# The default folder of the sessions.
SESSIONS = f"{HOME}/sessions"


@dataclass(frozen=True, slots=True)
class ProjectPaths:
    """The folders of one project; its root holds `.unlatch` or `.specweave`.

    Args:
        layouts: the names of the layouts of other tools that it uses.
    """

    root: Path
    increments: Path
    layouts: tuple[str, ...] = ()

    @property
    def states(self) -> Path:
        """The folder of unlatch's records of the units of other tools."""
        return self.root / HOME / "increments"

    @property
    def home(self) -> Path:
        """The folder of our own files in git: the configuration."""
        return self.root / HOME

    @property
    def config(self) -> Path:
        return self.home / "config.toml"


def find_paths(start: Path) -> ProjectPaths:
    """The paths of the nearest project at or above `start`; raises `no-project`."""
    for root in (start, *start.parents):
        if _is_project(root):
            return paths_at(root)
    raise UsageError(
        "no-project",
        f"{_MISSING} in this folder or one above",
        where=str(start),
        hint="change to your project's folder; to set up a project here: unlatch init",
    )


def project_at(root: Path) -> ProjectPaths:
    """The paths of the project whose folder is `root`; raises `no-project`."""
    if not _is_project(root):
        hint = f"unlatch --root {shlex.quote(str(root))} init"
        raise UsageError("no-project", f"{_MISSING} in this folder", where=str(root), hint=hint)
    return paths_at(root)


def _is_project(root: Path) -> bool:
    return _is_folder(root / HOME) or _is_folder(root / SPECWEAVE / "increments")


def paths_at(root: Path) -> ProjectPaths:
    """The paths of the project at `root`; `.unlatch/increments` goes before `.specweave`'s."""
    ours = root / HOME / "increments"
    theirs = root / SPECWEAVE / "increments"
    layouts, DISCARDED_MARKS[root] = _configured(root)
    is_theirs = _is_folder(theirs) and not (_is_folder(ours) and _has_own(ours, layouts))
    return ProjectPaths(root, theirs if is_theirs else ours, layouts)


def _has_own(ours: Path, layouts: tuple[str, ...]) -> bool:
    """Whether a folder has increments of our own, and not only records of units."""
    if not layouts:
        return True
    return any(exists(Path(one.place) / SPEC) for one in sorted_folders(ours, archived=False))


def _configured(root: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The layouts and the discarded marks that the configuration names.

    A mistake in it is reported where it is read.
    """
    try:
        raw = read_file(root / HOME / "config.toml")
    except (OSError, StoreError):
        return (), ()
    if b"layouts" not in raw and b"discarded_marks" not in raw:
        return (), ()
    import tomllib  # noqa: PLC0415  (rarely needed)

    with suppress(tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        config = tomllib.loads(raw.decode())
        return _listed(config, "layouts", "use"), _listed(config, "documents", "discarded_marks")
    return (), ()


def _listed(config: dict[str, Any], name: str, key: str) -> tuple[str, ...]:
    table = config.get(name)
    listed = table.get(key, ()) if isinstance(table, dict) else ()
    words = listed if isinstance(listed, list) else ()
    return tuple(dict.fromkeys(word for word in words if isinstance(word, str)))


def items_at(root: Path) -> ProjectPaths:
    """The paths of the records of items below `root`: each has a folder, as increments have."""
    return ProjectPaths(root, root / HOME / "items")


def _is_folder(place: Path) -> bool:
    """Whether a folder or a link exists; opening a link fails with the reason."""
    return place.is_dir() or place.is_symlink()


def may_be_sparse(root: Path) -> bool:
    """Whether git has patterns of a sparse checkout, which it keeps after the end of it."""
    here = root.absolute()
    for git in (one / ".git" for one in (here, *here.parents)):
        if git.is_dir():
            return os.path.lexists(git / "info/sparse-checkout")
        if os.path.lexists(git):
            try:
                place = read_file(git).removeprefix(b"gitdir:").strip()
            except OSError:
                return False
            return os.path.lexists(git.parent / os.fsdecode(place) / "info/sparse-checkout")
    return False
