"""The main checkout of a worktree of git."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from unlatch.errors import StoreError
from unlatch.project.git.run import ask_git
from unlatch.project.git.setup import check_git_folder


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
