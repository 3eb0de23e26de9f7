"""The log of failed hooks, in the user's state folder: a hook itself shows no errors."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from platformdirs import user_state_path

from unlatch.errors import UnlatchError
from unlatch.transport.trace import Redactor
from unlatch.worklog.disk.atomic import PRIVATE, append_lines, replace_file
from unlatch.worklog.disk.user_files import make_state, read_user_file
from unlatch.worklog.text.neutral import visible
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

# Bytes; half of it is kept when the log is larger.
_LARGEST = 1 << 16


def log_file() -> Path:
    return user_state_path("unlatch") / "hooks.log"


def log_failure(error: BaseException, *, now: datetime) -> None:
    """Add a line; if that fails, too, nothing can be said."""
    with suppress(Exception):
        path = log_file()
        make_state(path.parent)
        if path.exists() and path.stat().st_size > _LARGEST:
            kept = read_user_file(path)[-_LARGEST // 2 :].partition(b"\n")[2]
            replace_file(path, kept, mode=PRIVATE)
        # Before they are made visible, as later: a character within a secret hides it.
        words = visible(Redactor().text(_words(error)))
        append_lines(path, f"{stamp(now)} {Redactor().line(words)}", mode=PRIVATE)


def _words(error: BaseException) -> str:
    if isinstance(error, UnlatchError):
        place = f" ({error.where})" if error.where else ""
        return f"{error.id}: {error.message}{place}"
    return f"unexpected: {type(error).__name__}: {error}"
