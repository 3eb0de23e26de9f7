"""unlatch session import."""

from __future__ import annotations

import os
import time
from functools import partial
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import flag, with_json
from unlatch.cli.options.period import read_period
from unlatch.cli.render.describe import times
from unlatch.cli.runtime.context import Context, is_interactive
from unlatch.cli.runtime.failure import problem_entry
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UnlatchError, UsageError
from unlatch.transport.trace import own_home
from unlatch.worklog.disk.user_files import remember_project
from unlatch.worklog.times import stamp
from unlatch_agents.hooks.named_by_branch import increment_of_branch
from unlatch_agents.imports.choosing import is_in_project, named, of_project
from unlatch_agents.imports.importing import Imported, Importer
from unlatch_agents.imports.watching import running_at, take, watch
from unlatch_sessions.project import import_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_agents.transcripts import Listed

# Seconds between two looks at a transcript.
_INTERVAL = 1.0
_AGENTS = ("claude", "codex", "gemini", "opencode", "aider")


@click.command("import", help="Make sessions from transcripts of coding agents. (local)")
@click.argument("wanted", metavar="[PATH|ID]...", nargs=-1)
@click.option(
    "--agent",
    type=click.Choice(_AGENTS),
    metavar="NAME",
    help="Only transcripts of claude, codex, gemini, opencode or aider.",
)
@click.option(
    "--since",
    metavar="TIME",
    help="Only from this day or time on (UTC); 30d for 30 days.",
)
@flag("--all", "everything", help="Import all transcripts of this project.")
@flag("--keep-secrets", help="Keep texts that look like secrets, and your home folder.")
@flag("--watch", "watches", help="Follow a transcript, by default the newest, until Ctrl-C.")
@with_json
def import_session(
    context: Context,
    *,
    wanted: tuple[str, ...],
    agent: str | None,
    since: str | None,
    everything: bool,
    keep_secrets: bool,
    watches: bool,
    as_json: bool,
) -> int:
    if wanted and (everything or agent or since):
        raise click.UsageError("--all, --agent and --since choose transcripts: name none")
    if watches and (everything or as_json or len(wanted) > 1):
        raise click.UsageError("--watch follows one transcript, without --all and --json")
    chosen = _named(context, wanted) if wanted else _of_project(context, agent, since)
    if not wanted and not everything and not (watches and chosen):
        if as_json or not is_interactive() or not chosen:
            return _show(chosen, as_json=as_json)
        _show(chosen, as_json=False)
        chosen = prompts.ask(
            "Import which? (numbers; Enter for none)", lambda answer: _picked(answer, chosen)
        )
    workspace = context.workspace
    remember_project(context.paths.root)
    mode = workspace.config.sessions.subagents
    importer = Importer(
        import_store(workspace),
        None,
        mode,
        keep_secrets,
        lambda transcript: increment_of_branch(workspace, transcript.branch, transcript.cwd),
        partial(is_in_project, root=context.paths.root, environ=os.environ, home=_home(context)),
    )
    if watches:
        return _watch(importer, chosen[0])
    return _import(context, importer, chosen, as_json=as_json)


def _home(context: Context) -> Path:
    return own_home() or context.paths.root


def _named(context: Context, wanted: tuple[str, ...]) -> list[Listed]:
    root = context.paths.root
    chosen = (named(name, root=root, environ=os.environ, home=_home(context)) for name in wanted)
    return [*chain.from_iterable(chosen)]


def _of_project(context: Context, agent: str | None, since: str | None) -> list[Listed]:
    after, _ = read_period(since, None, context.workspace.clock())
    transcripts = of_project(
        context.paths.root, environ=os.environ, home=_home(context), agent=agent, since=after
    )
    return list(transcripts)


def _show(transcripts: list[Listed], *, as_json: bool) -> int:
    if as_json:
        output.document(
            "session-transcripts", transcripts=[_entry(listed) for listed in transcripts]
        )
        return 0
    rows = [
        (
            str(number),
            listed.title,
            listed.agent,
            f"{listed.modified:%Y-%m-%d %H:%M}",
            listed.branch,
            _name(listed),
            listed.origin,
        )
        for number, listed in enumerate(transcripts, 1)
    ]
    if rows:
        headings = ("", "Title", "Agent", "Changed", "Branch", "Name", "Fork of")
        last = len(headings) if any(listed.origin for listed in transcripts) else -1
        output.table(headings[:last], [row[:last] for row in rows], flexible=(1,))
        output.talk(f"Next: unlatch session import {quote(_name(transcripts[0]))}")
    else:
        output.talk("No transcripts of this project. Next: unlatch session import PATH")
    return 0


def _name(listed: Listed) -> str:
    """The name to import it by; a file has no id if it has several transcripts."""
    here = Path.cwd()
    path = listed.path.relative_to(here) if listed.path.is_relative_to(here) else listed.path
    return listed.id or str(path)


def _entry(listed: Listed) -> output.Json:
    names = ("agent", "id", "title", "branch")
    return {
        **output.fields(listed, *names),
        "forkOf": listed.origin or None,
        "path": str(listed.path),
        "modified": stamp(listed.modified),
    }


def _picked(answer: str, listed: list[Listed]) -> list[Listed]:
    numbers = answer.replace(",", " ").split()
    if all(number.isdecimal() and 0 < int(number) <= len(listed) for number in numbers):
        return [listed[int(number) - 1] for number in dict.fromkeys(numbers)]
    raise UsageError("choice-invalid", f"use numbers from 1 to {len(listed)}", hint="1 3")


def _import(context: Context, importer: Importer, chosen: list[Listed], *, as_json: bool) -> int:
    """Import each; one that cannot be read is reported, and the others are imported."""
    done: list[Imported] = []
    failed: list[tuple[Listed, UnlatchError]] = []
    for listed in chosen:
        try:
            done += take(importer, listed, is_running=running_at(context.workspace.clock(), listed))
        except UnlatchError as error:
            if len(chosen) == 1:
                raise
            failed.append((listed, error))
    code = 1 if failed else 0
    done = list(_each_once(done))
    if as_json:
        for entry in done:
            _tell_conflict(entry)
        problems = [{"transcript": str(o.path), "error": problem_entry(e)} for o, e in failed]
        sessions = [_imported_entry(imported) for imported in done]
        output.document("session-import", code, sessions=sessions, failed=problems)
        return code
    for entry in done:
        _tell(entry)
    for listed, why in failed:
        output.failed(f"{output.clean(str(listed.path))}: {output.clean(why.message)}", why.hint)
    if done:
        output.talk(f"Next: unlatch session show {quote(done[-1].session)} --imported")
    return code


def _each_once(done: list[Imported]) -> Iterator[Imported]:
    """Without sessions again that had been imported as the origin of a fork."""
    sessions: set[str] = set()
    for entry in done:
        if entry.created or entry.events or entry.session not in sessions:
            yield entry
        sessions.add(entry.session)


def _watch(importer: Importer, listed: Listed) -> int:
    output.talk(f"Following {_name(listed)}; Ctrl-C stops, and keeps what was imported.")
    try:
        for entry in watch(importer, listed, _ticks()):
            _tell(entry)
    except KeyboardInterrupt:
        for entry in watch(importer, listed, [None]):
            _tell(entry)
        output.talk("", "Stopped; everything up to here is imported.")
    return 0


def _ticks() -> Iterator[None]:
    while True:
        yield
        time.sleep(_INTERVAL)


def _tell(imported: Imported) -> None:
    added = f"{times(imported.phases, 'phase')} and {times(imported.events, 'event')}"
    if not imported.created:
        added = f"{added} added" if imported.events else "nothing new"
    agents = f", {times(imported.subagents, 'subagent')}" if imported.subagents else ""
    masked = f", {times(imported.masked, 'place')} masked" if imported.masked else ""
    output.ok(f"{imported.session}: {added}{agents}{masked}")
    _tell_conflict(imported)
    if imported.unknown:
        output.remark(f"{times(imported.unknown, 'line')} of the transcript not understood")


def _tell_conflict(imported: Imported) -> None:
    if imported.instead_of:
        output.note(f"{imported.instead_of.stem} has git's conflict markers, and was left as it is")


def _imported_entry(imported: Imported) -> output.Json:
    names = ("session", "source", "created", "phases", "events", "masked", "unknown", "subagents")
    return output.fields(imported, *names)
