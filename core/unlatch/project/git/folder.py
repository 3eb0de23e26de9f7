"""Whether the git configuration of a checkout is the checkout's own.

An archive may hold a `.git` that leads to another repository of the user, or to the user's own
configuration: writing settings there, or reading addresses from there, would leave the project.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.project.git.run import ask_git
from unlatch.worklog.safe_open import UnsafePath

if TYPE_CHECKING:
    from collections.abc import Iterator


def check_git_folder(root: Path) -> None:
    """Make sure that the repository of `root` names this checkout as its own.

    Raises:
        UnsafePath: `unsafe-path`.
    """
    top = next((at for at in _upwards(root) if os.path.lexists(at / ".git")), None)
    if top is None or "GIT_DIR" in os.environ:  # the user chose the repository
        return
    place = top / ".git"
    if not _is_own(top, place):
        raise UnsafePath(
            "unsafe-path",
            "this .git leads to a repository that does not name this folder as its checkout",
            where=str(place),
            hint="git clone the project anew, or set GIT_DIR to the repository that you mean",
        )


def _upwards(root: Path) -> Iterator[Path]:
    here = root.absolute()
    yield from (here, *here.parents)


def _is_own(top: Path, place: Path) -> bool:
    """Whether a `.git` is a plain folder, a work tree's file, or a submodule's file."""
    if place.is_symlink():
        return False
    if place.is_dir():
        plain = not os.path.lexists(place / "commondir") and not (place / "config").is_symlink()
        return plain and not (place / "config.worktree").is_symlink()
    found = ask_git(top, "rev-parse", "--absolute-git-dir")
    folder = Path(found or place)
    common = _content(folder / "commondir")
    if common is None:  # a submodule: its configuration names the work tree
        tree = ask_git(top, "config", "--file", str(folder / "config"), "--get", "core.worktree")
        return tree is not None and (folder / tree).resolve() == top.resolve()
    shared = (folder / common).resolve()
    points_back = Path(_content(folder / "gitdir") or "").resolve() == place.resolve()
    return points_back and folder.resolve().parent == shared / "worktrees" and _is_own(top, shared)


def _content(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return None
