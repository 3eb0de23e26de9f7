"""The environment of workers and commands: the user's, without the trackers' tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.runs.dispatch.processes import MARK

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

TASK_MARK = "UNLATCH_TASK_ID"


def worker_environment(
    environ: Mapping[str, str], *, secrets: Collection[str], passed: Collection[str] = ()
) -> dict[str, str]:
    """An environment without secrets.

    Args:
        secrets: the names of the variables that hold credentials of trackers
            (`Manifest.tokens` has them), in any case.
        passed: names among them that the user's command line passes on (`--pass-env NAME`).
    """
    held = {name.upper() for name in secrets} - {name.upper() for name in passed}
    return {name: value for name, value in environ.items() if name.upper() not in held}


def marked(environ: Mapping[str, str], *, run_id: str, task_id: str) -> dict[str, str]:
    """The environment of one worker, by which it and all that it starts are found."""
    return {**environ, MARK: run_id, TASK_MARK: task_id}
