"""Checkouts whose texts the user trusts in an agent's context, noted in the user's own state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from platformdirs import user_state_path

from unlatch.errors import StoreError
from unlatch.project.trusted import is_trusted
from unlatch.worklog.disk.atomic import PRIVATE, remove_file, replace_file
from unlatch.worklog.disk.checkout_folder import checkout_folder, make_checkout_folder
from unlatch.worklog.disk.own_texts import TEXTS, TRUSTED
from unlatch.worklog.disk.user_files import state_folder
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

# In the same folder: the branch that the user trusted.
BRANCH = "branch"


def trust(root: Path, *, now: datetime) -> None:
    """Trust a checkout; StoreError `not-writable`, or the folder is another's."""
    if state_folder(root).parent != user_state_path("unlatch"):
        message = "your state folder cannot be written, so nothing can be noted in it"
        hint = "make it writable, or set XDG_STATE_HOME to a folder that is"
        where = str(user_state_path("unlatch"))
        raise StoreError("not-writable", message, where=where, hint=hint)
    note = make_checkout_folder(root) / TRUSTED
    replace_file(note, f"{root.resolve()}\n{stamp(now)}".encode(), mode=PRIVATE)


def withdraw_trust(root: Path) -> bool:
    """Trust a checkout no longer; returns whether it was trusted."""
    was_trusted = is_trusted(root)
    if folder := checkout_folder(root):
        for name in (TRUSTED, TEXTS, BRANCH):
            remove_file(folder / name)
    return was_trusted
