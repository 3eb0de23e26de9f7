"""The result of resuming, for people and for scripts: one entry, for one increment and for many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.render.delivery import tell_left
from unlatch.cli.render.documents import (
    delivered_code,
    increment_entry,
    reopen_entry,
    resume_entry,
    untouched_entry,
)
from unlatch.cli.render.rule_warnings import warning_entries
from unlatch.cli.render.scope_report import scope_entry, sum_lines
from unlatch.cli.runtime import output
from unlatch.cli.runtime.failure import UNDELIVERED, problem_entry
from unlatch.lifecycle.resume import ResumeStep

if TYPE_CHECKING:
    from unlatch.lifecycle.deliver import Delivered
    from unlatch.lifecycle.resume import ResumeResult


def resume_code(resumed: ResumeResult, delivered: Delivered | None) -> int:
    """The exit code for one increment."""
    if resumed.error is not None:
        return resumed.error.exit_code
    if resumed.increment.unwritten:
        return UNDELIVERED
    if delivered is None or delivered.on_purpose:
        return 0
    return delivered_code(delivered.deliveries, delivered.left)


def resumed_entry(resumed: ResumeResult, delivered: Delivered | None) -> output.Json:
    """One increment of the list that several ids, or --all-matching, give."""
    increment = delivered.increment if delivered else resumed.increment
    return {
        **increment_entry(increment, resumed.before.status),
        "reopen": resumed.entry.id if resumed.entry else None,
        "trackers": _trackers(resumed, delivered),
        "left": len(increment.pending),
        "scope": scope_entry(resumed.scope),
        "warnings": warning_entries(resumed.warnings),
        "error": problem_entry(resumed.error) if resumed.error else None,
    }


def resume_document(resumed: ResumeResult, delivered: Delivered) -> output.Json:
    """The document for a single id."""
    increment = delivered.increment
    return {
        "increment": increment_entry(increment, resumed.before.status),
        "reopen": reopen_entry(resumed.entry, increment),
        "trackers": _trackers(resumed, delivered),
        "scope": scope_entry(resumed.scope),
        "warnings": warning_entries(resumed.warnings),
    }


def _trackers(resumed: ResumeResult, delivered: Delivered | None) -> list[output.Json]:
    found = [resume_entry(one) for one in delivered.deliveries] if delivered else []
    if resumed.step is ResumeStep.REVIVE and not found and resumed.error is None:
        return [untouched_entry(link) for link in resumed.increment.links]
    return found


def tell_end(resumed: ResumeResult, delivered: Delivered, wanted: str, code: int) -> None:
    """The last lines of one increment that was resumed."""
    for line in sum_lines(resumed.scope) if resumed.scope else ():
        output.data(line)
    if unwritten := resumed.increment.unwritten:
        output.talk(
            f"{output.warn('Not written yet:')} {', '.join(unwritten)}. "
            f"Next: unlatch resume {resumed.increment.id}"
        )
    elif code:
        tell_left(delivered)
    else:
        output.talk(f"Next: unlatch show {output.clean(wanted)}")
