"""The check boxes of an item's body, by keys with which both sides are compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.increments.model.link import Boxes
from unlatch.patterns import pattern
from unlatch.spi.text import Check, Checks, Text
from unlatch.worklog.digests import sha256

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


# An id at the beginning of a line, as T-001:, AC-US1-01:, T001, FR-001, 1.2 and 3. have it.
_ID = pattern(
    r"(?P<id>(?=[^\s:]*\d)[^\W_]+(?:[-._][^\W_]+)*(?=:(?:\s|\Z))"
    r"|[A-Z]{1,9}(?:-?[A-Z0-9]{1,9}){0,4}-?[0-9]{1,9}(?=\s|\Z)"
    r"|[0-9]{1,9}(?:\.[0-9]{1,9})+(?=\.?(?:\s|\Z))"
    r"|[0-9]{1,9}(?=[.)](?:\s|\Z)))"
)
# In place of an id: the place of a task without one, which changes with the tasks above it.
_PLACE = pattern(r"#[0-9]{1,9}: ")
# The length of a key that is a line's words.
_WORDS = 80


def make_boxes(
    states: Mapping[str, bool], lines: str, marks: Mapping[str, str] | None = None
) -> Boxes:
    """The boxes with these states; of `marks`, those of other keys are left out."""
    ticked = tuple(key for key, done in states.items() if done)
    kept = {key: mark for key, mark in (marks or {}).items() if key in states}
    return Boxes(ticked, tuple(key for key, done in states.items() if not done), lines, kept)


def boxes_of(checks: Iterable[Check], before: Boxes | None = None) -> Boxes:
    """The check boxes among the lines of a list, as an increment lists them.

    Args:
        before: the former base, whose marks are kept for boxes that are ticked now.
    """
    lines = tuple(checks)
    listed = "\n".join(f"{check.depth} {check.done is None} {check.text}" for check in lines)
    states = states_of(lines)
    marks = {key: check.mark for key, check in _keyed(lines) if key and check.mark}
    marks |= kept_marks(states, before)
    return make_boxes(states, sha256(listed.encode())[:12], marks)


def kept_marks(states: Mapping[str, bool], before: Boxes | None) -> dict[str, str]:
    """The marks that boxes had before they were ticked."""
    marks = before.marks if before else {}
    return {key: mark for key, mark in marks.items() if states.get(key)}


def states_of(checks: Iterable[Check]) -> dict[str, bool]:
    """Whether each check box is ticked, by its key."""
    return {key: check.done is True for key, check in _keyed(checks) if key}


def ids_of(checks: Iterable[Check]) -> dict[str, str]:
    """The id of the task or criterion behind each key, for the lines of an increment."""
    return {key: check.id for key, check in _keyed(checks) if key}


def checks_in(text: Text) -> tuple[Check, ...]:
    """The lines of all lists of a text."""
    return tuple(check for block in text if isinstance(block, Checks) for check in block.items)


def with_states(text: Text, states: Mapping[str, bool]) -> Text:
    """A text with check boxes in these states; boxes with other keys stay."""
    marked = iter(
        [replace(c, done=states[k]) if k in states else c for k, c in _keyed(checks_in(text))]
    )
    return tuple(
        Checks(tuple(next(marked) for _ in block.items)) if isinstance(block, Checks) else block
        for block in text
    )


def ticked_by_people(
    here: Mapping[str, bool], base: Boxes, there: Mapping[str, bool]
) -> dict[str, bool]:
    """The check boxes that changed on the item alone, with their states there."""
    return {
        key: there[key]
        for key, was in base.states.items()
        if key in there and here.get(key) is was and there[key] is not was
    }


def _keyed(checks: Iterable[Check]) -> list[tuple[str, Check]]:
    """The lines with their keys, which are empty without a check box."""
    seen: Counter[str] = Counter()
    keyed = []
    for check in checks:
        key = "" if check.done is None else key_of(check.text)
        seen[key] += 1
        keyed.append((f"{key}#{seen[key]}" if key and seen[key] > 1 else key, check))
    return keyed


def key_of(text: str) -> str:
    """The id at the beginning of a line, else its words."""
    words = " ".join(text.replace("\u200b", "").split())
    if place := _PLACE.match(words):
        words = words[place.end() :]
    match = _ID.match(words)
    return match["id"].upper() if match else words.casefold()[:_WORDS]
