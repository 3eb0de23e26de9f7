"""The loop of a coordinator."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UnlatchError
from unlatch_runs import events as e
from unlatch_runs.coordinator.compaction import compact, is_due
from unlatch_runs.coordinator.context import End, RunContext
from unlatch_runs.coordinator.dispatching import Dispatching
from unlatch_runs.coordinator.pausing import (
    UsageWatch,
    pause,
    pause_after_error,
    resume,
    wait_for_reset,
)
from unlatch_runs.coordinator.plans import check_consent
from unlatch_runs.dispatch.port import StaleEpoch
from unlatch_runs.outputs import progress
from unlatch_runs.requests import record_request, take
from unlatch_runs.run_model import Cause, PauseReason

if TYPE_CHECKING:
    from unlatch_runs.coordinator.usage import UsageLimits

# Seconds to wait for a worker's report before the requests are looked at.
_TICK = 0.5
_SAVE_EVERY = timedelta(seconds=1)


class Coordinator:
    """Executes a run until it is finished, paused or stopped; recovery may have paused it.

    The run's lock is held, its epoch is this coordinator's, and its plan is loaded.

    Args:
        workers: those of earlier coordinators that still run.
    """

    def __init__(self, context: RunContext, workers: Dispatching | None = None) -> None:
        self.context, self.workers = context, workers or Dispatching(context)
        self._watch = UsageWatch(context)
        self._saved, self._saved_at = 0, context.clock()
        self._end: End | None = None

    def execute(self) -> End:
        """Run the loop.

        Raises:
            UnlatchError, OSError: an error of the system, which paused the run if that could be
                recorded.
        """
        try:
            self.workers.drop_unplanned()
            while (end := self._step()) is None:
                pass
        except KeyboardInterrupt:
            self._pause(PauseReason.USER)
            raise
        except (UnlatchError, OSError) as error:
            if not _is_replaced(error):
                self.workers.stop("system error")
                pause_after_error(self.context)
            raise
        else:
            return end
        finally:
            self.context.dispatcher.close()

    def _step(self) -> End | None:
        """One turn: requests, usage, compaction, dispatches, reports. None: go on."""
        if self.context.journal.state.pause:
            return End.PAUSED
        if self._take_requests():
            return self._end
        if self._watch.is_spent:
            self._pause(PauseReason.USAGE)
            return End.PAUSED
        if limits := self._watch.exceeded():
            return self._pause_for_usage(limits)
        if is_due(self.context):
            compact(self.context)
            self.workers.drop_unplanned()
        if self.context.journal.state.no_consent:
            check_consent(self.context)
        tried = self.workers.give_out()
        if not tried and not self.workers.are_busy:
            return self._rest()
        self.workers.take(_TICK)
        self.workers.extend()
        self._save()
        return None

    def _rest(self) -> End:
        """Nothing is under way and nothing can begin: the run is finished, or waits for people."""
        state = self.context.journal.state
        if state.is_complete:
            self.context.journal.record(e.RunFinished)
            self.context.save("finished")
            return End.FINISHED
        causes = {state.cause(task) for task in state.tasks.values()}
        waits = bool(causes & {Cause.QUESTION, Cause.CONSENT})
        limits = {state.reached(task) for task in state.tasks.values()} - {None}
        reason = PauseReason.QUESTION if waits else PauseReason.ATTEMPTS
        if {Cause.CRASHES} == limits:
            reason = PauseReason.CRASHES
        pause(self.context, reason)
        return End.PAUSED

    def _pause_for_usage(self, limits: UsageLimits) -> End | None:
        """Pause until the usage is reset, or a request ends the run."""
        self._pause(PauseReason.USAGE, limits)
        if not wait_for_reset(self.context, self._watch, self._take_requests):
            return self._end or End.PAUSED
        resume(self.context, after_reset=True)
        return None

    def _pause(self, reason: PauseReason, limits: UsageLimits | None = None) -> None:
        at = progress(self.context.journal.state)
        self.workers.stop(reason.value)
        pause(self.context, reason, limits, progress=at)

    def _take_requests(self) -> bool:
        """Carry out the requests of other processes; whether the loop is to end."""
        context = self.context
        for request in take(context.root, context.run):
            kind = request.get("kind")
            if kind == "pause":
                self._pause(PauseReason.USER)
                self._end = End.PAUSED
            elif kind == "stop":
                self.workers.stop("run stopped")
                context.journal.record(e.RunStopped, reason=str(request.get("reason") or ""))
                context.save("stopped")
                self._end = End.STOPPED
            else:
                record_request(context.journal, request)
        return self._end is not None

    def _save(self) -> None:
        """Write state.json if something happened since the last time, and some time went by."""
        sequence, now = self.context.journal.state.sequence, self.context.clock()
        # It has all tasks; with many of them, writing it would take longer than their work.
        if sequence != self._saved and abs(now - self._saved_at) >= _SAVE_EVERY:
            self.context.save("progress")
            self._saved, self._saved_at = sequence, now


def _is_replaced(error: Exception) -> bool:
    """Whether another coordinator has the run now, so that this one may not write."""
    return isinstance(error, StaleEpoch) or (
        isinstance(error, StoreError) and error.id == "run-taken-over"
    )
