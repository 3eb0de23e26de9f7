"""Three-way comparison of check boxes: in an increment's files, and in its items' bodies.

The base has both sides when they were last in sync. A box changed on one side alone is ticked or
unticked on the other; a box has two states, so both sides cannot change differently. Files are
changed first: what was ticked on one item is then a change of the files for the other items.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.config.choices import Part
from unlatch.delivery.content import draft_of, former_checks
from unlatch.delivery.planning import may_write
from unlatch.errors import UnlatchError
from unlatch.increments.files.marking import mark_work, would_reopen
from unlatch.increments.files.work.amendments import texts_of
from unlatch.increments.model.check_boxes import (
    boxes_of,
    checks_in,
    ids_of,
    kept_marks,
    make_boxes,
    states_of,
    ticked_by_people,
)
from unlatch.increments.model.link import Boxes, Link
from unlatch.sync.compare import Compared, ComparedBoxes, Tick, Verdict
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace
    from unlatch.spi.item import RemoteItem


@dataclass(frozen=True, slots=True)
class _Sides:
    """Both sides of a link that can be compared.

    Args:
        here: the check boxes in the files.
        ids: the ids of their tasks and criteria.
        there: those on the item, by their ids.
        refusal: why the item's body may not be written, if so.
    """

    here: Boxes
    ids: Mapping[str, str]
    there: Mapping[str, bool]
    base: Boxes | None
    pulls: bool
    refusal: str | None

    @property
    def changed_there(self) -> dict[str, bool]:
        """The boxes that people changed on the item, and that the files follow."""
        if self.base is None or not self.pulls:
            return {}
        return ticked_by_people(self.here.states, self.base, self.there)


def compare_boxes(workspace: Workspace, group: Sequence[Compared]) -> Sequence[Compared]:
    """Add the comparison of the check boxes to the links of one increment.

    An item without a kept part in its body has none.
    """
    sides = [_sides_of(workspace, compared) for compared in group]
    wanted: dict[str, bool] = {}
    refused: dict[str, str] = {}
    for both in sides:
        if isinstance(both, _Sides):
            wanted |= both.changed_there
            refused |= _refused(group[0].increment, both)
    pulled = {key: done for key, done in wanted.items() if key not in refused}
    return [
        replace(
            compared,
            boxes=_decide(both, pulled, refused, compared) if isinstance(both, _Sides) else both,
        )
        for compared, both in zip(group, sides, strict=True)
    ]


def local_boxes(increment: Increment, link: Link) -> tuple[Boxes, Mapping[str, str]]:
    """The check boxes that an item's body is to show, and their ids.

    Raises:
        UnlatchError: a document cannot be read, or has no such story.
    """
    text = draft_of(increment, link.tracker, link.story).body
    checks, base = checks_in(text), link.base.boxes if link.base else None
    boxes = boxes_of(checks)
    if base and base.lines == boxes_of(former_checks(text)).lines:
        # An earlier release cut the list; the next update writes the whole, and no sync.
        boxes = replace(boxes, lines=base.lines)
    return boxes, ids_of(checks)


def absent_boxes(increment: Increment, link: Link, item: RemoteItem | None) -> tuple[str, ...]:
    """The ids of the check boxes that an item's body lacks; none if unlatch wrote no list there."""
    seen = item.checks_of(increment.id) if item else None
    if seen is None:
        return ()
    there = states_of(seen)
    try:
        ids = local_boxes(increment, link)[1]
    except UnlatchError:  # doctor reports it
        return ()
    return tuple(ids[key] for key in ids if key not in there)


def _sides_of(workspace: Workspace, compared: Compared) -> _Sides | ComparedBoxes | None:
    increment, item, link = compared.increment, compared.seen.item, compared.link
    checks = item.checks_of(increment.id) if item and not compared.pending else None
    # A branch that reopened the item may have changed the files, too.
    if checks is None or compared.context.reopened_elsewhere:
        return None
    base = link.base.boxes if link.base else None
    try:
        for error in workspace.manager.unreadable_documents(increment):
            raise error
        here, ids = local_boxes(increment, link)
    except UnlatchError as error:
        return ComparedBoxes(Boxes(), lines=Verdict.DRIFT, why=error.message)
    if base and base.states and not here.states:
        # Rather a file that is lost than work without any task.
        why = "the files have no check boxes any more"
        return ComparedBoxes(here, lines=Verdict.DRIFT, why=why)
    direction = compared.policy.direction
    refusal = None if direction.pushes else "nothing is pushed there"
    if refusal is None and not may_write(workspace, increment, link, Part.BODY):
        refusal = "the configuration does not let items be updated"
    there = states_of(checks)
    return _Sides(here, ids, there, base, direction.pulls, refusal)


def _refused(increment: Increment, both: _Sides) -> dict[str, str]:
    """Why boxes are not changed in the files: an id occurs twice, or a tick would do more."""
    refused: dict[str, str] = {}
    texts = texts_of(increment) if both.changed_there else {}
    for key, done in both.changed_there.items():
        try:
            after = mark_work(increment, texts, {both.ids[key]: done})
        except UnlatchError as error:
            refused[key] = error.message
        else:
            if would_reopen(increment, after):
                refused[key] = f"it would reopen {increment.id}; to do so, use unlatch resume"
    return refused


def _decide(
    both: _Sides, pulled: Mapping[str, bool], refused: Mapping[str, str], compared: Compared
) -> ComparedBoxes:
    before = both.here.states
    here = {key: pulled.get(key, done) for key, done in before.items()}
    ticks = (*_pulled(before, here, both), *_apart(here, both, refused))
    lines, why = None, ""
    if both.base is not None and both.base.lines != both.here.lines:
        lines = Verdict.PUSH if both.refusal is None else Verdict.DRIFT
        why = both.refusal or ""
    marks = {both.ids[tick.id]: tick.done for tick in ticks if tick.verdict is Verdict.PULL}
    former = both.base.marks if both.base else {}
    before_tick = {both.ids[key]: mark for key, mark in former.items() if key in both.ids}
    comparison = ComparedBoxes(both.here, ticks, lines, why, marks=marks, before_tick=before_tick)
    # Without a base of the states there is no place for it; they are recorded first.
    has_base = compared.link.base is not None or compared.verdict is Verdict.RECORD
    return replace(comparison, base=_new_base(here, both, comparison)) if has_base else comparison


def _pulled(before: Mapping[str, bool], here: Mapping[str, bool], both: _Sides) -> Iterator[Tick]:
    for key, done in here.items():
        if before[key] is not done and both.there.get(key) is done:
            yield Tick(key, done, Verdict.PULL)


def _apart(here: Mapping[str, bool], both: _Sides, refused: Mapping[str, str]) -> Iterator[Tick]:
    """The boxes that differ once the files have followed; one that the body lacks says nothing."""
    base = both.base.states if both.base else {}
    is_listed_anew = both.base is not None and both.base.lines != both.here.lines
    for key, done in here.items():
        seen = both.there.get(key)
        if seen is None and key not in base and is_listed_anew:
            yield _pushed(key, both, done=done)  # a new one
        elif seen is None or seen is done:
            continue
        elif both.base is None:
            yield Tick(key, seen, Verdict.DRIFT, "no sync of the check boxes is on record")
        elif base.get(key) is seen:
            yield _pushed(key, both, done=done)
        else:
            why = refused.get(key, "it changed on the item, and nothing is pulled from there")
            yield Tick(key, seen, Verdict.DRIFT, why)
    for key in both.there:
        if key not in here and key not in base:
            why = "it was added on the item; the next update removes it"
            yield Tick(key, both.there[key], Verdict.DRIFT, why)


def _pushed(key: str, both: _Sides, *, done: bool) -> Tick:
    if both.refusal is None:
        return Tick(key, done, Verdict.PUSH)
    why = f"it changed in the files, and {both.refusal}"
    return Tick(key, both.there.get(key, False), Verdict.DRIFT, why)


def _new_base(here: Mapping[str, bool], both: _Sides, comparison: ComparedBoxes) -> Boxes | None:
    """The base to record for what agrees now; what an update writes is recorded by its delivery."""
    if both.base is None:
        agrees = not comparison.having(Verdict.DRIFT)
        return make_boxes(here, both.here.lines, both.here.marks) if agrees else None
    agreed_before = both.base.states
    agreed = {key: done for key, done in here.items() if both.there.get(key) is done}
    kept = {**agreed_before, **agreed}
    lines = both.here.lines if comparison.lines is None else both.base.lines
    is_new = (kept, lines) != (agreed_before, both.base.lines)
    # The marks alone are no reason to write: the next change records them.
    marks = {**both.here.marks, **kept_marks(kept, both.base)}
    return make_boxes(kept, lines, marks) if is_new else None
