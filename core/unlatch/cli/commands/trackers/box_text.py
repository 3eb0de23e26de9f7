"""The comparison of check boxes in words."""

from collections.abc import Iterable, Iterator

from unlatch.sync.compare import ComparedBoxes, Tick, Verdict
from unlatch.worklog.name_matching import first_of


def boxes_text(boxes: ComparedBoxes) -> str:
    """The changes of check boxes, with their ids."""
    return f"check boxes: {'; '.join(_changes(boxes))}"


def pulled_text(boxes: ComparedBoxes) -> str:
    """What followed an item, after a sync."""
    return "; ".join(_marked(boxes.having(Verdict.PULL), "ticked", "unticked"))


def is_drifting(boxes: ComparedBoxes) -> bool:
    """Whether some are left as they are."""
    return boxes.lines is Verdict.DRIFT or bool(boxes.having(Verdict.DRIFT))


def _changes(boxes: ComparedBoxes) -> Iterator[str]:
    for verdict, where in ((Verdict.PULL, "in the files"), (Verdict.PUSH, "on the item")):
        for text in _marked(boxes.having(verdict), "tick", "untick"):
            yield f"{text} {where}"
    if boxes.lines is Verdict.PUSH:
        yield "update the list on the item"
    elif boxes.lines is not None:
        yield f"{'not changed' if boxes.error else 'the list differs'}: {boxes.why}"
    drifting: dict[str, list[str]] = {}
    for tick in boxes.having(Verdict.DRIFT):
        drifting.setdefault(tick.why, []).append(tick.id)
    for why, ids in drifting.items():
        yield f"{first_of(ids)} left as it is: {why}"


def _marked(ticks: Iterable[Tick], tick: str, untick: str) -> Iterator[str]:
    changed = tuple(ticks)
    for word, done in ((tick, True), (untick, False)):
        if ids := [box.id for box in changed if box.done is done]:
            yield f"{word} {first_of(ids)}"
