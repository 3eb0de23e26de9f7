"""Tasks as check boxes in a Markdown list, as most tools write them."""

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter

from unlatch.increments.documents.item_ids import Edit, ambiguous_id, unknown_id, with_edits
from unlatch.increments.documents.marks import NO_MARKS
from unlatch.increments.documents.spec_and_tasks import Task
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import GRAMMAR, Evidence


def names_of(task: Task) -> set[str]:
    """The ids of a task, its story and its criteria, in lower case."""
    return {name.casefold() for name in (task.id, task.story, *task.criteria) if name}


def known_parts(parts: Iterable[str], tasks: Iterable[Task]) -> list[str]:
    """The parts of an amendment that are tasks, or that tasks belong to."""
    names = {name for task in tasks for name in names_of(task)}
    return [part for part in parts if part.strip().casefold() in names]


def find_tasks(tasks: Sequence[Task], ids: Iterable[str]) -> list[Task]:
    """The tasks that ids mean: that of a task, or those of a story or a criterion.

    Raises:
        UsageError: `item-unknown` or `item-ambiguous`.
    """
    own: dict[str, list[Task]] = defaultdict(list)
    named: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        own[task.id.casefold()].append(task)
        for name in names_of(task):
            named[name].append(task)
    chosen: dict[int, Task] = {}
    for key, wanted in ((id_.strip().casefold(), id_) for id_ in ids):
        if len(own[key]) > 1:
            raise ambiguous_id(wanted, [task.line for task in own[key]])
        if not named[key]:
            raise unknown_id(wanted, [task.id for task in tasks])
        # A story is done without its discarded tasks.
        meant = own[key] or [task for task in named[key] if not task.discarded]
        chosen.update({id(task): task for task in meant})
    return list(chosen.values())


def edits_of(
    text: str,
    tasks: Sequence[Task],
    ids: Iterable[str],
    *,
    done: bool,
    tick: str = "x",
    marks: Mapping[str, str] = NO_MARKS,
) -> list[Edit]:
    """What ticks or unticks boxes; those that fit already stay.

    Args:
        tick: the tick in a file without done tasks; elsewhere that of the nearest one is used.
        marks: what stood in boxes before they were ticked, by the ids of tasks in lower case.

    Raises:
        UsageError: `item-unknown` or `item-ambiguous`.
    """
    ticked = [(task.line, text[slice(*task.box)]) for task in tasks if task.done and task.box]
    ticked.sort(key=itemgetter(0))
    edits: list[Edit] = []
    for task in find_tasks(tasks, ids):
        if task.box and (task.done is not done or task.discarded):
            near = bisect(ticked, task.line, key=itemgetter(0))
            both = ticked[max(near - 1, 0) : near + 1]
            nearest = min(both, key=lambda tick_at: abs(tick_at[0] - task.line), default=(0, tick))
            new = nearest[1] if done else marks.get(task.id.casefold(), " ")
            edits.append((*task.box, new))
    return edits


def with_marked(
    text: str,
    tasks: Sequence[Task],
    ids: Iterable[str],
    *,
    done: bool,
    tick: str = "x",
    marks: Mapping[str, str] = NO_MARKS,
) -> str:
    """The text with boxes ticked or unticked, as `edits_of`."""
    return with_edits(text, edits_of(text, tasks, ids, done=done, tick=tick, marks=marks))


def evidence_of(tasks: Iterable[Task]) -> Evidence | None:
    """The status that the required tasks show; None without any."""
    required = [task for task in tasks if not (task.discarded or task.optional)]
    now = _evidence(required)
    # Earlier releases read no task in a box with a mark that they did not know, but for `[/]`.
    before = [task for task in required if task.is_mark_known or task.mark == "/"]
    return replace(now, grammar=GRAMMAR, former=_evidence(before)) if now else None


def _evidence(required: Sequence[Task]) -> Evidence | None:
    if not required:
        return None
    done = sum(task.done is True for task in required)
    by = f"{done}/{len(required)} tasks"
    if done == len(required):
        return Evidence(Status.COMPLETED, by)
    is_begun = done or any(task.status for task in required)
    return Evidence(Status.ACTIVE if is_begun else Status.PLANNING, by)
