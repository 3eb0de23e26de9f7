"""The marks of a task: its Status line, and the marks in its heading."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from unlatch.increments.documents.fields import fields
from unlatch.increments.documents.line_ending import line_ending
from unlatch.increments.documents.state_words import State, opposite, read_status
from unlatch.increments.documents.style import box_mark, decoration, is_bare, spelling, status_label
from unlatch.increments.documents.tasks import discarded_by_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.increments.documents.state_words import Status
    from unlatch.increments.documents.tasks import Place


class Edit(NamedTuple):
    """What stands from `start` to `end` becomes `new`."""

    start: int
    end: int
    new: str


def task_edits(
    text: str, tasks: Sequence[Place], chosen: Sequence[Place], *, done: bool
) -> Iterator[Edit]:
    """What to change so that the chosen tasks are done, or open, as the others spell it."""
    # The chosen ones are no example to themselves: so the way back leads to where it began.
    numbers = {place.line.number for place in chosen}
    others = [place for place in tasks if place.line.number not in numbers]
    marker = _Marker(text, others, done=done)
    for place in chosen:
        yield from marker.edits(place)


class _Marker:
    def __init__(self, text: str, others: Sequence[Place], *, done: bool) -> None:
        self._text = text
        self._done = done
        self._spelling = spelling(others, done=done)
        contrary = spelling(others, done=not done)
        self._example = read_status(contrary) if contrary else None
        self._label = status_label(others, self._words(None))
        marks = decoration(others)
        self._headings_tell = any(marks)
        self._decoration = marks if done else ("", "")

    def edits(self, place: Place) -> Iterator[Edit]:
        yield from self._status_edits(place)
        yield from self._heading_edits(place)

    def _status_edits(self, place: Place) -> Iterator[Edit]:
        status = place.status
        if status is None:
            if self._needs_line(place):
                yield self._new_line(place)
        elif self._is_wanted(place.status_state):
            return
        elif place.boxes and not status.value:
            mark = "[x]" if self._done else "[ ]"
            yield from (Edit(box.start, box.start + len(box.text), mark) for box in place.boxes)
        else:
            gap = "" if status.label.endswith((" ", "\t")) else " "
            words = self._changed(status.value, bare=is_bare(status.label))
            yield Edit(status.start, status.end, gap + words)

    def _is_wanted(self, state: State | None) -> bool:
        return state is State.DONE if self._done else state in (State.OPEN, State.STARTED)

    def _changed(self, raw: str, *, bare: bool) -> str:
        status = read_status(raw)
        if bare:  # it has to stay what it is: a check box with a word behind it
            return opposite(status, done=self._done)
        own = None if status.state in (State.DISCARDED, None) else status
        return self._words(own) + status.lasting_note

    def _words(self, own: Status | None) -> str:
        return self._spelling or opposite(self._example or own, done=self._done)

    def _needs_line(self, place: Place) -> bool:
        heading = place.heading
        if discarded_by_id(heading.id):
            return True
        if heading.mark.startswith("[") or self._is_wanted(place.state):
            return False
        return not self._headings_tell

    def _new_line(self, place: Place) -> Edit:
        words = self._label + self._words(None)
        end = line_ending(self._text)
        if place.first and any(fields(place.first)):
            return Edit(place.first.start, place.first.start, words + end)
        at = place.line.start + len(place.line.text)
        behind = self._text[at : at + 4].replace("\r\n", "\n").replace("\r", "\n")
        # What follows without an empty line between would be read as one paragraph with it.
        is_free = behind in ("", "\n") or behind.startswith("\n\n")
        return Edit(at, at, end + words + ("" if is_free else end))

    def _heading_edits(self, place: Place) -> Iterator[Edit]:
        heading = place.heading
        if self._done and place.state is State.DONE:
            return
        start = place.line.start + place.line.body
        end = start + len(place.line.words)
        boxed = box_mark(heading.mark, done=self._done)
        mark, suffix = self._decoration
        if boxed is not None:
            yield from _changes(start, heading.mark, boxed)
        elif self._is_replaced(heading.mark_state):
            yield from _changes(start, heading.mark, mark)
        elif mark:
            yield Edit(start, start, mark)
        if self._is_replaced(heading.suffix_state):
            yield from _changes(end - len(heading.suffix), heading.suffix, suffix)
        elif suffix:
            yield Edit(end, end, suffix)

    def _is_replaced(self, state: State | None) -> bool:
        return state is not None and not self._is_wanted(state)


def _changes(start: int, old: str, new: str) -> Iterator[Edit]:
    if old != new:
        yield Edit(start, start + len(old), new)
