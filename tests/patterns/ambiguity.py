"""Whether a text that does not match can take a time that grows with its square, or faster.

It can if a repeat, or two of them, can share one text in several ways before something that may
fail (Weber and Seidl, "On the degree of ambiguity of finite automata").
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from tests.patterns.automaton import Automaton, Characters, automata

Places = tuple[int, ...]
Place = TypeVar("Place", int, Places)


def slow_parts(regex: str | bytes, flags: int, method: str) -> list[str]:
    """What can take long: "nested" or "adjacent" repeats, each once."""
    kinds = []
    for automaton in automata(regex, flags, searches=method not in ("match", "fullmatch")):
        if method != "fullmatch":
            # Where a match can end, it has succeeded: trying again is short.
            automaton.follow = [_without(after, automaton.last) for after in automaton.follow]
        if _is_nested(automaton):
            kinds.append("nested")
        if _is_adjacent(automaton):
            kinds.append("adjacent")
    return list(dict.fromkeys(kinds))


def _without(after: dict[int, Characters], last: frozenset[int]) -> dict[int, Characters]:
    return {place: by for place, by in after.items() if place not in last}


def _is_nested(automaton: Automaton) -> bool:
    """Whether one position can come back to itself in two ways by the same text."""
    if automaton.is_doubled:
        return True
    # All positions of a ring are alike.
    for ring in set(_rings(automaton).values()):
        start = min(ring)
        steps = partial(_together, automaton, within=(ring, ring))
        ahead = _reachable([(start, start)], steps)
        pairs = _reachable([(start, start)], _backwards(ahead, steps).__getitem__)
        if any(first != second for first, second in pairs):
            return True
    return False


def _backwards(
    known: Iterable[Places], steps: Callable[[Places], Iterable[Places]]
) -> dict[Places, list[Places]]:
    before: dict[Places, list[Places]] = defaultdict(list)
    for places in known:
        for reached in steps(places):
            before[reached].append(places)
    return before


def _is_adjacent(automaton: Automaton) -> bool:
    """Whether a text can stay in one repeat, stay in a later one, or go from one to the other."""
    everywhere = frozenset(range(len(automaton.accepts)))
    behind, rings = _behind(automaton), _rings(automaton)
    for place, ring in rings.items():
        # Two ways within one ring are two ways around it.
        for later in behind[place] & rings.keys() - ring:
            steps = partial(_together, automaton, within=(ring, everywhere, rings[later]))
            if (place, later, later) in _reachable([(place, place, later)], steps):
                return True
    return False


def walks(
    automaton: Automaton, places: Places, within: tuple[frozenset[int], ...]
) -> list[tuple[Places, Characters]]:
    """The places that several walks reach by the same character, and those characters."""
    choices: list[tuple[Places, Characters]] = [((), -1)]
    for place, allowed in zip(places, within, strict=True):
        nexts = [(at, by) for at, by in automaton.follow[place].items() if at in allowed]
        choices = [((*so_far, at), by & c) for so_far, c in choices for at, by in nexts if by & c]
    return choices


def _together(
    automaton: Automaton, places: Places, within: tuple[frozenset[int], ...]
) -> set[Places]:
    return {reached for reached, _ in walks(automaton, places, within)}


def loops(automaton: Automaton) -> frozenset[int]:
    """The positions that can come again."""
    return frozenset(_rings(automaton))


def _rings(automaton: Automaton) -> dict[int, frozenset[int]]:
    """For each position that can come again, the positions between it and its next time."""
    behind = _behind(automaton)
    return {
        place: frozenset(at for at in after if place in behind[at])
        for place, after in behind.items()
        if place in after
    }


def _behind(automaton: Automaton) -> dict[int, set[int]]:
    """For each position, those that can come after it."""
    nexts = [[after for after, by in follow.items() if by] for follow in automaton.follow]
    return {place: _reachable(after, nexts.__getitem__) for place, after in enumerate(nexts)}


def _reachable(starts: Iterable[Place], steps: Callable[[Place], Iterable[Place]]) -> set[Place]:
    known = set(starts)
    left = deque(known)
    while left:
        for reached in steps(left.popleft()):
            if reached not in known:
                known.add(reached)
                left.append(reached)
    return known
