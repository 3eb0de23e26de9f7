"""Whose a folder is, as git decides it: another account must not choose what a command uses."""

from __future__ import annotations

import os
from pathlib import Path

from unlatch.worklog.disk.user_files import allowed_projects


def foreign_owner(place: Path) -> int | None:
    """The account of a folder, file or link that is not this user's; None if it is, or is gone.

    With sudo, root also has what belongs to the user who called it.
    """
    if os.name != "posix":
        return None
    try:
        owner = place.lstat().st_uid
    except OSError:
        return None
    return None if owner in _own_accounts() else owner


def _own_accounts() -> tuple[int, ...]:
    user = os.geteuid()
    caller = os.environ.get("SUDO_UID", "")
    return (user, int(caller)) if user == 0 and caller.isdecimal() else (user,)


def is_allowed(folder: Path) -> bool:
    """Whether the user has named this folder, or one above it, in `allowed_projects`."""
    here = folder.resolve()
    return any(here.is_relative_to(Path(one).resolve()) for one in allowed_projects())


def describe_account(number: int) -> str:
    """The name and number of an account."""
    import pwd  # noqa: PLC0415  (not on Windows)

    try:
        return f"{pwd.getpwuid(number).pw_name} (uid {number})"
    except KeyError:
        return f"uid {number}"
