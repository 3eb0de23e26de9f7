"""Pauses: by usage, which end by themselves, and by people, errors and questions."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.worklog.disk.user_files import read_user_file
from unlatch_runs import outputs
from unlatch_runs.coordinator.plans import load_plan
from unlatch_runs.coordinator.usage import UsageLimits, UsageUnreadable, read_usage
from unlatch_runs.dispatch.commands import run_command
from unlatch_runs.events import SessionPause, SessionResume
from unlatch_runs.run_model import PauseReason, RunState

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch_runs.coordinator.context import RunContext

# Seconds.
_SCRIPT_TIMEOUT = 60.0
_LONGEST_SLEEP = 1.0
# Seconds between two notes about a wait.
_STEP = 600
_LONGEST_LOOK = timedelta(minutes=15)


class UsageWatch:
    """Looks at the usage from time to time, and at the cost of the workers."""

    def __init__(self, context: RunContext) -> None:
        self.context = context
        self._next: datetime | None = None

    def exceeded(self) -> UsageLimits | None:
        """The limits, if the run has to pause for them now."""
        now = self.context.clock()
        if self._next and now < self._next:
            return None
        self._next = now + self.context.thresholds.look
        limits = self.read()
        return limits if limits and self.is_low(limits) else None

    def is_low(self, limits: UsageLimits) -> bool:
        return limits.remaining <= self.context.thresholds.session

    def read(self) -> UsageLimits | None:
        """The usage now; None without a source, or where it cannot be read (that is said)."""
        consent = self.context.consent()
        try:
            if consent.usage_file:
                text = read_user_file(Path(consent.usage_file)).decode(errors="replace")
                return read_usage(text, where=consent.usage_file)
            if consent.usage:
                return self._run(consent.usage)
        except (OSError, UsageUnreadable) as error:
            self.context.note(f"the usage is unknown: {error}")
        return None

    def _run(self, argv: tuple[str, ...]) -> UsageLimits:
        context = self.context
        result = run_command(
            argv,
            folder=context.root,
            environ=context.environ,
            timeout=_SCRIPT_TIMEOUT,
            with_errors=False,
        )
        return read_usage(result.output, where=argv[0])

    @property
    def is_spent(self) -> bool:
        """Whether the workers cost as much as was agreed to."""
        state = self.context.journal.state
        return bool(self.context.consent().reached(cost=state.cost, tokens=state.tokens))


def pause(
    context: RunContext,
    reason: PauseReason,
    limits: UsageLimits | None = None,
    *,
    progress: outputs.Progress | None = None,
) -> None:
    """Record a pause, write the state, and print the output and the tasks that wait for a person.

    The workers have ended.

    Args:
        progress: how far the run was when the workers were still at work.
    """
    progress = progress or outputs.progress(context.journal.state)
    _record_pause(context, reason, limits)
    state = context.journal.state
    if state.pause:
        context.say(outputs.paused(state, state.pause, progress, context.state_file))
    for line in outputs.waiting(state):
        context.note(line)


def _record_pause(context: RunContext, reason: PauseReason, limits: UsageLimits | None) -> None:
    """Record a pause; one that ends the wait for a reset keeps its time."""
    before = context.journal.state.pause
    if limits is None and before:
        remaining, resets_at = before.remaining, before.resets_at
    else:
        remaining, resets_at = (limits.remaining, limits.resets_at) if limits else (None, None)
    context.journal.record(
        SessionPause, reason=reason.value, remaining_percent=remaining, resets_at=resets_at
    )
    context.save("pause")


def wait_for_reset(
    context: RunContext, watch: UsageWatch, is_disturbed: Callable[[], bool]
) -> bool:
    """Wait until the usage is reset, and some minutes more; False if a request came first.

    The usage is read again before the run goes on. While it is still spent or unknown, and without
    a time of the reset that is to come, the next look is later each time.
    """
    pause = context.journal.state.pause
    resets_at, remaining = (pause.resets_at, pause.remaining) if pause else (None, None)
    wait = context.thresholds.look
    note: Callable[[str], None]
    while True:
        moment, note = context.clock() + wait, _silent
        if resets_at and resets_at + outputs.RESET_MARGIN > context.clock():
            moment, note = resets_at + outputs.RESET_MARGIN, context.note
            wait = context.thresholds.look
        else:
            spent = "unknown" if remaining is None else f"still spent: {remaining:g}% left"
            context.note(f"the usage is {spent}; next look in {_minutes(wait)} min")
            wait = min(wait * 2, _LONGEST_LOOK)
        if not _wait_until(context, moment, is_disturbed, note):
            return False
        limits = watch.read()
        if limits and not watch.is_low(limits):
            return True
        remaining = limits.remaining if limits else None
        if limits and limits.resets_at not in (None, resets_at):
            resets_at = limits.resets_at
            _record_pause(context, PauseReason.USAGE, limits)


def _minutes(wait: timedelta) -> int:
    return ceil(wait.total_seconds() / 60)


def _silent(_: str) -> None:
    pass


def _wait_until(
    context: RunContext,
    moment: datetime,
    is_disturbed: Callable[[], bool],
    note: Callable[[str], None],
) -> bool:
    noted = None
    while (left := (moment - context.clock()).total_seconds()) > 0:
        if is_disturbed():
            return False
        if (minutes := ceil(left / _STEP) * _STEP // 60) != noted:
            note(f"waiting for the reset, at most {minutes} minutes more")
            noted = minutes
        context.sleep(min(left, _LONGEST_SLEEP))
    return True


def resume(context: RunContext, *, after_reset: bool = False) -> None:
    """End a pause: log it, read the plan, show the questions; recent completions are validated.

    Raises:
        MistakesError: `plan-invalid`; the run stays paused.
    """
    state = context.journal.state
    context.say(outputs.RESET_COMPLETE if after_reset else outputs.RESUMED)
    load_plan(context)
    recent = recent_completions(state, context.clock() - context.thresholds.window)
    context.journal.record(
        SessionResume, resume_count=state.resumes + 1, tasks_to_revalidate=tuple(recent)
    )
    for question in state.open_questions():
        context.note(f"question {question.id} of {question.task}: {question.text}")
    context.save("resume")


def recent_completions(state: RunState, since: datetime) -> list[str]:
    """The tasks that were completed since a moment."""
    return [
        task.id
        for task in state.tasks.values()
        if task.completed_at is not None and task.completed_at >= since
    ]


def pause_after_error(context: RunContext) -> None:
    """Record that a system error paused the run, as far as that is possible."""
    with suppress(Exception):
        pause(context, PauseReason.ERROR)
