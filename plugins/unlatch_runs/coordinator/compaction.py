"""Compaction of the context of the agent that drives the run.

A process has no context. The driving agent reports how much of its own is left; at the threshold
the state is persisted, the user's hook runs, and every second time the plan is read in full,
because a compacted context drifts from it. Workers go on meanwhile; no new one starts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch_runs import outputs
from unlatch_runs.coordinator.plans import load_plan
from unlatch_runs.dispatch.commands import run_command
from unlatch_runs.events import CompactionComplete, CompactionStart

if TYPE_CHECKING:
    from unlatch_runs.coordinator.context import RunContext


def is_due(context: RunContext) -> bool:
    """Whether the context is at its threshold, or a compaction was cut short by a crash."""
    state = context.journal.state
    left = state.context_left
    return state.compacting or (left is not None and left <= context.thresholds.context)


def compact(context: RunContext) -> None:
    """Persist, run the hook, and reload the plan every second time.

    Raises:
        MistakesError: `plan-invalid`.
    """
    journal, state = context.journal, context.journal.state
    if not state.compacting:
        number = state.compactions + 1
        left = state.context_left or 0
        journal.record(CompactionStart, compaction_number=number, context_remaining=left)
    context.save("compaction")
    threshold = context.thresholds.context
    context.say(outputs.compaction_start(state.compactions, threshold, context.state_file))
    _run_hook(context)
    full = outputs.is_full_reload(state.compactions)
    drift = load_plan(context) if full else ()
    if full:
        context.say(outputs.full_reload(state))
    journal.record(CompactionComplete, compaction_number=state.compactions, full_reload=full)
    context.save("compaction")
    context.say(outputs.compaction_resumed(state))
    if news := outputs.compaction_news(state, drift):
        context.say(news)


def _run_hook(context: RunContext) -> None:
    consent = context.consent()
    if not consent.hook:
        return
    result = run_command(
        consent.hook, folder=context.root, environ=context.environ, timeout=consent.timeout
    )
    if not result.is_success:
        last = result.output.strip().rpartition("\n")[2] or "it printed nothing"
        context.note(f"the hook failed: {last}")
