"""The folders of a project and of its increments."""

import json
import os
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any

from unlatch.errors import StoreError, UsageError
from unlatch.values import dataclass
from unlatch.worklog.collection import sorted_folders
from unlatch.worklog.disk.safe_open import HOMES, add_root, exists, read_file
from unlatch.worklog.disk.system import describe_account, foreign_owner

HOME, SPECWEAVE = HOMES
_MISSING = "no project: there is no .unlatch or .specweave/increments"
METADATA, EVENTS, SPEC, TASKS = "metadata.json", "events.jsonl", "spec.md", "tasks.md"
BRIEFING = "briefing.md"
# The results of the tests that guard finished work, in the folder `home`.
RESULTS = "regressions.jsonl"
# The marks that projects count as discarded, by root, as the configuration was when the project was
# opened: each document is read with those of the project that it is in.
DISCARDED_MARKS: dict[Path, tuple[str, ...]] = {}
_ITEMS = "items"
# The default folder of the sessions.
SESSIONS = f"{HOME}/sessions"


@dataclass(frozen=True, slots=True)
class ProjectPaths:
    """The folders of one project; its root holds `.unlatch` or `.specweave`.

    Args:
        layouts: the names of the layouts of other tools that it uses.
        earlier: where earlier versions keep increments, as long as such a place exists.
    """

    root: Path
    increments: Path
    layouts: tuple[str, ...] = ()
    earlier: tuple[Path, ...] = ()

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
    """The paths of the nearest project at or above `start`, within its git repository.

    Raises:
        UsageError: `no-project`, or as `check_owner`.
    """
    top = repository_top(start)
    outer = None
    for root in filter(_is_project, (start, *start.parents)):
        if top is None or root.is_relative_to(top) or _is_allowed(root):
            check_owner(root)
            return paths_at(root)
        outer = outer or root
    why, hint = "", "change to your project's folder; to set up a project here: unlatch init"
    if outer is not None:
        why = f"; the one in {outer} is above the top of this git repository, {top}"
        hint = f"to use it nevertheless, {_allowing(outer)}"
    message = f"{_MISSING} in this folder or one above{why}"
    raise UsageError("no-project", message, where=str(start), hint=hint)


def project_at(root: Path) -> ProjectPaths:
    """The paths of the project whose folder is `root`; raises as `find_paths`."""
    if not _is_project(root):
        hint = f"unlatch --root {shlex.quote(str(root))} init"
        raise UsageError("no-project", f"{_MISSING} in this folder", where=str(root), hint=hint)
    check_owner(root)
    return paths_at(root)


def check_owner(root: Path) -> None:
    """Check that a project is this user's, or allowed; UsageError `project-not-yours`."""
    for place in (root, root / HOME, root / SPECWEAVE):
        owner = foreign_owner(place)
        if owner is not None and not _is_allowed(root):
            yours = describe_account()
            message = f"{place} belongs to {describe_account(owner)}, and not to {yours}"
            hint = f"if you trust it, {_allowing(root)}"
            raise UsageError("project-not-yours", message, where=str(root), hint=hint)


def _is_allowed(root: Path) -> bool:
    from unlatch.worklog.disk.user_files import is_allowed_project  # noqa: PLC0415  (rarely needed)

    return is_allowed_project(root)


def _allowing(root: Path) -> str:
    from unlatch.worklog.disk.user_files import (  # noqa: PLC0415  (as above)
        ALLOWED_PROJECTS,
        user_config_file,
    )

    return f"add to {user_config_file()}: {ALLOWED_PROJECTS} = [{json.dumps(str(root))}]"


def repository_top(start: Path) -> Path | None:
    """The top of the git repository of a folder; None outside of one.

    Worktrees and submodules in a folder of their repository are a part of it.
    """
    tops = [folder for folder in (start, *start.parents) if os.path.lexists(folder / ".git")]
    if not tops:
        return None
    git = _git_folder(tops[0]).resolve()
    outer = [top for top in tops[1:] if git.is_relative_to(_shared_git_folder(top))]
    return outer[-1] if outer else tops[0]


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
    return any(exists(Path(folder.place) / SPEC) for folder in sorted_folders(ours, archived=False))


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
    from unlatch.worklog.text.parsing import load_toml  # noqa: PLC0415  (rarely needed)

    with suppress(ValueError):
        config = load_toml(raw.decode("utf-8-sig"))
        return _listed(config, "layouts", "use"), _listed(config, "documents", "discarded_marks")
    return (), ()


def _listed(config: dict[str, Any], name: str, key: str) -> tuple[str, ...]:
    table = config.get(name)
    listed = table.get(key, ()) if isinstance(table, dict) else ()
    words = listed if isinstance(listed, list) else ()
    return tuple(dict.fromkeys(word for word in words if isinstance(word, str)))


def items_at(root: Path) -> ProjectPaths:
    """The paths of the records of items below `root`: each has a folder, as increments have."""
    return ProjectPaths(root, root / HOME / _ITEMS)


def items_in(folder: Path) -> ProjectPaths:
    """The paths of the records of items in a folder that is no project.

    Earlier versions keep them in `.unlatch/items` of it; a record in `.unlatch/moving` was taken
    from there, and has to be joined to the one in the folder.
    """
    add_root(folder)
    home = folder / HOME
    earlier = (home / _ITEMS, home / "moving") if os.path.lexists(home) else ()
    return ProjectPaths(folder, folder, earlier=earlier)


def _is_folder(place: Path) -> bool:
    """Whether a folder or a link exists; opening a link fails with the reason."""
    return place.is_dir() or place.is_symlink()


def may_be_sparse(root: Path) -> bool:
    """Whether git has patterns of a sparse checkout, which it keeps after the end of it."""
    here = root.absolute()
    top = next(
        (folder for folder in (here, *here.parents) if os.path.lexists(folder / ".git")), None
    )
    return top is not None and os.path.lexists(_git_folder(top) / "info/sparse-checkout")


def _git_folder(top: Path) -> Path:
    """The folder of git for a checkout: `.git`, or what the file of that name leads to."""
    git = top / ".git"
    if not git.is_dir():
        with suppress(OSError, StoreError):
            place = os.fsdecode(read_file(git).removeprefix(b"gitdir:").strip())
            return Path(os.path.normpath(top / place))
    return git


def _shared_git_folder(top: Path) -> Path:
    """The folder of git that all worktrees of a checkout's repository have in common."""
    git = _git_folder(top).resolve()
    return git.parents[1] if git.parent.name == "worktrees" else git
