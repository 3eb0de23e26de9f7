"""unlatch session log."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.commands.sessions.chosen import SESSION, chosen, show_change, store_of
from unlatch.cli.runtime.session import JSON, flag, with_session
from unlatch.config.choices import SubagentMode
from unlatch.errors import UsageError
from unlatch.sessions.heading import read_agent, read_channel
from unlatch.sessions.model import Status
from unlatch.sessions.project import recorder
from unlatch.sessions.recorder import read_tasks

if TYPE_CHECKING:
    from unlatch.cli.runtime.session import Session as Run
    from unlatch.sessions.recorder import Recorder

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


@click.command("log", help="Add to the log of a session; in the order of these options. (local)")
@SESSION
@click.option("--phase", metavar="TITLE", help="Begin a phase.")
@click.option("--agent", metavar="NAME[@VERSION]", help="Agent of the phase.")
@click.option("--channel", metavar="NAME", help="Channel of the phase.")
@click.option("--text", metavar="TEXT", help="Add a text of the agent.")
@click.option("--call", metavar="'TOOL ARGUMENTS'", help="Add a tool call.")
@click.option("--result", metavar="TEXT", help="Result of the call; cut at 100 characters.")
@flag("--failed", help="Mark the call as failed.")
@click.option("--decision", metavar="TEXT", help="Add a decision.")
@click.option("--error", metavar="TEXT", help="Add an error.")
@click.option("--resolution", metavar="TEXT", help="How the error was resolved.")
@click.option("--user", metavar="TEXT", help="Add the exact words of a person.")
@click.option("--note", metavar="TEXT", help="How the words were understood, or the action taken.")
@click.option("--tasks", metavar="JSON", help="Set the tasks: a JSON array, or - for stdin.")
@click.option("--subagent", metavar="NAME[@VERSION]", help="Add the work of a subagent.")
@click.option(
    "--mode",
    type=click.Choice([one.value for one in SubagentMode]),
    metavar="MODE",
    help="Place of the subagent's work: inline, link or embed; default from the configuration.",
)
@click.option("--model", metavar="NAME", help="Model of the subagent.")
@click.option("--work", metavar="TEXT", help="Work of the subagent; - reads it from stdin.")
@click.option(
    "--tokens",
    type=click.IntRange(min=0),
    metavar="N",
    help="Tokens used since the last time, by the subagent if one is given.",
)
@JSON
@with_session
def log_session(run: Run, *, wanted: str | None, as_json: bool, **given: Any) -> int:
    _check(given)
    store = store_of(run)
    path = chosen(store, wanted, Status.ACTIVE)
    with recorder(run.workspace, store, path) as log:
        _record(log, given)
    show_change(store.read(path).session, as_json=as_json)
    return 0


def _check(given: dict[str, Any]) -> None:
    """Refuse an option without the one that it belongs to; UsageError `option-alone`."""
    if not any(given[one] is not None for one in _KINDS):
        hint = "unlatch session log --decision TEXT; for all options: unlatch session log --help"
        raise UsageError("nothing-to-log", "nothing to add was given", hint=hint)
    for name, owners in _OWNERS.items():
        if given[name] and not any(given[one] is not None for one in owners):
            message = f"--{name} belongs to --{owners[0]}, which is not given"
            raise UsageError("option-alone", message, hint=f"add --{owners[0]} too")


def _record(log: Recorder, given: dict[str, Any]) -> None:
    if given["phase"] is not None:
        agent = read_agent(given["agent"]) if given["agent"] else None
        channel = read_channel(given["channel"]) if given["channel"] else None
        log.phase(given["phase"], agent, channel)
    if given["text"] is not None:
        log.prose(given["text"])
    if given["call"] is not None:
        tool, _, arguments = given["call"].strip().partition(" ")
        log.call(tool, arguments, given["result"] or "", failed=given["failed"])
    if given["decision"] is not None:
        log.decision(given["decision"])
    if given["error"] is not None:
        log.error(given["error"], given["resolution"])
    if given["user"] is not None:
        log.user(given["user"], given["note"])
    if given["tasks"] is not None:
        log.tasks(read_tasks(_json(given["tasks"])))
    if given["subagent"] is not None:
        _record_subagent(log, given)
    elif given["tokens"] is not None:
        log.tokens(given["tokens"])


def _record_subagent(log: Recorder, given: dict[str, Any]) -> None:
    if not (work := given["work"]):
        hint = "add --work TEXT, or --work - to read it from stdin"
        raise UsageError("text-missing", "the work of the subagent is not given", hint=hint)
    log.subagent(
        read_agent(given["subagent"]),
        _stdin(work),
        model=given["model"],
        tokens=given["tokens"] or 0,
        mode=SubagentMode(given["mode"]) if given["mode"] else None,
    )


def _json(given: str) -> object:
    try:
        return json.loads(_stdin(given))
    except (ValueError, RecursionError) as error:
        hint = 'use an array as [{"id": "1", "content": "Write a test", "status": "pending"}]'
        message = f"the tasks are not JSON: {error}"
        raise UsageError("task-list-invalid", message, hint=hint) from None


def _stdin(given: str) -> str:
    if given != "-":
        return given
    text = sys.stdin.read(_MOST + 1)
    if len(text) > _MOST:  # the rest is not read, and may be endless
        message = f"standard input has more than {_MOST:,} characters"
        raise UsageError("message-too-long", message, hint="record it in parts")
    return text
