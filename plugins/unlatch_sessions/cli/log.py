"""unlatch session log."""

from __future__ import annotations

import sys
from functools import partial
from itertools import zip_longest
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.common import flag, text_option, with_json, without_placeholder
from unlatch.cli.terminal import output, prompts
from unlatch.config.choices import SubagentMode
from unlatch.errors import UsageError
from unlatch.worklog.json_text import load_json
from unlatch_sessions.cli.chosen import SESSION, chosen, show_change, store_of
from unlatch_sessions.front_matter import IN_CONFLICT
from unlatch_sessions.heading import read_agent, read_channel
from unlatch_sessions.lifecycle import beside_conflict
from unlatch_sessions.project import recorder
from unlatch_sessions.recorder import Recorder, agent_and_channel, read_tasks
from unlatch_sessions.session_model import Status
from unlatch_sessions.store import Broken, SessionStore

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from unlatch.cli.runtime.context import Context

# Characters of a text on stdin.
_MOST = 8 << 20
_KINDS = ("phase", "call", "decision", "error", "user", "text", "tasks", "subagent", "tokens")
_OWNERS = {
    "agent": ("phase",),
    "channel": ("phase",),
    "result": ("call",),
    "failed": ("call",),
    "resolution": ("error",),
    "note": ("user",),
    "mode": ("subagent",),
    "model": ("subagent",),
    "work": ("subagent",),
}


def _once(_: click.Context, option: click.Parameter, given: tuple[Any, ...]) -> Any:
    """The value of an option that would hide an earlier one of the same name."""
    if len(given) > 1:
        raise click.UsageError(
            f"{option.opts[0]} is given {len(given)} times; it can be given once"
        )
    return given[0] if given else None


def _text_once(ctx: click.Context, option: click.Parameter, given: tuple[str, ...]) -> Any:
    return _once(ctx, option, without_placeholder(ctx, option, given))


_single = partial(click.option, multiple=True, callback=_once)
_single_text = partial(click.option, multiple=True, callback=_text_once)
_texts = partial(text_option, multiple=True)
_quotes = partial(click.option, multiple=True)  # which may be just the word TEXT


@click.command("log", help="Add to the log of a session; in the order of these options. (local)")
@SESSION
@_single_text("--phase", metavar="TITLE", help="Begin a phase.")
@_single_text(
    "--agent", metavar="NAME[@VERSION]", help="Agent of the phase; default that of the session."
)
@_single_text(
    "--channel", metavar="NAME", help="Channel of the phase; default that of the session."
)
@_texts("--text", metavar="TEXT", help="Add a text of the agent; repeat for more.")
@_quotes("--call", metavar="'TOOL ARGUMENTS'", help="Add a tool call; repeat for more.")
@_quotes("--result", metavar="TEXT", help="Result of the call; begins with ERROR: if it failed.")
@flag("--failed", help="Mark the only call as failed.")
@_texts("--decision", metavar="TEXT", help="Add a decision; repeat for more.")
@_texts("--error", metavar="TEXT", help="Add an error; repeat for more.")
@_texts("--resolution", metavar="TEXT", help="How the error was resolved.")
@_quotes("--user", metavar="TEXT", help="Add the exact words of a person; repeat for more.")
@_texts("--note", metavar="TEXT", help="How the words were understood, or the action taken.")
@_single("--tasks", metavar="JSON", help="Set the tasks: a JSON array, or - for stdin.")
@_single_text("--subagent", metavar="NAME[@VERSION]", help="Add the work of a subagent.")
@_single(
    "--mode",
    type=click.Choice([mode.value for mode in SubagentMode]),
    metavar="MODE",
    help="Place of the subagent's work: inline, link or embed; default from the configuration.",
)
@_single_text("--model", metavar="NAME", help="Model of the subagent.")
@_single_text("--work", metavar="TEXT", help="Work of the subagent; - reads it from stdin.")
@_single(
    "--tokens",
    type=click.IntRange(min=0),
    metavar="N",
    help="Tokens used since the last time, by the subagent if one is given.",
)
@with_json
def log_session(context: Context, *, wanted: str | None, as_json: bool, **given: Any) -> int:
    _check(given)
    store = store_of(context)
    path = _to_write(store, wanted, context.workspace.clock())
    with recorder(context.workspace, store, path) as log:
        _record(log, given)
    show_change(store.read(path).session, as_json=as_json)
    return 0


def _to_write(store: SessionStore, wanted: str | None, now: datetime) -> Path:
    """The session that is meant; another one while git's conflict markers are in its file."""
    path = store.find(wanted) if wanted is not None else _open_session(store)
    if not store.is_in_conflict(path):
        return path
    new = beside_conflict(store, path, now=now)
    output.note(f"{path.stem} has git's conflict markers; this is recorded in {new.stem}")
    return new


def _open_session(store: SessionStore) -> Path:
    """The only active session, also one in conflict that no other continues."""
    active: list[Path] = []
    continued: set[str | None] = set()
    for head in store.heads():
        if not isinstance(head, Broken) and head[1].status is Status.ACTIVE:
            active.append(head[0])
            continued.add(head[1].fork_of)
        elif isinstance(head, Broken) and head.error.id == IN_CONFLICT:
            active.append(head.path)
    left = [path for path in active if path.stem not in continued or not store.is_in_conflict(path)]
    return left[0] if len(left) == 1 else chosen(store, None, Status.ACTIVE)


def _check(given: dict[str, Any]) -> None:
    """Refuse an option without the one that it belongs to; UsageError `option-alone`."""
    if all(given[kind] in (None, ()) for kind in _KINDS):
        hint = "unlatch session log --decision TEXT; for all options: unlatch session log --help"
        raise UsageError("nothing-to-log", "nothing to add was given", hint=hint)
    for name, owners in _OWNERS.items():
        owner, partner = given[owners[0]], given[name]
        if partner and owner in (None, ()):
            message = f"--{name} belongs to --{owners[0]}, which is not given"
            raise UsageError("option-alone", message, hint=f"add --{owners[0]} too")
        if partner and isinstance(owner, tuple) and _count(partner) != len(owner):
            message = f"--{owners[0]} is given {len(owner)} times, and --{name} {_count(partner)}"
            hint = f"give one --{name} for each --{owners[0]}, or log them one after the other"
            if name == "failed":
                hint = "give one --result for each --call: ERROR: and the reason for a failed one"
            raise UsageError("option-alone", message, hint=hint)


def _count(given: tuple[str, ...] | bool) -> int:
    return len(given) if isinstance(given, tuple) else int(given)


def _record(log: Recorder, given: dict[str, Any]) -> None:
    if given["phase"] is not None:
        own = agent_and_channel(log.store.read(log.path).session.meta)
        agent = read_agent(given["agent"]) if given["agent"] else own[0]
        channel = read_channel(given["channel"]) if given["channel"] else own[1]
        log.phase(given["phase"], agent, channel)
    for text in given["text"]:
        log.prose(text)
    for call, result in zip_longest(given["call"], given["result"]):
        tool, _, arguments = call.strip().partition(" ")
        log.call(tool, arguments, result or "", failed=given["failed"])
    for text in given["decision"]:
        log.decision(text)
    for text, resolution in zip_longest(given["error"], given["resolution"]):
        log.error(text, resolution)
    for text, note in zip_longest(given["user"], given["note"]):
        log.user(text, note)
    if given["tasks"] is not None:
        log.tasks(read_tasks(_json(given["tasks"])))
    if given["subagent"] is not None:
        _record_subagent(log, given)
    elif given["tokens"] is not None:
        log.tokens(given["tokens"])


def _record_subagent(log: Recorder, given: dict[str, Any]) -> None:
    if not (work := given["work"]) and given["mode"] != SubagentMode.LINK:
        hint = "add --work TEXT, or --work - to read it from stdin; --mode link begins its session"
        raise UsageError("text-missing", "the work of the subagent is not given", hint=hint)
    own = log.subagent(
        read_agent(given["subagent"]),
        _stdin(work) if work else None,
        model=given["model"],
        tokens=given["tokens"] or 0,
        mode=SubagentMode(given["mode"]) if given["mode"] else None,
    )
    if own and not work:
        output.talk(f"{own} records its work. Next: unlatch session log {quote(own)} --text TEXT")


def _json(given: str) -> object:
    try:
        return load_json(_stdin(given))
    except ValueError as error:
        hint = 'use an array as [{"id": "1", "content": "Write a test", "status": "pending"}]'
        message = f"the tasks are not JSON: {error}"
        raise UsageError("task-list-invalid", message, hint=hint) from None


def _stdin(given: str) -> str:
    if given != "-":
        return given
    with prompts.asking():
        text = sys.stdin.read(_MOST + 1)
    if len(text) > _MOST:  # the rest is not read, and may be endless
        message = f"standard input has more than {_MOST:,} characters"
        raise UsageError("message-too-long", message, hint="record it in parts")
    return text
