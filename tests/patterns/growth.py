"""Texts that are made to take an expression long, and how the time grows with their length."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tests.patterns.ambiguity import Places, loops, walks
from tests.patterns.automaton import Automaton, Characters, automata
from tests.patterns.usage import Use

# With the square of the length, four times the length takes sixteen times as long.
_TIMES, _REPEATS = 4, 5
MOST = 10.0
_FIRST, _LONGEST = 250, 16_000
# Seconds; a shorter time measures the clock, and a longer one is clear at once.
_MEASURABLE, _SLOW = 0.001, 0.5
_AFTER = ("", "\0", "\n", " ", "!")


class Attack(NamedTuple):
    """A text in which one part is repeated."""

    before: str
    pump: str
    after: str

    def text(self, size: int) -> str:
        """The text with so many characters in the repeated part."""
        return self.before + self.pump * (size // len(self.pump) + 1) + self.after


def attacks(use: Use) -> Iterator[Attack]:
    """For each repeat, texts that stay in it, or in it and a later one, and then do not match."""
    searches = use.method not in ("match", "fullmatch")
    for automaton in automata(use.regex, use.flags, searches=searches):
        # The first characters are spaces and signs, the last ones letters.
        for choose in (min, max):
            yield from _attacks(_Words(automaton, choose))


def _attacks(words: _Words) -> Iterator[Attack]:
    automaton = words.automaton
    firsts: dict[Places, str] = {
        (first,): words.character(automaton.accepts[first]) for first in automaton.first
    }
    places = sorted(loops(automaton))
    for place in places:
        before = words.word(firsts, (place,)) or ""
        # From a place to itself, and of it and a later one together.
        pumps = {words.word({(place,): ""}, (place,))}
        for later in places:
            if later != place:
                pumps.add(words.word({(place, place, later): ""}, (place, later, later)))
        for pump in filter(None, pumps):
            yield from (Attack(before, pump, after) for after in _AFTER)


@dataclass(frozen=True)
class _Words:
    """The shortest texts by which an automaton gets from one place to another.

    Args:
        choose: one of several characters.
    """

    automaton: Automaton
    choose: Callable[[Iterable[str]], str]

    def word(self, starts: Mapping[Places, str], end: Places) -> str | None:
        """The text by which several walks get from a start to an end; None without one."""
        everywhere = frozenset(range(len(self.automaton.accepts)))
        known: set[Places] = set()
        left = deque(starts.items())
        while left:
            places, word = left.popleft()
            if places == end and word:
                return word
            for reached, shared in walks(self.automaton, places, (everywhere,) * len(places)):
                if reached not in known:
                    known.add(reached)
                    left.append((reached, word + self.character(shared)))
        return None

    def character(self, accepted: Characters) -> str:
        """A character of a set: one that people see, if there is one."""
        known = [one for bit, one in enumerate(self.automaton.alphabet) if accepted >> bit & 1]
        seen = [one for one in known if one.isprintable()]
        return self.choose(seen or known) if known else ""


def growth(use: Use, attack: Attack) -> float:
    """How many times as long four times the length takes; 1 where it takes no time."""
    run = _runner(use)
    size = _FIRST
    while (short := _seconds(run, attack, size)) < _MEASURABLE:
        size *= 2
        if size > _LONGEST:
            return 1.0
    return _seconds(run, attack, size * _TIMES) / short


def _seconds(run: Callable[[str], object], attack: Attack, size: int) -> float:
    """Seconds of this process's own work: the least of several."""
    text = attack.text(size)
    least = float("inf")
    for _ in range(_REPEATS):
        started = time.process_time()
        run(text)
        least = min(least, time.process_time() - started)
        if least > _SLOW:
            break
    return least


def _runner(use: Use) -> Callable[[str], object]:
    compiled = re.compile(use.regex, use.flags)
    method = "finditer" if use.method == "findall" else use.method
    act = getattr(compiled, method)

    def run(text: str) -> object:
        given = text.encode("latin-1", "replace") if isinstance(use.regex, bytes) else text
        if method in ("sub", "subn"):
            return act(given[:0], given)
        return deque(act(given), 0) if method == "finditer" else act(given)

    return run
