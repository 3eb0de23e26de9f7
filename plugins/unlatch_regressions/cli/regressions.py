"""unlatch regressions: find finished work that broke again, and reopen it as the policy says."""

from __future__ import annotations

import glob
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.main import run as run_command
from unlatch.cli.options.common import BY, JSON, flag
from unlatch.cli.options.delivery import YES, serving
from unlatch.cli.options.items import MAX_ITEMS
from unlatch.cli.runtime.failure import UNDECIDED, in_job
from unlatch.cli.runtime.passing import with_context
from unlatch.errors import UsageError
from unlatch.lifecycle.carry_out import carry_out
from unlatch.lifecycle.change import ChangeOptions, Place, Work
from unlatch.spi.operation import Kind
from unlatch.sync.publishing import Way
from unlatch_regressions.acting import changes_for
from unlatch_regressions.cli.apply import ApplyDialog
from unlatch_regressions.cli.recording import publish_results, record_tests
from unlatch_regressions.cli.showing import report_to_job, tell_survey
from unlatch_regressions.survey import Options, Survey, survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.cli.table import Entry
    from unlatch.lifecycle.change import Change
    from unlatch.spi.operation import DeliveryOptions

_COMMAND = "regressions"
_LISTING = "unlatch regressions --apply --dry-run"
# Files of one pattern.
_MOST_FILES = 10_000


def _files(option: str, what: str) -> Callable[[Any], Any]:
    return click.option(
        f"--{option}",
        option,
        metavar="GLOB",
        multiple=True,
        callback=_matching,
        help=f"Also read {what} in these files (repeat).",
    )


def _matching(_ctx: click.Context, option: click.Parameter, value: tuple[str, ...]) -> list[Path]:
    """The files of each pattern; UsageError `no-reports` if one has none."""
    files: dict[Path, None] = {}
    for pattern in value:
        names = sorted(glob.glob(pattern, recursive=True))[:_MOST_FILES]  # noqa: PTH207  (absolute, too)
        if not names:
            raise UsageError(
                "no-reports",
                f"no file is called {pattern}",
                hint=f"check that the step before this one wrote it, or leave out {option.opts[0]}",
            )
        files |= dict.fromkeys(map(Path, names))
    return [*files]


def _commits(
    _ctx: click.Context, option: click.Parameter, value: tuple[str, ...]
) -> dict[Path, str]:
    pairs = [entry.rpartition("=") for entry in value]
    if wrong := next((entry for entry, pair in zip(value, pairs, strict=True) if not pair[0]), ""):
        raise click.BadParameter(f"{wrong!r} is not FILE=REF.", param=option)
    return {Path(file): ref for file, _, ref in pairs}


def command(entry: Entry) -> click.Command:
    @click.command(entry.name, help=entry.own_help)
    @click.option("--since", metavar="REF", help="Leave out causes that this commit has.")
    @click.option(
        "--branch", metavar="NAME", help="Name of the default branch; by default the remote's."
    )
    @_files("junit", "results of tests, as JUnit XML or TAP,")
    @_files("sarif", "alerts")
    @_files("event", "webhook events")
    @click.option(
        "--commit-of",
        "commits_of",
        metavar="FILE=REF",
        multiple=True,
        callback=_commits,
        help="The commit that a report is about; by default the one that is checked out.",
    )
    @flag("--apply", help="Carry out what the policy says; by default only show it.")
    @flag("--record", help="Record the results of tests that guard finished work.")
    @flag("--dry-run", help="With --apply, show each item and comment, and write nothing.")
    @MAX_ITEMS
    @click.option(
        "--commit",
        "way",
        type=click.Choice([way.value for way in Way]),
        default=Way.NONE.value,
        show_default=True,
        help="Commit what --apply and --record changed, and push it, or push a branch.",
    )
    @YES
    @BY
    @serving(Kind.REOPEN, labels=True)
    @JSON
    @with_context
    def run(
        context: Context,
        *,
        since: str | None,
        branch: str | None,
        junit: list[Path],
        sarif: list[Path],
        event: list[Path],
        commits_of: dict[Path, str],
        apply: bool,
        **given: Any,
    ) -> int:
        if given["dry_run"] and not (apply or given["record"]):
            raise click.UsageError("--dry-run goes with --apply or --record")
        context.workspace.check_config()
        files = {"junit": junit, "sarif": sarif, "event": event}
        seen = survey(context.workspace, Options(since, branch, files, commits_of))
        return _run(context, seen, apply=apply, **given)

    return run


def _run(
    context: Context, seen: Survey, *, apply: bool, record: bool, by: str | None, **given: Any
) -> int:
    """Show what was seen, and carry out what the policy says; the exit code."""
    as_json, delivery = given["as_json"], given.pop("delivery")
    way = Way(given.pop("way"))
    recorded = None
    if record:
        recorded = record_tests(seen, by=context.who(by), dry_run=given["dry_run"])
    if not as_json:
        tell_survey(seen, apply=apply)
    changes = [*_changes(context, seen, by, delivery)] if apply else []
    options = ChangeOptions(
        command=_COMMAND, listing=_LISTING, is_many=True, activates=True, **given
    )
    dialog = ApplyDialog(context, options, seen, recorded)
    code = UNDECIDED if seen.broken else 0
    if changes:
        with context.trackers() as trackers:
            place = Place(context.workspace, trackers)
            code = max(code, carry_out([Work(place, changes)], dialog, options))
    elif as_json:
        dialog.write_document((), code)
    if way is not Way.NONE and (changed := dialog.changed_ids):
        code = max(code, _publish(context, changed, way))
    elif way is not Way.NONE and recorded and not given["dry_run"]:
        code = max(code, publish_results(context, way, by=context.who(by)))
    if in_job():
        report_to_job(context, seen, code=code, changed=bool(dialog.changed_ids))
    return code


def _changes(
    context: Context, seen: Survey, by: str | None, delivery: DeliveryOptions
) -> Iterator[Change]:
    works, mentions = seen.request.work, context.workspace.config.mentions
    if any(verdict.acts for verdict in seen.verdicts):
        who = context.who(by)
        yield from changes_for(seen.verdicts, works, by=who, options=delivery, mentions=mentions)


def _publish(context: Context, ids: Sequence[str], way: Way) -> int:
    """Commit and push the increments that were changed; the exit code."""
    options = context.options
    before = [f"--root={context.paths.root}", f"--max-wait={options.max_wait}"]
    limit = [] if context.max_time is None else [f"--max-time={context.max_time}"]
    with redirect_stdout(sys.stderr):  # there is one document
        return run_command([*before, "sync", *ids, "--yes", f"--commit={way}", *limit])
