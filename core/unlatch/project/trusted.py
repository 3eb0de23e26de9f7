"""Whether the user trusts a checkout: its texts for agents, and its git configuration."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.worklog.disk.checkout_folder import checkout_folder
from unlatch.worklog.disk.own_texts import TRUSTED
from unlatch.worklog.disk.user_files import read_user_file

if TYPE_CHECKING:
    from pathlib import Path


def is_trusted(root: Path) -> bool:
    """Whether the user trusts this checkout; another one at the same path is not meant."""
    with suppress(OSError, ValueError):
        if folder := checkout_folder(root):
            place, _ = read_user_file(folder / TRUSTED).decode().rsplit("\n", 1)
            return place == str(root.resolve())
    return False
