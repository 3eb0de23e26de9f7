"""A cause: an observation that finished work is broken."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from unlatch.config.choices import Reaction
from unlatch.spi.text import one_line
from unlatch.values import dataclass
from unlatch.worklog.text.neutral import without_surrogates

if TYPE_CHECKING:
    from datetime import datetime

# Characters of evidence that are kept.
LONGEST = 200


@dataclass(frozen=True, slots=True)
class Cause:
    """An observation of what breaks finished work.

    Args:
        kind: "revert", "trailer", "test" or "alert"; it has a policy in `[regressions]`.
        key: the cause, as opposed to others of its kind: the same wherever and whenever it is read.
        seen_at: the time of what shows it, as of a commit.
        evidence: one line about it, a text from outside.
        place: where a person can look: a commit, an address, or a test in a file.
        work: the id of the increment that is broken; "" if the cause belongs to nothing known.
        commit: the commit that shows it, or that a report is about; "" if it is not known.
        is_gone: whether this observation shows the opposite: the revert was reverted, the test
            passed, the alert was closed.
        at_most: the strongest reaction to it. `ignore` lists it.
        why: why not a stronger one.
    """

    kind: str
    key: tuple[str, ...]
    seen_at: datetime
    evidence: str
    place: str
    work: str = ""
    commit: str = ""
    is_gone: bool = False
    at_most: Reaction = Reaction.REOPEN
    why: str = ""

    @property
    def line(self) -> str:
        """The evidence on one line of limited length, without control characters."""
        return short_line(self.evidence)

    @property
    def fingerprint(self) -> str:
        """The same for the same cause, wherever and whenever it is read."""
        return fingerprint_of(self.kind, *self.key)


def short_line(text: str) -> str:
    """A text from outside on one line of limited length, without control characters."""
    words = one_line(without_surrogates(text))
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"


def fingerprint_of(kind: str, *key: str) -> str:
    """The fingerprint of the cause with this kind and key: 32 hexadecimal digits."""
    text = "\0".join((kind, *key))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]
