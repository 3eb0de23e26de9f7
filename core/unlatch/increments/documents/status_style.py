"""The style in which most tasks of a file write their status.

A status that would lose words keeps them in a note: "[ ] pending (was: completed (skipped))".
Marking it again restores it to the letter.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from unlatch.increments.documents.marks import State, state_of_box
from unlatch.increments.documents.state_words import (
    Status,
    noted,
    opposite,
    read_status,
    split_note,
    with_note,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch.increments.documents.tasks import Field, TaskBlock

_STATUS_LABEL = "**Status**: "
_T = TypeVar("_T")


class StatusStyle:
    """How a file writes the status of its tasks."""

    def __init__(self, blocks: Sequence[TaskBlock]) -> None:
        self.blocks = blocks
        statuses = [read_status(block.status.value) for block in blocks if block.status]
        self._spellings = {
            state: most_common(status.spelling for status in statuses if status.state is state)
            for state in (State.DONE, State.OPEN)
        }

    def spelling(self, *, done: bool) -> str | None:
        """The most frequent spelling of done, or open, tasks; None if there is none."""
        return self._spellings[State.DONE if done else State.OPEN] or None

    def words(self, own: Status | None = None, *, done: bool) -> str:
        """The status of a task; `own` is its present one, the model in a file without others."""
        contrary = self.spelling(done=not done)
        example = read_status(contrary) if contrary else own
        return self.spelling(done=done) or opposite(example, done=done)

    def changed(self, raw: str, *, done: bool, is_bare: bool = False) -> str:
        """A status in the other state; a note keeps words that unticking could not restore."""
        rest, note = split_note(raw)
        if before := noted(raw, done=done):
            return before + split_note(rest)[1]
        if note:  # it stays, before a new one
            changed, new_note = split_note(self.changed(rest, done=done, is_bare=is_bare))
            return changed + note + new_note
        new = self._spelled(raw, done=done, is_bare=is_bare)
        back = noted(new, done=not done) or self._spelled(new, done=not done, is_bare=is_bare)
        if not raw or back == raw:
            return new
        own = read_status(raw)
        words = self._words(own, done=done, is_bare=is_bare)
        if bool(own.box) is not bool(read_status(words).box) and not own.is_given_up:
            words = opposite(own, done=done)
        return with_note(words, raw, done=done)

    def _spelled(self, raw: str, *, done: bool, is_bare: bool) -> str:
        own = read_status(raw)
        return self._words(own, done=done, is_bare=is_bare) + ("" if is_bare else own.lasting_note)

    def _words(self, own: Status, *, done: bool, is_bare: bool) -> str:
        if is_bare:  # it must stay a check box with a word behind it
            return opposite(own, done=done)
        return self.words(None if own.is_given_up else own, done=done)

    @property
    def ticked(self) -> str:
        """The most frequent check box in headings of done tasks."""
        marks = (block.heading.mark.rstrip() for block in self.blocks if block.heading.has_box)
        return most_common(mark for mark in marks if state_of_box(mark) is State.DONE) or "[x]"

    def label(self, words: str | None) -> str:
        """The most frequent label of a status, if `words` can follow it."""
        own_label = label((block.status for block in self.blocks), _STATUS_LABEL)
        status = read_status(words or "")
        return (
            _STATUS_LABEL if is_bare(own_label) and not (status.box and status.word) else own_label
        )

    def decoration(self) -> tuple[str, str]:
        """The marks before the id and after the title that the headings of done tasks have."""
        shapes = (
            (
                heading.mark if heading.mark_state is State.DONE else "",
                heading.suffix if heading.suffix_state is State.DONE else "",
            )
            for block in self.blocks
            if block.state is State.DONE and not (heading := block.heading).has_box
        )
        return most_common(shapes) or ("", "")


def most_common(values: Iterable[_T]) -> _T | None:
    """The most frequent value (the first of several); None if there is none."""
    ranked = Counter(values).most_common(1)
    return ranked[0][0] if ranked else None


def label(fields: Iterable[Field | None], default: str) -> str:
    """The most frequent label, with a space at its end."""
    frequent = most_common(field.label for field in fields if field) or default
    return frequent if frequent.endswith((" ", "\t")) else frequent + " "


def is_bare(status_label: str) -> bool:
    """Whether a check box without a label stands for the status: "- [x] Completed"."""
    return "status" not in status_label.lower()
