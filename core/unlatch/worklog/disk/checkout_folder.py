"""The private folder of this user for one checkout: for what another one must not inherit.

After a checkout was deleted, another one can have its path and its inode. So git's own folder, or
outside of git a folder that git would leave out, holds a random word that no clone brings along.
The folder in the user's state is named after that word, so both have to agree.
"""

import os
import re
from contextlib import suppress
from pathlib import Path

from unlatch.errors import StoreError
from unlatch.worklog.disk.atomic import PRIVATE, remove_file, replace_file
from unlatch.worklog.disk.folder_lock import folder_lock
from unlatch.worklog.disk.private_folder import make_ignored, make_private
from unlatch.worklog.disk.safe_open import HOMES
from unlatch.worklog.disk.user_files import (
    has_state,
    read_user_file,
    state_folder,
    temporary_state,
)

_WORD = re.compile(rb"[0-9a-f]{32}")
_LONGEST = 1 << 14
_WHY = "# What unlatch keeps for this checkout alone.\n"


def checkout_folder(root: Path) -> Path | None:
    """The folder for the checkout at `root`; None if nothing was kept for it."""
    with suppress(OSError, StoreError):
        if (word := _read(_word_file(root))) and has_state(root, _name(word)):
            kept = state_folder(root) / _name(word)
            if kept.is_dir():  # not so if the state has become read-only
                return kept
    return temporary_state()  # of this process alone


def make_checkout_folder(root: Path) -> Path:
    """Make the folder, if missing; StoreError `not-writable` and others of `replace_file`."""
    folder = state_folder(root)
    if folder == temporary_state():
        return folder
    with folder_lock(folder):
        made = folder / _name(_read(place := _word_file(root)) or _write(root, place))
        make_private(made)
    return made


def _name(word: bytes) -> str:
    return f"checkout-{word.decode()}"


def _read(place: Path) -> bytes | None:
    with suppress(FileNotFoundError):
        if not place.is_symlink() and _WORD.fullmatch(word := read_user_file(place)):
            return word
    return None


def _write(root: Path, place: Path) -> bytes:
    word = os.urandom(16).hex().encode()
    if place.is_relative_to(_outside_git(root)):
        make_ignored(place.parent, _WHY)
    remove_file(place)  # a new one would have the permissions of the old one
    replace_file(place, word, mode=PRIVATE)
    return word


def _word_file(root: Path) -> Path:
    """The file for the word of this user; StoreError `git-folder-unreadable`."""
    here = root.resolve()
    places = (folder / ".git" for folder in (here, *here.parents))
    git = next((one for one in places if os.path.lexists(one)), None)
    # Of each user: a checkout can be shared, and the file is readable for its owner alone.
    user = getattr(os, "getuid", int)()
    return (_git_folder(git) if git else _outside_git(here)) / f"unlatch-checkout-{user}"


def _outside_git(root: Path) -> Path:
    return root.resolve() / HOMES[0] / "local"


def _git_folder(place: Path) -> Path:
    """The folder of `.git`, which in a worktree or submodule is a file that names it."""
    folder = place
    try:
        if not place.is_dir():
            text = os.fsdecode(read_user_file(place, at_most=_LONGEST))
            folder = place.parent / text.removeprefix("gitdir:").strip()
        if (folder / "HEAD").is_file():
            return folder.resolve()
        why = "it leads to no repository"
    except (OSError, ValueError) as error:
        why = str(error)
    hint = f"git -C {place.parent} status shows what is wrong with it"
    message = f".git cannot be read, so nothing can be kept for this checkout: {why}"
    raise StoreError("git-folder-unreadable", message, where=str(place), hint=hint)
