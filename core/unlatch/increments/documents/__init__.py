"""Reading and editing spec.md and tasks.md; an edit changes single lines and keeps all others.

Works on texts. The modules of increments.files, which read and write the files, call it.
"""

from unlatch.increments.documents.done_marks import with_marked
from unlatch.increments.documents.model import (
    Criterion,
    Spec,
    Story,
    Task,
    Tasks,
    open_work,
    progress,
)
from unlatch.increments.documents.new_tasks import with_tasks
from unlatch.increments.documents.scope_change import (
    amended_spec,
    amended_tasks,
    are_open,
    check_parts,
    touched_stories,
    with_scope_change,
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
