"""Reading and editing spec.md and tasks.md; an edit touches lines, never files."""

from __future__ import annotations

from unlatch.domain.amendment import NewTask
from unlatch.domain.documents.appending import with_scope_change, with_tasks
from unlatch.domain.documents.marking import with_marked
from unlatch.domain.documents.model import Criterion, Spec, Story, Task, Tasks
from unlatch.domain.documents.progress import open_work, progress
from unlatch.domain.documents.spec import read_spec
from unlatch.domain.documents.tasks import read_tasks

__all__ = [
    "Criterion",
    "NewTask",
    "Spec",
    "Story",
    "Task",
    "Tasks",
    "open_work",
    "progress",
    "read_spec",
    "read_tasks",
    "with_marked",
    "with_scope_change",
    "with_tasks",
]
