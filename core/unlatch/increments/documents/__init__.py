"""Reading and editing spec.md and tasks.md; an edit touches lines, never files."""

from __future__ import annotations

from unlatch.increments.documents.appending import with_scope_change, with_tasks
from unlatch.increments.documents.marking import with_marked
from unlatch.increments.documents.model import Criterion, Spec, Story, Task, Tasks
from unlatch.increments.documents.progress import open_work, progress
from unlatch.increments.documents.scope_change import (
    amended_spec,
    amended_tasks,
    are_open,
    check_parts,
    touched_stories,
)
from unlatch.increments.documents.spec import read_spec
from unlatch.increments.documents.tasks import read_tasks
from unlatch.increments.model.amendment import NewTask

__all__ = [
    "Criterion",
    "NewTask",
    "Spec",
    "Story",
    "Task",
    "Tasks",
    "amended_spec",
    "amended_tasks",
    "are_open",
    "check_parts",
    "open_work",
    "progress",
    "read_spec",
    "read_tasks",
    "touched_stories",
    "with_marked",
    "with_scope_change",
    "with_tasks",
]
