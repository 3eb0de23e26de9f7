"""unlatch session start, pause, resume and complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import PASS_ENV, flag, text_argument, text_option, with_json
from unlatch.cli.options.reason import about_name, ask_reason, reason_option
from unlatch.cli.runtime.context import Context, is_interactive
from unlatch.cli.runtime.failure import UNDELIVERED
from unlatch.cli.runtime.held_tokens import hold_tokens
from unlatch.cli.runtime.increments import named_increment
from unlatch.cli.terminal import output
from unlatch.project.git.revisions import DETACHED, current_branch
from unlatch.related.kinds import kind_named
from unlatch_sessions import front_matter, lifecycle
from unlatch_sessions.cli.chat import continue_in_chat
from unlatch_sessions.cli.chosen import (
    IMPORTED,
    SESSION,
    chosen,
    session_entry,
    show_change,
    store_of,
)
from unlatch_sessions.cli.everywhere import chosen_or_picked
from unlatch_sessions.cli.hand_over import hand_over, program_of
from unlatch_sessions.context import ResumeContext, resume_context
from unlatch_sessions.heading import read_agent
from unlatch_sessions.imported.origin import SOURCE
from unlatch_sessions.project import recorder
from unlatch_sessions.session_model import LIFECYCLE, Session, Status

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch_sessions.store import SessionStore


@click.command("start", help="Start a session, and print its id. (local)")
@text_argument("title")
@text_option("--agent", metavar="NAME[@VERSION]", help="Name the agent.")
@text_option("--channel", metavar="NAME", help="Name the channel.")
@text_option("--model", metavar="NAME", help="Name the agent's model.")
@click.option("--increment", metavar="ID", help="Name the increment that it works on.")
@click.option("--effort", metavar="ID", help="Name the effort that it belongs to.")
@text_option("--phase", metavar="TITLE", help="Begin a phase at once.")
@with_json
def start_session(
    context: Context,
    *,
    title: str,
    agent: str | None,
    channel: str | None,
    model: str | None,
    increment: str | None,
    effort: str | None,
    phase: str | None,
    as_json: bool,
) -> int:
    who = read_agent(agent) if agent else None
    increment = named_increment(context, increment) if increment else None
    effort = kind_named("effort").find(context.workspace, effort) if effort else None
    branch = current_branch(context.paths.root, context.workspace.environ)
    branch = None if branch == DETACHED else branch
    facts = lifecycle.Start(title, channel, who, model, increment, effort, branch)
    store = store_of(context)
    path = lifecycle.start(store, facts, now=context.workspace.clock())
    if phase:
        with recorder(context.workspace, store, path) as log:
            log.phase(phase, who, channel)
    session = store.read(path).session
    if as_json:
        output.document("session", session=session_entry(session.meta, session.title))
    else:
        output.data(session.id)
    return 0


@click.command("pause", help="Pause a session at its current phase. (local)")
@SESSION
@with_json
def pause_session(context: Context, *, wanted: str | None, as_json: bool) -> int:
    store = store_of(context)
    document = lifecycle.pause(store, chosen(store, wanted, Status.ACTIVE))
    show_change(document.session, as_json=as_json)
    return 0


@click.command("resume", help="Resume a session, and print its context. (local)")
@SESSION
@reason_option("Record this reason; required for ended work.", about=about_name)
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    metavar="TOKENS",
    help="Maximum size of the context; all decisions and the newest phases are kept.",
)
@click.option(
    "--exec",
    "command",
    metavar="COMMAND",
    help="Start this program with the context as its input, as in 'claude -p'.",
)
@PASS_ENV
@flag("--chat", help="Continue in a chat with the configured model, which the log records.")
@IMPORTED
@with_json
def resume_session(
    context: Context,
    *,
    wanted: str | None,
    reason: str | None,
    budget: int | None,
    command: str | None,
    pass_env: tuple[str, ...],
    chat: bool,
    imported: bool,
    as_json: bool,
) -> int:
    if (command is not None) + chat + as_json > 1:
        raise click.UsageError("--exec, --chat and --json exclude each other")
    if command is not None:
        hold_tokens()
    argv = program_of(context, command) if command is not None else None
    context, store, path, imported = chosen_or_picked(
        context, wanted, Status.PAUSED, imported=imported, asks=not as_json
    )
    if imported and (reason or chat):
        how = f"{_where_to_continue(store, path)}, or publish it"
        raise click.UsageError(f"an imported session takes no --reason and no --chat: {how}")
    # Before the change: its resume point counts, and a context over the budget changes nothing.
    session = store.read(path).session
    is_over = session.meta.status in LIFECYCLE.reopened and not imported
    if is_over and reason is None and is_interactive():
        reason = ask_reason(context)
    past = resume_context(store, session, budget=budget)
    if chat:
        return continue_in_chat(context, store, path, past.text, reason=reason, budget=budget)
    if not imported:  # these follow their transcripts
        session = lifecycle.resume(
            store, path, now=context.workspace.clock(), reason=reason
        ).session
    if argv:
        code = hand_over(context, argv, session, past.text, passed=pass_env)
        return _ended(session, code)
    if as_json:
        _show_document(session, past)
        return 0
    output.data(*map(output.harmless, past.text.rstrip("\n").split("\n")))
    output.talk(
        "",
        f"{session.id} is {session.meta.status}; its context has about {past.tokens:,} tokens",
    )
    if imported:
        output.talk(f"It was imported: {_where_to_continue(store, path)}")
    return 0


def _where_to_continue(store: SessionStore, path: Path) -> str:
    """The agent, and the id that an imported session has there."""
    agent, _, there = str(front_matter.read(store.text(path)).get(SOURCE, "")).partition(":")
    return output.clean(f"continue session {there} in {agent or 'its agent'}")


def _show_document(session: Session, past: ResumeContext) -> None:
    output.document(
        "session-resume",
        session=session_entry(session.meta, session.title),
        context=past.text,
        tokens=past.tokens,
        phases=list(past.phases),
        leftOut=list(past.left_out),
        shortened=past.shortened,
        decisions=[
            output.fields(decision, "text", "session", "phase", "line")
            for decision in past.decisions
        ],
    )


def _ended(session: Session, code: int) -> int:
    """Report how the program of --exec ended."""
    end = f"the program ended with exit code {code}; " if code else ""
    output.talk(f"{end}{session.id} is {session.meta.status}")
    return UNDELIVERED if code else 0


@click.command("complete", help="Complete a session, or record that it failed. (local)")
@SESSION
@text_option("--summary", metavar="TEXT", help="Write this as the session's summary.")
@flag("--failed", help="Record that it failed.")
@with_json
def complete_session(
    context: Context, *, wanted: str | None, summary: str | None, failed: bool, as_json: bool
) -> int:
    store = store_of(context)
    path = chosen(store, wanted, Status.ACTIVE, Status.PAUSED)
    status = Status.FAILED if failed else Status.COMPLETED
    now = context.workspace.clock()
    document = lifecycle.end(store, path, status, now=now, summary=summary)
    show_change(document.session, as_json=as_json)
    return 0
