"""The marks in the environment of workers, by which they are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch_runs.dispatch.processes import MARK

if TYPE_CHECKING:
    from collections.abc import Mapping

TASK_MARK = "UNLATCH_TASK_ID"


def marked(environ: Mapping[str, str], *, run_id: str, task_id: str) -> dict[str, str]:
    """The environment of one worker, by which it and all that it starts are found."""
    return {**environ, MARK: run_id, TASK_MARK: task_id}
