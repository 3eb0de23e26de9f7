"""Ticking and unticking tasks and criteria by their ids; all other characters stay.

A file's style is the one in which most of its tasks write their status.
"""

from __future__ import annotations

import difflib
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, TypeVar

from unlatch.errors import UsageError
from unlatch.increments.documents.lines import line_ending, scan
from unlatch.increments.documents.model import Criterion, Story
from unlatch.increments.documents.quoting import shown
from unlatch.increments.documents.spec import read_stories
from unlatch.increments.documents.state_words import State, box, opposite, read_status, with_box
from unlatch.increments.documents.tasks import TaskBlock, discarded_by_id, fields, task_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from unlatch.increments.documents.state_words import Status
    from unlatch.increments.documents.tasks import Field

_STATUS_LABEL = "**Status**: "
_T = TypeVar("_T")
_Item = TaskBlock | Criterion | Story
# Comparing takes time, and a hint need not know every id of a huge file.
_COMPARED = 1000
_SHOWN_LINES = 10
_Edit = tuple[int, int, str]  # the offsets of the old text, and the new one


def with_marked(text: str, ids: Iterable[str], *, done: bool) -> str:
    """Tick or untick tasks, criteria, and all criteria of stories; marks that fit already stay.

    Raises:
        UsageError: `item-unknown`, an id is not there; `item-ambiguous`, it occurs more than once.
    """
    lines = scan(text).lines
    tasks = task_blocks(lines)
    stories, criteria = read_stories(lines)
    known: dict[str, list[_Item]] = defaultdict(list)
    items: tuple[_Item, ...] = (*tasks, *stories, *criteria)
    for item in items:
        known[item.id.upper()].append(item)
    # Two ids may mean one item: that of a story, and that of its criterion.
    chosen = {id(item): item for wanted in ids for item in _items(known, wanted.strip())}
    # The chosen tasks are no example to themselves, so unticking restores what was there before.
    others = [block for block in tasks if id(block) not in chosen]
    marker = _TaskMarker(text, StatusStyle(others), done=done)
    edits: set[_Edit] = set()
    for item in chosen.values():
        if isinstance(item, TaskBlock):
            edits.update(marker.edits(item))
        elif isinstance(item, Criterion):
            old = item.box or ""
            new = with_box(old, done=done) if old else f"{box(done=done)} "
            edits.update(_replaced(item.start, old, new))
    return _apply(text, edits)


def _items(known: dict[str, list[_Item]], wanted: str) -> list[_Item]:
    found = known.get(wanted.upper(), [])
    # Mentions do not count where something else has the id.
    found = [item for item in found if not _is_mention(item)] or found
    if not found:
        raise _unknown(known, wanted)
    if len(found) > 1:
        raise _ambiguous(wanted, found)
    item = found[0]
    if not isinstance(item, Story):
        return [item]
    # A criterion elsewhere without a check box is a mention, for example in a table of coverage.
    return [item, *(one for one in item.criteria if one.box is not None or one.is_below)]


def _is_mention(item: _Item) -> bool:
    if isinstance(item, Story):
        return not item.criteria
    return isinstance(item, Criterion) and item.box is None


def _apply(text: str, edits: Iterable[_Edit]) -> str:
    parts, end = [], 0
    for start, behind, new in sorted(edits):
        parts += [text[end:start], new]
        end = behind
    return "".join((*parts, text[end:]))


def _replaced(start: int, old: str, new: str) -> Iterator[_Edit]:
    if old != new:
        yield start, start + len(old), new


class _TaskMarker:
    """Marks tasks as done, or open, in the style of the others."""

    def __init__(self, text: str, style: StatusStyle, *, done: bool) -> None:
        self._text = text
        self._style = style
        self._done = done
        self._line = style.label(words := style.words(done=done)) + words
        marks = style.decoration()
        self._headings_tell = any(marks)
        self._decoration = marks if done else ("", "")

    def edits(self, block: TaskBlock) -> Iterator[_Edit]:
        status = block.status
        if status is None:
            if self._needs_line(block):
                yield self._new_line(block)
        elif self._is_wanted(block.status_state):
            pass
        elif block.boxes and not status.value:
            for start, old in block.boxes:
                yield start, start + len(old), box(done=self._done)
        else:
            gap = "" if status.label.endswith((" ", "\t")) else " "
            words = self._changed(status.value, bare=is_bare(status.label))
            yield status.start, status.end, gap + words
        if not (self._done and block.state is State.DONE):
            yield from self._heading_edits(block)

    def _is_wanted(self, state: State | None) -> bool:
        return state is State.DONE if self._done else state in (State.OPEN, State.STARTED)

    def _changed(self, raw: str, *, bare: bool) -> str:
        status = read_status(raw)
        if bare:  # it has to stay a check box with a word behind it
            return opposite(status, done=self._done)
        own = None if status.state in (State.DISCARDED, None) else status
        return self._style.words(own, done=self._done) + status.lasting_note

    def _needs_line(self, block: TaskBlock) -> bool:
        if discarded_by_id(block.id):
            return True
        if block.heading.mark.startswith("[") or self._is_wanted(block.state):
            return False
        return not self._headings_tell

    def _new_line(self, block: TaskBlock) -> _Edit:
        end = line_ending(self._text)
        if block.first and any(fields(block.first)):
            return block.first.start, block.first.start, self._line + end
        at = block.head.start + len(block.head.text)
        behind = self._text[at : at + 4].replace("\r\n", "\n").replace("\r", "\n")
        # A text without an empty line in between would become one paragraph with the status.
        is_free = behind in ("", "\n") or behind.startswith("\n\n")
        return at, at, end + self._line + ("" if is_free else end)

    def _heading_edits(self, block: TaskBlock) -> Iterator[_Edit]:
        heading = block.heading
        start = block.head.start + block.head.body
        end = start + len(block.head.words)
        mark, suffix = self._decoration
        if heading.mark.startswith("["):
            yield from _replaced(start, heading.mark, with_box(heading.mark, done=self._done))
        else:
            old = heading.mark if self._is_replaced(heading.mark_state) else ""
            yield from _replaced(start, old, mark)
        old = heading.suffix if self._is_replaced(heading.suffix_state) else ""
        yield from _replaced(end - len(old), old, suffix)

    def _is_replaced(self, state: State | None) -> bool:
        return state is not None and not self._is_wanted(state)


def _unknown(known: dict[str, list[_Item]], wanted: str) -> UsageError:
    spelled = {key: items[0].id for key, items in list(known.items())[:_COMPARED]}
    near = difflib.get_close_matches(shown(wanted).upper(), spelled, n=3)
    hint = f"did you mean {' or '.join(spelled[key] for key in near)}?" if near else None
    if hint is None and spelled:
        some = list(spelled.values())
        hint = f"its ids run from {some[0]} to {some[-1]}" if len(some) > 1 else f"it has {some[0]}"
    return UsageError(
        "item-unknown",
        f"no task, story or criterion has the id '{shown(wanted)}'",
        hint=hint or "give tasks a heading and criteria a check box that begin with an id",
    )


def _ambiguous(wanted: str, found: Sequence[_Item]) -> UsageError:
    numbers = [str(item.line) for item in found]
    if len(numbers) > _SHOWN_LINES:
        numbers = [*numbers[:_SHOWN_LINES], "more"]
    return UsageError(
        "item-ambiguous",
        f"the id '{shown(wanted)}' occurs {len(found)} times, "
        f"on lines {', '.join(numbers[:-1])} and {numbers[-1]}",
        hint="give each of them an id of its own",
    )


class StatusStyle:
    """How a file writes the status of its tasks."""

    def __init__(self, blocks: Sequence[TaskBlock]) -> None:
        self.blocks = blocks
        statuses = [read_status(block.status.value) for block in blocks if block.status]
        self._spellings = {
            state: most_common(one.spelling for one in statuses if one.state is state)
            for state in (State.DONE, State.OPEN)
        }

    def spelling(self, *, done: bool) -> str | None:
        """The spelling of most tasks that are done, or open; None if there is none."""
        return self._spellings[State.DONE if done else State.OPEN] or None

    def words(self, own: Status | None = None, *, done: bool) -> str:
        """The status of a task; `own` is its present one, the example in a file without others."""
        contrary = self.spelling(done=not done)
        example = read_status(contrary) if contrary else own
        return self.spelling(done=done) or opposite(example, done=done)

    def label(self, words: str | None) -> str:
        """The label of most statuses, if `words` can stand behind it."""
        found = label((block.status for block in self.blocks), _STATUS_LABEL)
        status = read_status(words or "")
        return _STATUS_LABEL if is_bare(found) and not (status.box and status.word) else found

    def decoration(self) -> tuple[str, str]:
        """The marks before the id and after the title that the headings of done tasks have."""
        shapes = (
            (
                heading.mark if heading.mark_state is State.DONE else "",
                heading.suffix if heading.suffix_state is State.DONE else "",
            )
            for block in self.blocks
            if block.state is State.DONE and not (heading := block.heading).mark.startswith("[")
        )
        return most_common(shapes) or ("", "")


def most_common(values: Iterable[_T]) -> _T | None:
    """The most frequent value, of equals the first; None if there is none."""
    ranked = Counter(values).most_common(1)
    return ranked[0][0] if ranked else None


def label(fields: Iterable[Field | None], default: str) -> str:
    """The most frequent label, with a space at its end."""
    found = most_common(field.label for field in fields if field) or default
    return found if found.endswith((" ", "\t")) else found + " "


def is_bare(status_label: str) -> bool:
    """Whether a check box without a label stands for the status: "- [x] Completed"."""
    return "status" not in status_label.lower()
