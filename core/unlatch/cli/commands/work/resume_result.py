"""The result of resuming for scripts, and the exit code: for one increment and for many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.render.documents import (
    delivered_code,
    increment_entry,
    resume_entry,
    untouched_entry,
)
from unlatch.cli.render.rule_warnings import warning_entries
from unlatch.cli.render.scope_report import scope_entry
from unlatch.cli.runtime.failure import UNDELIVERED, problem_entry
from unlatch.lifecycle.resume import ResumeResult, ResumeStep

if TYPE_CHECKING:
    from unlatch.cli.runtime.output import Json
    from unlatch.lifecycle.deliver import Delivered


def resume_code(result: ResumeResult, delivered: Delivered | None) -> int:
    """The exit code for one increment."""
    if result.error is not None:
        return result.error.exit_code
    if result.increment.unwritten:
        return UNDELIVERED
    if delivered is None or delivered.on_purpose:
        return 0
    return delivered_code(delivered.deliveries, delivered.left)


def resumed_entry(result: ResumeResult, delivered: Delivered | None) -> Json:
    """One of several increments."""
    increment = delivered.increment if delivered else result.increment
    return {
        **increment_entry(increment, result.before.status),
        "reopen": result.entry.id if result.entry else None,
        "trackers": tracker_entries(result, delivered),
        "left": len(increment.pending),
        "scope": scope_entry(result.scope),
        "warnings": warning_entries(result.warnings),
        "error": problem_entry(result.error) if result.error else None,
    }


def tracker_entries(result: ResumeResult, delivered: Delivered | None) -> list[Json]:
    """The items of one increment."""
    found = [resume_entry(one) for one in delivered.deliveries] if delivered else []
    if result.step is ResumeStep.REVIVE and not found and result.error is None:
        return [untouched_entry(link) for link in result.increment.links]
    return found
