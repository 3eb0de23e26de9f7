"""The git setup of a project: the merge driver, and whether `.git` is its own.

.gitattributes is committed and names the driver of each file. The driver itself is configured in
each clone, because a repository cannot name programs for git to run.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from shlex import quote

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.paths import (
    BRIEFING,
    EVENTS,
    HOME,
    METADATA,
    RESULTS,
    ProjectPaths,
    items_at,
)
from unlatch.project.git.run import (
    ask_git,
    git_complaint,
    has_git,
    lies_in_bare_repository,
    run_git,
)
from unlatch.values import dataclass
from unlatch.worklog.disk.atomic import replace_file
from unlatch.worklog.disk.file_check import UnsafePath
from unlatch.worklog.disk.safe_open import exists, read_file

ATTRIBUTES = ".gitattributes"
DRIVER = "merge.unlatch.driver"
_NAME = "merge.unlatch.name", "merge two versions of a record of unlatch"
# An exit code above 1 means that nothing was merged: unlatch is not on the PATH, or too old to know
# the command. git would then use our side as the result, so git's own merge marks the conflict.
_COMMAND = (
    "unlatch merge-driver %O %A %B %P; merged=$?; [ $merged -lt 2 ] && exit $merged; "
    "git merge-file -L ours -L base -L theirs %A %O %B"
)


@dataclass(frozen=True, slots=True)
class GitSetupResult:
    path: Path  # the .gitattributes file
    lines: tuple[str, ...]  # added to it
    driver: bool  # whether the driver was added to this clone's configuration
    foreign: str | None  # another driver under our name, which is left unchanged


def set_up_git(paths: ProjectPaths) -> GitSetupResult:
    """Let git merge increments by the meaning of their fields; existing settings stay.

    Raises:
        UsageError: `no-git`.
        StoreError: `unsafe-path`, `not-writable` or `git-config-failed`.
    """
    require_git(paths.root)
    path = paths.root / ATTRIBUTES
    below = paths.increments.relative_to(paths.root).as_posix()
    metadata, events = f"/{below}/**/{METADATA}", f"/{below}/**/{EVENTS}"
    states = paths.states.relative_to(paths.root).as_posix()
    items = items_at(paths.root).increments.relative_to(paths.root).as_posix()
    wanted = [(metadata, "unlatch"), (events, "union"), (f"/{below}/**/{BRIEFING}", "unlatch")]
    wanted += [(f"/{items}/*/{METADATA}", "unlatch"), (f"/{items}/*/{EVENTS}", "union")]
    wanted.append((f"/{HOME}/{RESULTS}", "union"))
    if paths.layouts and states != below:
        wanted += [(f"/{states}/*/{METADATA}", "unlatch"), (f"/{states}/*/{EVENTS}", "union")]
        wanted.append((f"/{states}/*/{BRIEFING}", "unlatch"))
    lines = _add_lines(path, tuple(f"{pattern} merge={how}" for pattern, how in wanted))
    driver = ask_git(paths.root, "config", "--get", DRIVER)
    if driver is None:
        for name, value in (_NAME, (DRIVER, _COMMAND)):
            if run_git(paths.root, "config", name, value) is None:
                message, hint = f"git could not set {name}", f"git config {quote(name)}"
                raise StoreError("git-config-failed", message, where=str(paths.root), hint=hint)
    foreign = driver if driver != _COMMAND else None
    return GitSetupResult(path, lines, driver is None, foreign)


def require_git(root: Path) -> None:
    """Check that `root` is in a git repository of its own; UsageError `no-git`, UnsafePath."""
    if ask_git(root, "rev-parse", "--git-dir") is None:
        message, hint = _why_no_git(root)
        again = hint and f"{hint}, then run the command again"
        raise UsageError("no-git", message, where=str(root), hint=again)
    check_git_folder(root)


def _why_no_git(root: Path) -> tuple[str, str | None]:
    """What keeps git from a repository, and the step that helps, if one is known."""
    if not has_git(root):
        return "git is not installed", "install git"
    if lies_in_bare_repository(root):
        return "this is a bare repository, which has no files: use a clone of it", None
    if (place := git_place(root)) is None:
        return "this is not a git repository", "git init"
    complaint, advice = git_complaint(root)
    if _is_empty(place):
        advice = f"git init {quote(str(place.parent))}"
    return f"git cannot use this repository: {complaint}", advice or None


def _is_empty(folder: Path) -> bool:
    try:
        return not any(folder.iterdir())
    except OSError:  # a file, or not readable
        return False


def _add_lines(path: Path, wanted: tuple[str, ...]) -> tuple[str, ...]:
    old = read_file(path) if exists(path) else b""
    there = {b" ".join(line.split()) for line in old.splitlines()}
    missing = tuple(line for line in wanted if line.encode() not in there)
    if missing:
        end = b"\r\n" if b"\r\n" in old else b"\n"
        joint = b"" if not old or old.endswith(b"\n") else end
        replace_file(path, old + joint + b"".join(line.encode() + end for line in missing))
    return missing


def check_git_folder(root: Path) -> None:
    """Check that the repository of `root` names this checkout as its own; UnsafePath if not.

    An archive may contain a `.git` that points to another repository of the user, or whose work
    tree is another folder. Reading or writing there would leave the project.
    """
    place = git_place(root)
    if place is None or "GIT_DIR" in os.environ:  # the user chose the repository
        return
    if not _is_own(place.parent, place):
        message = "this .git leads to a repository that does not name this folder as its checkout"
        hint = "git clone the project again, or set GIT_DIR to the repository that you mean"
        if _names_missing_worktree(place):
            hint = f"if you moved this worktree: git worktree repair; otherwise {hint}"
        raise UnsafePath("unsafe-path", message, where=str(place), hint=hint)


def git_place(root: Path) -> Path | None:
    """The `.git` of the nearest repository, also of one that git cannot use; None without one."""
    here = root.absolute()
    places = (at / ".git" for at in (here, *here.parents))
    return next(filter(os.path.lexists, places), None)


def _names_missing_worktree(place: Path) -> bool:
    """Whether the repository of a `.git` knows its checkout at a place that is gone."""
    folder = Path(ask_git(place.parent, "rev-parse", "--absolute-git-dir") or place)
    worktree = _content(folder / "gitdir")
    return worktree is not None and not os.path.lexists(worktree)


def _is_own(top: Path, place: Path) -> bool:
    """Whether a `.git` is a plain folder, a work tree's file, or a submodule's file."""
    if place.is_symlink():
        return False
    if place.is_dir():
        plain = not os.path.lexists(place / "commondir") and not (place / "config").is_symlink()
        plain = plain and not (place / "config.worktree").is_symlink()
        return plain and (place.parent != top or _has_work_tree(place, top))
    git_folder = ask_git(top, "rev-parse", "--absolute-git-dir")
    folder = Path(git_folder or place)
    common = _content(folder / "commondir")
    if common is None:  # a submodule: its configuration names the work tree
        tree = ask_git(top, "config", "--file", str(folder / "config"), "--get", "core.worktree")
        return tree is not None and (folder / tree).resolve() == top.resolve()
    shared = (folder / common).resolve()
    points_back = Path(_content(folder / "gitdir") or "").resolve() == place.resolve()
    return points_back and folder.resolve().parent == shared / "worktrees" and _is_own(top, shared)


def _has_work_tree(place: Path, top: Path) -> bool:
    tree = ask_git(top, "config", "--get", "core.worktree")
    return tree is None or (place / tree).resolve() == top.resolve()


def _content(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return None


def main_checkout(root: Path) -> Path | None:
    """The folder of a project in the main checkout, if `root` is in a worktree of that.

    None too if the worktree does not belong to that repository, or the project is not there.
    """
    here = root.absolute()
    top = next((at for at in (here, *here.parents) if os.path.lexists(at / ".git")), None)
    if top is None or not (top / ".git").is_file():
        return None
    with suppress(StoreError):
        check_git_folder(here)
        listed = ask_git(here, "worktree", "list", "--porcelain") or ""
        kind, _, path = listed.partition("\n")[0].partition(" ")
        main = Path(path) / here.relative_to(top)
        if kind == "worktree" and path and main.is_dir() and main != here:
            return main
    return None
