"""How far the work is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unlatch.increments.documents.model import Criterion, Spec, Task, Tasks


def progress(tasks: Tasks) -> tuple[int, int]:
    """How many tasks are done, and of how many; discarded ones do not count."""
    counted = [task for task in tasks.tasks if not task.discarded]
    return sum(task.done is True for task in counted), len(counted)


def open_work(spec: Spec, tasks: Tasks) -> tuple[Criterion | Task, ...]:
    """The criteria and the tasks that their files say are still open."""
    criteria = (criterion for criterion in spec.criteria if criterion.done is False)
    open_tasks = (task for task in tasks.tasks if task.done is False and not task.discarded)
    return (*criteria, *open_tasks)
