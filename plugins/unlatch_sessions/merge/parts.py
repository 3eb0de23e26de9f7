"""A session's text in parts: front matter, text before the phases, phases, summary.

The parts in their order are the whole text, byte for byte.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from unlatch.errors import StoreError
from unlatch.values import dataclass
from unlatch.worklog.text.markdown_lines import scan
from unlatch.worklog.text.merge import UnmergeableError
from unlatch.worklog.times import stamp
from unlatch_sessions.document import read_document
from unlatch_sessions.front_matter import body_offset, read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch_sessions.model import Session

_LEVEL = 2


class Key(NamedTuple):
    """The identity of a phase; its id is only its place in one version."""

    time: str  # empty without one
    heading: str
    occurrence: int


@dataclass(frozen=True, slots=True)
class Parts:
    """One version of a session.

    Args:
        values: the front matter as texts.
        phases: the text of each, from its heading.
    """

    session: Session
    values: Mapping[str, object]
    head: str
    intro: str
    phases: Mapping[Key, str]
    summary: str

    @property
    def point(self) -> Key | None:
        """The phase at which the session was paused."""
        found = self.session.phase(self.session.meta.resume_point)
        return [*self.phases][found.number - 1] if found else None

    @property
    def moment(self) -> str:
        """The time of the last thing that is known to have happened."""
        meta = self.session.meta
        times = (meta.started, meta.ended, *(one.at for one in self.session.phases))
        return max((stamp(one) for one in times if one), default="")


def with_keys_of(base: Parts, side: Parts) -> Parts:
    """The same version; a phase whose heading or time a person changed has its earlier key."""
    names = {
        new: old
        for old, new in zip(base.phases, side.phases, strict=False)
        if old not in side.phases and new not in base.phases
    }
    return replace(side, phases={names.get(key, key): one for key, one in side.phases.items()})


def read_parts(text: str, whose: str) -> Parts:
    """Take a version apart; UnmergeableError if it is no session."""
    try:
        document = read_document(text)
        values = read(text)
    except StoreError as error:
        raise UnmergeableError(f"{whose}: {error.message}") from error
    starts = [
        line.start
        for line in scan(text).lines
        if line.level == _LEVEL and line.start < document.end
    ]
    at = body_offset(text)
    pieces = [text[a:b] for a, b in pairwise([at, *starts, document.end])]
    keys: list[Key] = []
    seen: Counter[tuple[str, str]] = Counter()
    for phase, piece in zip(document.session.phases, pieces[1:], strict=True):
        name = (stamp(phase.at) if phase.at else "", piece.splitlines()[0].rstrip())
        keys.append(Key(*name, seen[name]))
        seen[name] += 1
    phases = dict(zip(keys, pieces[1:], strict=True))
    return Parts(document.session, values, text[:at], pieces[0], phases, text[document.end :])
