"""The reasons that this user typed in a project, for the arrow keys at the next prompt."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.worklog.disk.atomic import PRIVATE, replace_file
from unlatch.worklog.disk.user_files import read_user_file, state_folder
from unlatch.worklog.json_text import json_or_none

if TYPE_CHECKING:
    from pathlib import Path

_NAME = "reasons"
_KEPT = 50


def earlier_reasons(root: Path) -> list[str]:
    """The last reasons, the newest last; none if they cannot be read."""
    with suppress(OSError):
        reasons = json_or_none(read_user_file(state_folder(root) / _NAME))
        if isinstance(reasons, list):
            return [earlier for earlier in reasons if isinstance(earlier, str)]
    return []


def remember_reason(root: Path, reason: str) -> None:
    """Keep a reason, if the user's files can be written."""
    kept = [earlier for earlier in earlier_reasons(root) if earlier != reason][1 - _KEPT :]
    content = json.dumps([*kept, reason]).encode()
    with suppress(StoreError):
        replace_file(state_folder(root) / _NAME, content, mode=PRIVATE)
