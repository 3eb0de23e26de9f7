"""unlatch regressions: find finished work that broke again, and reopen it as the policy says."""

from __future__ import annotations

import glob
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.common import BY, flag, with_json
from unlatch.cli.options.delivery import OFFLINE, YES, serving
from unlatch.cli.options.items import MAX_ITEMS
from unlatch.errors import UsageError
from unlatch.spi.operation import Kind
from unlatch.sync.publishing import Way
from unlatch_regressions.cli.running import run_survey
from unlatch_regressions.survey import Options, survey

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.cli.runtime.context import Context
    from unlatch.cli.table import Entry

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
    """The files of each pattern; UsageError `no-reports`, `too-many-files`."""
    files: dict[Path, None] = {}
    for pattern in value:
        names = [*islice(glob.iglob(pattern, recursive=True), _MOST_FILES + 1)]  # noqa: PTH207  (absolute, too)
        if len(names) > _MOST_FILES:
            message = f"more than {_MOST_FILES:,} files are called {pattern}"
            hint = f"name fewer files with {option.opts[0]}"
            raise UsageError("too-many-files", message, hint=hint)
        matches = [path for path in map(Path, sorted(names)) if not path.is_dir()]
        if not matches:
            raise UsageError(
                "no-reports",
                f"no file is called {pattern}",
                hint=f"check that the step before this one wrote it, or leave out {option.opts[0]}",
            )
        files |= dict.fromkeys(matches)
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
    @flag("--record", help="Also record the results of tests that later runs need.")
    @flag("--apply", help="Carry out what the policy says; by default only show it.")
    @flag("--dry-run", help="Show what --apply and --record would write, and write nothing.")
    @OFFLINE
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
    @with_json
    def run(
        context: Context,
        *,
        since: str | None,
        branch: str | None,
        junit: list[Path],
        sarif: list[Path],
        event: list[Path],
        commits_of: dict[Path, str],
        **given: Any,
    ) -> int:
        if given["dry_run"] and not (given["apply"] or given["record"]):
            raise click.UsageError("--dry-run goes with --apply or --record")
        context.workspace.check_config()
        files = {"junit": junit, "sarif": sarif, "event": event}
        options = Options(since, branch, files, commits_of, offline=given["offline"])
        with context.trackers() as trackers:
            seen = survey(context.workspace, trackers, options)
        return run_survey(context, seen, **given)

    return run
