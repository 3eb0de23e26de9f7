"""The private folder of this user for one checkout: for what another one must not inherit.

After a checkout was deleted, another one can have its path and its inode. So the checkout holds a
random word: in git's own folder, or where that is elsewhere in a folder that git leaves out. The
folder in the user's state is named after that word and its file. A clone has no such word, and an
archive that brings one has another file: its time of change cannot be chosen.
"""

import os
from contextlib import suppress
from pathlib import Path

from unlatch.errors import StoreError
from unlatch.worklog.digests import sha256
from unlatch.worklog.disk.atomic import PRIVATE, remove_file, replace_file
from unlatch.worklog.disk.safe_open import outside_git, read_file, word_file
from unlatch.worklog.disk.user_files import has_state, state_folder, temporary_state

_LENGTH, _SIGNS = 32, b"0123456789abcdef"
_WHY = "# What unlatch keeps for this checkout alone.\n"


def checkout_folder(root: Path) -> Path | None:
    """The folder for the checkout at `root`; None if nothing was kept for it."""
    with suppress(OSError, StoreError):
        if (name := _name(word_file(root))) and has_state(root, name):
            kept = state_folder(root) / name
            if kept.is_dir():  # not so if the state has become read-only
                return kept
    return temporary_state()  # of this process alone


def make_checkout_folder(root: Path) -> Path:
    """Make the folder, if missing; StoreError `not-writable` and others of `replace_file`."""
    from unlatch.worklog.disk.folder_lock import folder_lock  # noqa: PLC0415  (once a checkout)
    from unlatch.worklog.disk.private_folder import make_private  # noqa: PLC0415

    folder = state_folder(root)
    if folder == temporary_state():
        return folder
    with folder_lock(folder):
        place = word_file(root)
        name = _name(place)
        if name is None or not has_state(root, name):  # nothing of ours, so another's may have it
            _write(root, place)
            name = _name(place)
        if name is None:
            message, hint = f"{place.name} was changed meanwhile", "run the command again"
            raise StoreError("not-writable", message, where=str(place), hint=hint)
        own = folder / name
        make_private(own)
    return own


def _name(place: Path) -> str | None:
    """The name of the folder for the word at `place`; None if there is none to read."""
    with suppress(OSError, StoreError):
        word, status = read_file(place), place.lstat()
        if len(word) == _LENGTH and not word.strip(_SIGNS):
            # Without the number of the device, which another start of the machine can change.
            key = b"%b %d %d" % (word, status.st_ino, status.st_ctime_ns)
            return f"checkout-{sha256(key)[:32]}"
    return None


def _write(root: Path, place: Path) -> None:
    from unlatch.worklog.disk.private_folder import make_ignored  # noqa: PLC0415

    if place.is_relative_to(outside_git(root)):
        make_ignored(place.parent, _WHY)
    remove_file(place)  # a new one would have the permissions of the old one
    replace_file(place, os.urandom(16).hex().encode(), mode=PRIVATE)
