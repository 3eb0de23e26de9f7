"""Reopen a run without executing it: it is paused until a person resumes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch_runs.events import RunReopened, SessionPause
from unlatch_runs.journal import Journal
from unlatch_runs.run_model import PauseReason, RunState
from unlatch_runs.state_file import save_state

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path


def reopen_run(
    folder: Path,
    *,
    reason: str,
    by: str,
    clock: Callable[[], datetime],
    new_id: Callable[[], str],
) -> RunState:
    """Take up a run that is over, and pause it; one that is not over stays as it is.

    Raises:
        StoreError: `run-active` or `run-damaged`.
    """
    with Journal.locked(folder, clock=clock, new_id=new_id) as journal:
        if journal.state.is_over:
            journal.take_over(new_id())
            journal.record(RunReopened, reason=reason, by=by)
            journal.record(SessionPause, reason=PauseReason.USER.value)
            save_state(folder, journal.state, now=clock(), reason="pause")
        return journal.state
