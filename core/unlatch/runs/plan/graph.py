"""The graph of a plan: which task blocks which."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.runs.plan.model import PlanTask


def graph_mistakes(tasks: Sequence[PlanTask]) -> Iterator[tuple[int, str]]:
    """Ids that come twice or are unknown, and a cycle with its path; each with its line."""
    known: dict[str, PlanTask] = {}
    for task in tasks:
        if first := known.get(task.id):
            yield task.line, f"task {task.id} is defined in line {first.line} already"
        else:
            known[task.id] = task
    for task in tasks:
        for wanted in task.blocked_by:
            if wanted not in known:
                yield (
                    task.line,
                    f"task {task.id} is blocked by {wanted}, an unknown task",
                )
    graph = {name: known.keys() & task.blocked_by for name, task in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        # Each task of the path blocks the one behind it.
        path = list(reversed(error.args[1]))
        yield known[path[0]].line, f"the tasks block each other: {' <- '.join(path)}"
