"""Texts that can be passed on: without probable secrets and the path of the user's home."""

from __future__ import annotations

import re
from pathlib import Path

from unlatch.transport.redact import MASK, Redactor

HOME = "~"


class Masking:
    """Masks probable secrets and a home folder; `count` is the number of masks so far.

    Args:
        home: by default the user's.
    """

    def __init__(self, home: Path | None = None) -> None:
        home = home or own_home()
        self.count = 0
        self._redactor = Redactor()
        has_home = home is not None and home != home.parent
        self._home = (
            re.compile(rf"(?<!\w){re.escape(str(home))}(?![\w-]|\.\w)") if has_home else None
        )

    def text(self, text: str) -> str:
        """The text, masked."""
        masked = self._redactor.text(text)
        self.count += max(0, masked.count(MASK) - text.count(MASK))
        if self._home:
            masked, homes = self._home.subn(HOME, masked)
            self.count += homes
        return masked


def own_home() -> Path | None:
    """The user's home folder; None for a user without one."""
    try:
        return Path.home()
    except RuntimeError:
        return None
