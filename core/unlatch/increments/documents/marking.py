"""Ticking and unticking: the marks of the items that are named change, nothing else does."""

from __future__ import annotations

import difflib
from collections import defaultdict
from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch.increments.documents.lines import scan
from unlatch.increments.documents.quoting import shown
from unlatch.increments.documents.spec import CriterionPlace, StoryPlace, story_places
from unlatch.increments.documents.state_words import State, state_of_box
from unlatch.increments.documents.task_marks import Edit, task_edits
from unlatch.increments.documents.tasks import Place, places

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_Item = Place | CriterionPlace | StoryPlace
# Comparing takes time; a hint does not have to know every id of a huge file.
_COMPARED = 1000
_SHOWN_LINES = 10


def with_marked(text: str, ids: Iterable[str], *, done: bool) -> str:
    """Tick or untick tasks and criteria, and all criteria of stories, by their ids.

    All other characters stay as they are. What has the wanted mark already is left alone.

    Raises:
        UsageError: `item-unknown`, an id is not there; `item-ambiguous`, it occurs more than once.
    """
    lines = scan(text).lines
    tasks = places(lines)
    stories, criteria = story_places(lines)
    known = _by_id([*tasks, *stories, *criteria])
    # Two ids may mean one item, by a story and by its criterion.
    chosen = {id(item): item for wanted in ids for item in _meant(known, wanted.strip())}
    edits = {
        *(edit for item in chosen.values() for edit in _criteria_edits(item, done=done)),
        *task_edits(text, tasks, [i for i in chosen.values() if isinstance(i, Place)], done=done),
    }
    return _edited(text, edits)


def _by_id(items: Iterable[_Item]) -> dict[str, list[_Item]]:
    known = defaultdict(list)
    for item in items:
        known[_id(item).upper()].append(item)
    return known


def _id(item: _Item) -> str:
    return item.id if isinstance(item, CriterionPlace) else item.heading.id


def _meant(known: dict[str, list[_Item]], wanted: str) -> list[_Item]:
    found = _telling(known.get(wanted.upper(), []))
    if not found:
        raise _unknown(known, wanted)
    if len(found) > 1:
        raise _ambiguous(wanted, found)
    item = found[0]
    return [item, *_own_criteria(item)] if isinstance(item, StoryPlace) else [item]


def _telling(found: Sequence[_Item]) -> Sequence[_Item]:
    """Leave out mentions: what has no check box, or no criteria, where another one has."""
    telling = [item for item in found if not _is_mention(item)]
    return telling or found


def _is_mention(item: _Item) -> bool:
    if isinstance(item, StoryPlace):
        return not item.criteria
    return isinstance(item, CriterionPlace) and item.box is None


def _own_criteria(story: StoryPlace) -> Iterator[CriterionPlace]:
    for criterion in story.criteria:
        # One elsewhere without a check box is a mention, in a table of coverage for one.
        if criterion.box is not None or criterion.section is story:
            yield criterion


def _criteria_edits(item: _Item, *, done: bool) -> Iterator[Edit]:
    if not isinstance(item, CriterionPlace):
        return
    if item.box is None:
        yield Edit(item.start, item.start, "[x] " if done else "[ ] ")
    elif (state_of_box(item.box) is State.DONE) is not done:
        yield Edit(item.start, item.start + len(item.box), "[x]" if done else "[ ]")


def _edited(text: str, edits: Iterable[Edit]) -> str:
    parts, end = [], 0
    for edit in sorted(edits):
        parts += [text[end : edit.start], edit.new]
        end = edit.end
    return "".join((*parts, text[end:]))


def _unknown(known: dict[str, list[_Item]], wanted: str) -> UsageError:
    spelled = {key: _id(items[0]) for key, items in list(known.items())[:_COMPARED]}
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
    numbers = [str(item.line.number) for item in found]
    if len(numbers) > _SHOWN_LINES:
        numbers = [*numbers[:_SHOWN_LINES], "more"]
    places = f"{', '.join(numbers[:-1])} and {numbers[-1]}"
    return UsageError(
        "item-ambiguous",
        f"the id '{shown(wanted)}' occurs {len(found)} times, on lines {places}",
        hint="give each of them an id of its own",
    )
