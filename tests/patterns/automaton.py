"""A regular expression as an automaton: which of its characters follow which.

Each position is one character of the expression (Glushkov). A repeat of at most a thousand times
counts as one or none, since it costs a constant factor. A condition at the end (`$`, a lookahead)
can fail, so it counts as a character that never comes; elsewhere a condition counts as nothing,
and what it looks for is an expression of its own.
"""

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from re import _constants as code  # type: ignore[attr-defined]  # re's parser has no types
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_MANY = 1000
_SAMPLES = "aZ0_ \t\n\r\x00-./\\'\"é٣\u2028§"
REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)
_CATEGORIES = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
# A set of characters, as bits by their numbers in the alphabet of an expression.
Characters = int


@dataclass
class Automaton:
    """The positions of an expression, by number.

    Args:
        accepts: the characters that each position takes.
        follow: the positions that can come next, with the characters by which they are reached.
        first: the positions at which a match can begin.
        last: those at which it can end.
        is_doubled: whether one position follows another in two ways, as in `(a*)*`.
        alphabet: a character for each bit of a set.
    """

    alphabet: tuple[str, ...]
    accepts: list[Characters] = field(default_factory=list)
    follow: list[dict[int, Characters]] = field(default_factory=list)
    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()
    is_doubled: bool = False

    def add(self, accepts: Characters) -> int:
        self.accepts.append(accepts)
        self.follow.append({})
        return len(self.accepts) - 1

    def join(self, last: Mapping[int, Characters], first: Iterable[int]) -> None:
        """Let positions follow others, but by no character that those never leave to them."""
        for end, kept in last.items():
            for start in first:
                reached, known = self.accepts[start] & ~kept, self.follow[end].get(start, 0)
                self.is_doubled |= bool(known & reached)
                self.follow[end][start] = reached | known


@dataclass(frozen=True)
class _Part:
    """A part of an expression.

    Args:
        first: the positions at which it can begin, and the characters that may be before each.
        last: the positions at which it can end, and the characters that cannot come then, since a
            possessive repeat would have taken them.
        before: the characters that may be before what follows, if the part is empty.
        kept: the same as of `last`, if the part is empty.
    """

    empty: bool
    first: dict[int, Characters] = field(default_factory=dict)
    last: dict[int, Characters] = field(default_factory=dict)
    before: Characters = -1
    is_boundary: bool = False
    kept: Characters = 0


def automata(regex: str | bytes, flags: int, *, searches: bool) -> list[Automaton]:
    """The automaton of an expression, and those of the conditions in it.

    Args:
        searches: whether a match may begin anywhere.
    """
    tree = parser.parse(regex, flags)
    builder = _Builder(tree, tree.state.flags, is_bytes=isinstance(regex, bytes))
    found = [builder.whole(list(tree), searches=searches)]
    while builder.conditions:
        found.append(builder.whole(builder.conditions.pop(), searches=False))
    return found


class _Builder:
    def __init__(self, tree: Any, flags: int, *, is_bytes: bool) -> None:
        self._flags = flags & (re.IGNORECASE | re.ASCII | re.DOTALL)
        self._is_multiline = bool(flags & re.MULTILINE)
        texts = {*_SAMPLES, *_literals(tree)}
        numbers = {ord(one) + step for one in texts for step in (-1, 1)}
        near = {chr(number) for number in numbers if 0 <= number <= sys.maxunicode}
        self._alphabet = sorted(one for one in texts | near if not is_bytes or one < "\u0100")
        self._all = (1 << len(self._alphabet)) - 1
        self._word = self._set(code.IN, [(code.CATEGORY, code.CATEGORY_WORD)]) or 0
        self.conditions: list[list[Any]] = []

    def whole(self, tree: list[Any], *, searches: bool) -> Automaton:
        made = Automaton(tuple(self._alphabet))
        part = self._sequence(made, tree, is_end=True)
        made.first, made.last = frozenset(part.first), frozenset(part.last)
        # What is skipped before a match, for the beginnings that allow it.
        skipped = part.first.items() if searches else ()
        for before in {mask & self._all for _, mask in skipped} - {0}:
            at = made.add(before)
            begun = {start for start, mask in skipped if mask & self._all == before}
            made.join({at: 0}, {at} | begun)
            made.first |= {at}
        return made

    def _sequence(self, made: Automaton, items: list[Any], *, is_end: bool) -> _Part:
        whole = _Part(empty=True)
        for number, (op, value) in enumerate(items):
            part = self._item(made, op, value, is_end=is_end and number == len(items) - 1)
            made.join(whole.last, part.first)
            first = dict(whole.first)
            for at, mask in part.first.items() if whole.empty else ():
                before = self._before(whole, made.accepts[at])
                first[at] = first.get(at, 0) | (mask & before)
            whole = _Part(
                whole.empty and part.empty,
                first,
                ({end: kept | part.kept for end, kept in whole.last.items()} if part.empty else {})
                | part.last,
                whole.before & part.before,
                whole.is_boundary or part.is_boundary,
                whole.kept | part.kept,
            )
        return whole

    def _before(self, empty: _Part, accepts: Characters) -> Characters:
        """The characters that conditions allow before one of these."""
        if not empty.is_boundary or (accepts & self._word and accepts & ~self._word):
            return empty.before
        return empty.before & (~self._word if accepts & self._word else self._word)

    def _item(self, made: Automaton, op: Any, value: Any, *, is_end: bool) -> _Part:
        if op in REPEATS:
            return self._repeat(made, op, value, is_end=is_end)
        if op in (code.SUBPATTERN, code.ATOMIC_GROUP):
            inner = value[3] if op is code.SUBPATTERN else value
            return self._sequence(made, list(inner), is_end=is_end)
        if op is code.BRANCH:
            return self._branch(made, value[1], is_end=is_end)
        accepts = self._set(op, value)
        if accepts is None and not is_end:
            return self._condition(op, value)
        if op in (code.ASSERT, code.ASSERT_NOT):
            self.conditions.append(list(value[1]))
        at = made.add(accepts or 0)
        return _Part(empty=False, first={at: -1}, last={at: 0})

    def _branch(self, made: Automaton, choices: list[Any], *, is_end: bool) -> _Part:
        parts = [self._sequence(made, list(one), is_end=is_end) for one in choices]
        before = 0
        for one in parts:
            before |= one.before if one.empty else 0
        return _Part(
            any(one.empty for one in parts),
            {at: mask for one in parts for at, mask in one.first.items()},
            {end: kept for one in parts for end, kept in one.last.items()},
            before if any(one.empty for one in parts) else -1,
        )

    def _condition(self, op: Any, value: Any) -> _Part:
        """A condition between characters: what it says about the one before counts."""
        before = -1
        if op in (code.ASSERT, code.ASSERT_NOT):
            self.conditions.append(list(value[1]))
            inner = self._set(*value[1][0]) if value[0] < 0 and len(value[1]) == 1 else None
            if inner is not None:
                before = inner if op is code.ASSERT else ~inner
        elif op is code.AT and value is code.AT_BEGINNING_STRING:
            before = 0
        elif op is code.AT and value is code.AT_BEGINNING:
            before = 1 << self._alphabet.index("\n") if self._is_multiline else 0
        is_boundary = op is code.AT and value is code.AT_BOUNDARY
        return _Part(empty=True, before=before, is_boundary=is_boundary)

    def _repeat(self, made: Automaton, op: Any, value: Any, *, is_end: bool) -> _Part:
        least, most, body = value
        is_loop = most is code.MAXREPEAT or most > _MANY
        part = self._sequence(made, list(body), is_end=is_end and not is_loop)
        if is_loop:
            made.join(part.last, part.first)
        # Of a longer body, the next part may begin as it does.
        is_kept = op is code.POSSESSIVE_REPEAT and len(body) == 1
        taken = (self._set(*body[0]) or 0) if is_kept else 0
        last = {end: kept | taken if is_loop else kept for end, kept in part.last.items()}
        return _Part(part.empty or least == 0, part.first, last, kept=taken)

    def _set(self, op: Any, value: Any) -> Characters | None:
        """The characters that one item takes; None if it is no character."""
        if op in (code.LITERAL, code.NOT_LITERAL):
            shape = f"{'^' if op is code.NOT_LITERAL else ''}{_escape(value)}"
        elif op is code.ANY:
            shape = "^" if self._flags & re.DOTALL else "^\n"
        elif op is code.IN:
            shape = "".join(map(_shape, value))
        else:
            return None
        known = re.compile(f"[{shape}]" if shape != "^" else r"[\s\S]", self._flags)
        return sum(1 << at for at, one in enumerate(self._alphabet) if known.match(one))


def _shape(item: Any) -> str:
    """A part of a class of characters, as it is written."""
    op, value = item
    if op is code.NEGATE:
        return "^"
    if op is code.RANGE:
        return f"{_escape(value[0])}-{_escape(value[1])}"
    if op is code.CATEGORY:
        *_, name = str(value).split("_")
        return _CATEGORIES[name].upper() if "NOT" in str(value) else _CATEGORIES[name]
    return _escape(value)


def _escape(number: int) -> str:
    return f"\\U{number:08x}"


def _literals(tree: Any) -> set[str]:
    """The characters that an expression names."""
    found = set()
    for op, value in tree:
        if op in (code.LITERAL, code.NOT_LITERAL):
            found.add(chr(value))
        elif op is code.RANGE:
            found |= {chr(value[0]), chr(value[1])}
        elif op is code.IN:
            found |= _literals(value)
        else:
            for inner in _inner(op, value):
                found |= _literals(inner)
    return found


def _inner(op: Any, value: Any) -> list[Any]:
    if op in REPEATS:
        return [value[2]]
    if op is code.SUBPATTERN:
        return [value[3]]
    if op is code.BRANCH:
        return list(value[1])
    if op in (code.ASSERT, code.ASSERT_NOT):
        return [value[1]]
    return [value] if op is code.ATOMIC_GROUP else []
