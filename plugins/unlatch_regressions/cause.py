"""A cause: an observation that finished work is broken."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from unlatch.values import dataclass

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause.

    Args:
        kind: "revert" or "trailer".
        about: what is broken: ids of commits, or what a trailer names.
        place: the commit that shows it.
        seen_at: when that commit was made.
        evidence: the subject of its message, a text from outside.
    """

    kind: str
    about: tuple[str, ...]
    place: str
    seen_at: datetime
    evidence: str

    @property
    def fingerprint(self) -> str:
        """The same for the same cause, wherever and whenever it is read."""
        text = "\0".join((self.kind, self.place, *self.about))
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]
