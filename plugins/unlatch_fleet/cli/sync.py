"""unlatch fleet sync: sync a list of repositories on this machine."""

from __future__ import annotations

from datetime import UTC, datetime
from shlex import quote
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import flag, with_json
from unlatch.cli.render.describe import times
from unlatch.cli.runtime.failure import UNDECIDED, UNDELIVERED
from unlatch.cli.terminal import output
from unlatch.worklog.times import stamp
from unlatch_fleet.cli.chosen import FILE, journal_file, named, open_machine, unit_options
from unlatch_fleet.cli.journal import Journal
from unlatch_fleet.local import LocalFleet
from unlatch_fleet.unit import Outcome, Result

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from unlatch.cli.runtime.context import Context
    from unlatch_fleet.fleet_file import Repository

_CODES = {
    Result.DONE: 0,
    Result.PERSON: UNDECIDED,
    Result.LATER: UNDELIVERED,
    Result.FAILED: UNDELIVERED,
}
# The words for results, and for those of a dry run.
_SYNCED = {
    Result.DONE: "synced",
    Result.LATER: "to sync later",
    Result.PERSON: "need a person",
    Result.FAILED: "failed",
}
_DRY = {**_SYNCED, Result.DONE: "checked, nothing was written"}


@click.command("sync", help="Sync the repositories of a file on this machine. (writes trackers)")
@FILE
@unit_options
@click.option(
    "--max-time",
    type=click.FloatRange(min=0, min_open=True),
    default=3600.0,
    show_default=True,
    metavar="SECONDS",
    help="Begin no sync after so many seconds; also those that wait for a rate limit.",
)
@flag("--resume", help="Continue a command that was ended: leave out what it synced.")
@flag("--dry-run", help="Show for each repository what would change, and write nothing.")
@with_json
def sync_fleet(
    context: Context,
    *,
    file: Path,
    clones: Path | None,
    jobs: int,
    max_time: float,
    resume: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    machine = open_machine(context, file, clones, is_dry=dry_run)
    repositories, journal = named(machine.fleet), Journal(journal_file(machine.folder, file))
    earlier = journal.results() if resume else {}
    left = [each for key, each in repositories.items() if earlier.get(key) is not Result.DONE]
    for line in machine.fleet.repeated:
        output.note(line)
    if len(left) < len(repositories):
        before = len(repositories) - len(left)
        output.note(f"{times(before, 'repository')} synced before")
    if not (resume or dry_run):
        journal.begin()
    listener = _Listener(None if dry_run else journal, total=len(left), silent=as_json)
    fleet = LocalFleet(machine, listener, jobs=jobs, max_time=max_time)
    try:
        outcomes = fleet.sync(left)
    except KeyboardInterrupt:
        output.talk(f"To continue: unlatch fleet sync {quote(str(file))} --resume")
        raise
    code = _code(outcomes)
    if as_json:
        entries = [_entry(repositories[key], outcome) for key, outcome in outcomes.items()]
        skipped = [key for key in repositories if key not in outcomes]
        output.document("fleet-sync", code, dryRun=dry_run, repositories=entries, skipped=skipped)
    else:
        words = _DRY if dry_run else _SYNCED
        _tell(outcomes, words, skipped=len(repositories) - len(left))
    return code


class _Listener:
    """Shows each unit that ends, and notes its result."""

    def __init__(self, journal: Journal | None, *, total: int, silent: bool) -> None:
        self._journal = journal
        self._total = total
        self._silent = silent
        self._ended = 0

    def ended(self, repository: Repository, outcome: Outcome, again: datetime | None) -> None:
        key, now = repository.address.key, datetime.now(UTC)
        self._ended += again is None
        if self._journal and again is None:
            self._journal.note(key, outcome, now)
        if self._silent:
            return
        words = _words(outcome, is_dry=self._journal is None)
        line = f"[{self._ended}/{self._total}] {output.clean(key)}: {words}"
        if again is not None:
            output.talk(f"{line}; again at {again:%H:%M:%S} UTC")
        elif outcome.result is Result.DONE:
            output.ok(line)
        else:
            output.failed(line, outcome.message)


def _words(outcome: Outcome, *, is_dry: bool) -> str:
    counts = [(outcome.written, "to write" if is_dry else "written"), (outcome.left, "pending")]
    parts = [f"{number} {word}" for number, word in counts if number]
    pushed = [f"pushed {outcome.commit[:10]}"] if outcome.commit else []
    done = "synced" if not is_dry else "would sync" if any(parts) else "nothing to sync"
    result = {Result.DONE: done, Result.PERSON: "needs a person"}
    words = result.get(outcome.result, outcome.result)
    error = [f"[{output.clean(outcome.error)}]"] if outcome.error else []
    return ", ".join([words, *parts, *pushed, *error])


def _code(outcomes: Mapping[str, Outcome]) -> int:
    """3 if a sync is left, else 5 if a person must decide; nothing listed is nothing left."""
    codes = {_CODES[outcome.result] for outcome in outcomes.values()}
    return UNDELIVERED if UNDELIVERED in codes else max(codes, default=0)


def _entry(repository: Repository, outcome: Outcome) -> output.Json:
    error = {"id": outcome.error, "message": outcome.message, "hint": None}
    return {
        "repository": repository.address.key,
        "group": repository.group,
        **output.fields(outcome, "result", "written", "left", "commit"),
        "retryAt": stamp(outcome.at) if outcome.at else None,
        "error": error if outcome.error else None,
    }


def _tell(outcomes: Mapping[str, Outcome], words: Mapping[Result, str], *, skipped: int) -> None:
    counts = [
        f"{number} {word}"
        for result, word in words.items()
        if (number := sum(outcome.result is result for outcome in outcomes.values()))
    ]
    counts += [f"{skipped} synced before"] if skipped else []
    output.data(f"{', '.join(counts) or 'No repositories'}.")
