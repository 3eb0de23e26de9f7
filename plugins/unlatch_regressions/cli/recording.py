"""Record the results of tests that guard finished work, and publish them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times
from unlatch.cli.runtime.failure import UNDELIVERED, error_lines, part
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError
from unlatch.increments.files.paths import HOME, RESULTS
from unlatch_regressions.results.record import record_results

if TYPE_CHECKING:
    from unlatch.cli.runtime.context import Context
    from unlatch.cli.terminal.output import Json
    from unlatch.sync.publishing import Way
    from unlatch_regressions.results.record import Recorded
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


def publish_results(context: Context, way: Way, *, by: str) -> int:
    """Commit and push the results; the exit code."""
    try:
        published = part("publisher")(context.workspace, way, by=by)()
    except UnlatchError as error:
        context.trace(error)
        output.talk(*error_lines(error))
        return UNDELIVERED
    if published:
        line = f"committed and pushed to {published.remote} {published.branch}: {_FILE}"
        output.talk(output.clean(line))
    return 0
