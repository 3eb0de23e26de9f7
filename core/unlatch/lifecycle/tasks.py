"""The tasks of an increment, for those who work on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.increments.files.work.files import files_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.increments.documents.model import Task
    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace


def tasks_of(workspace: Workspace, wanted: str) -> tuple[Increment, Sequence[tuple[Task, str]]]:
    """An increment, and its tasks with the texts of their criteria; discarded ones are left out.

    Raises:
        UsageError, StoreError: as `MetadataManager.read`.
    """
    increment = workspace.manager.read(wanted)
    files = files_of(increment)
    work = files.layout.read(files.checked_texts())
    texts = {criterion.id: criterion.text for criterion in work.spec.criteria}
    return increment, [
        (task, "\n".join(f"- {one}: {texts.get(one, '')}" for one in task.criteria))
        for task in work.tasks
        if not task.discarded
    ]
