"""Record the results of tests that guard finished work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times
from unlatch.cli.terminal import output
from unlatch.increments.files.paths import HOME, RESULTS
from unlatch_regressions.results.record import Recorded, record_results

if TYPE_CHECKING:
    from unlatch.cli.terminal.output import Json
    from unlatch_regressions.survey import Survey

_FILE = f"{HOME}/{RESULTS}"


def record_tests(seen: Survey, *, by: str, dry_run: bool) -> Recorded | None:
    """Record results; None where a stranger chose what ran.

    Raises:
        UnlatchError: the memory cannot be read or written.
    """
    if seen.branch.is_fork:
        output.note(f"nothing is recorded, because {seen.branch.why}")
        return None
    is_default = seen.branch.is_here
    recorded = record_results(seen.request, by=by, is_default=is_default, dry_run=dry_run)
    verb = "would be recorded" if dry_run else "recorded"
    output.talk(f"{times(recorded.added, 'result')} {verb} in {_FILE}")
    return recorded


def recorded_entry(recorded: Recorded | None) -> Json | None:
    """The numbers of lines."""
    return {"added": recorded.added, "removed": recorded.removed} if recorded else None
