"""Merging two versions of a session with their common ancestor.

Phases that each side added are kept in the order of their times. Nothing of either side is lost:
a text that would hide a part of it is left to git's own merge.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from dataclasses import astuple
from typing import TYPE_CHECKING, NamedTuple

from unlatch.errors import StoreError
from unlatch.worklog.text.markdown_lines import line_ending
from unlatch.worklog.text.merge import ABSENT, Clash, MergedText, UnmergeableError
from unlatch_sessions.document import read_document
from unlatch_sessions.front_matter import with_values
from unlatch_sessions.merge.beginning import with_beginning
from unlatch_sessions.merge.blocks import lines, merge_blocks
from unlatch_sessions.merge.heads import later, merge_heads
from unlatch_sessions.merge.parts import Key, Parts, read_parts, with_keys_of
from unlatch_sessions.merge.regions import marked

if TYPE_CHECKING:
    from unlatch_sessions.model import Session

_BREAK = re.compile(r"\r\n|\r|\n")


def merge_sessions(base: bytes, ours: bytes, theirs: bytes) -> MergedText:
    """Merge two versions of a session.

    An empty `base` means that both sides added the file.

    Raises:
        UnmergeableError: a version is no session, or a part of it would be hidden in the result.
    """
    texts = [_decoded(one) for one in (base, ours, theirs)]
    if not base:
        texts = [*with_beginning(*texts[1:])]
    end = _ending(*map(line_ending, texts))
    texts = [text if line_ending(text) == end else _BREAK.sub(end, text) for text in texts]
    names = ("the common version", "our side", "their side")
    base_parts, *sides = (read_parts(*one) for one in zip(texts, names, strict=True))
    sides = [with_keys_of(base_parts, one) for one in sides]
    way = _Way(base_parts, sides[0], sides[1], end)
    text = way.text()
    if not way.clashes:
        _check(text, base_parts, *sides)
    return MergedText(text.encode(), tuple(way.clashes))


class _Piece(NamedTuple):
    """A part of a text, and the empty lines behind it."""

    core: str
    gap: str


class _Way:
    """One merge, and its clashes."""

    def __init__(self, base: Parts, ours: Parts, theirs: Parts, end: str) -> None:
        self.base, self.ours, self.theirs, self.end = base, ours, theirs, end
        self.clashes: list[Clash] = []

    def text(self) -> str:
        versions = (self.base, self.ours, self.theirs)
        head, self.clashes = merge_heads(*versions)
        intro = self._merged("title", *(one.intro for one in versions))
        order = phase_order(self.ours, self.theirs)
        phases = {key: found for key in order if (found := self._phase(key)).core}
        summary = self._merged("summary", *(one.summary for one in versions))
        pieces = [one for one in (intro, *phases.values(), summary) if one.core]
        body = "".join(one.core + (one.gap or self.end) for one in pieces[:-1])
        last = pieces[-1].core if pieces else ""
        start = "" if intro.core or not pieces else intro.gap
        return self._with_point(head, [*phases]) + start + body + last

    def _phase(self, key: Key) -> _Piece:
        """The merged phase; empty if one side removed it."""
        base, ours, theirs = (one.phases.get(key) for one in (self.base, self.ours, self.theirs))
        if base is None or (ours is not None and theirs is not None):
            return self._merged(key.heading, base, ours or theirs or "", theirs or ours or "")
        left = ours or theirs or ""
        if self._piece(left).core == self._piece(base).core:
            return _Piece("", "")
        self.clashes.append(Clash((key.heading,), ours or ABSENT, theirs or ABSENT))
        return _Piece("".join(marked(lines(ours or ""), lines(theirs or ""))), "")

    def _merged(self, name: str, base: str | None, ours: str, theirs: str) -> _Piece:
        sides = self._piece(ours), self._piece(theirs)
        known = None if base is None else self._piece(base).core
        core, is_clean = merge_blocks(known, *(one.core for one in sides))
        if not is_clean:
            self.clashes.append(Clash((name,), *(one.core for one in sides)))
        return _Piece(core, max(one.gap for one in sides))

    def _piece(self, text: str) -> _Piece:
        core = text.rstrip()
        if not core:
            return _Piece("", text)
        at = len(core) + len(lines(text[len(core) :])[0]) if len(text) > len(core) else len(core)
        ended = text[:at] if text[:at].endswith(("\n", "\r")) else text[:at] + self.end
        return _Piece(ended, text[at:])

    def _with_point(self, head: str, phases: list[Key]) -> str:
        """The front matter with the id that the phase to continue at has now."""
        latest = later(self.base, self.ours, self.theirs)
        if latest.point not in phases:
            return head
        point = f"phase-{phases.index(latest.point) + 1}"
        if point == latest.session.meta.resume_point:
            return head
        return with_values(head, {"resume_point": point})


def phase_order(ours: Parts, theirs: Parts) -> list[Key]:
    """The phases of both sides; between two that both have, in the order of their times."""
    shared = [key for key in ours.phases if key in theirs.phases]
    if shared != [key for key in theirs.phases if key in ours.phases]:
        raise UnmergeableError("the sides have the phases in different orders")
    gaps = [_gaps(one, frozenset(shared)) for one in (ours, theirs)]
    merged: list[Key] = []
    for here, there, after in zip(*gaps, [*shared, None], strict=True):
        merged += (key for _, key in heapq.merge(here, there))
        merged += [after] if after else []
    return merged


def _gaps(one: Parts, shared: frozenset[Key]) -> list[list[tuple[str, Key]]]:
    """The phases before, between and after the shared ones; one without a time keeps its place."""
    found: list[list[tuple[str, Key]]] = [[]]
    last = ""
    for key in one.phases:
        last = max(last, key.time)
        if key in shared:
            found.append([])
        else:
            found[-1].append((last, key))
    return found


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnmergeableError("it is not UTF-8") from error


def _ending(base: str, ours: str, theirs: str) -> str:
    """The line ending that a side changed to."""
    return theirs if ours == base else ours


def _check(text: str, base: Parts, ours: Parts, theirs: Parts) -> None:
    """Check that the merged text is read as its parts are; UnmergeableError if not."""
    try:
        found = _entries(read_document(text).session)
    except StoreError as error:
        raise UnmergeableError(error.message) from error
    before, here, there = (_entries(one.session) for one in (base, ours, theirs))
    # What one side removed may be gone; all else of a side is there.
    kept = (here - (before - there)) | (there - (before - here))
    if kept - found:
        raise UnmergeableError("a part of it would be hidden in the merged text")


def _entries(session: Session) -> Counter[tuple[object, ...]]:
    """The headings of all phases, and their entries, without their lines."""
    found: Counter[tuple[object, ...]] = Counter()
    for phase in session.phases:
        found[phase.title, str(phase.agent), phase.channel, phase.at] += 1
        found.update(astuple(one)[:-1] for one in phase.entries)
    return found
