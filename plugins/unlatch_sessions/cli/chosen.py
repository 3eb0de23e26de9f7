"""The session of a command, and its documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import flag
from unlatch.cli.runtime.shells import complete_work
from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch.worklog.disk.user_files import remember_project
from unlatch_sessions.lifecycle import pause_idle
from unlatch_sessions.project import idle_after, import_store, session_store
from unlatch_sessions.session_model import Meta, Session, Status
from unlatch_sessions.store import Broken, SessionStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from click.shell_completion import CompletionItem

    from unlatch.cli.runtime.context import Context
    from unlatch.project.workspace import Workspace


def complete_session(
    ctx: click.Context, _param: click.Parameter, begun: str
) -> list[CompletionItem[str]]:
    """The sessions of the project whose ids begin so, with their status."""
    return complete_work(ctx, begun, _with_status)


def _with_status(workspace: Workspace) -> Iterator[tuple[str, str]]:
    for head in session_store(workspace).heads():
        if not isinstance(head, Broken):
            yield head[1].session_id, head[1].status.value


SESSION = click.argument("wanted", metavar="[ID]", required=False, shell_complete=complete_session)
OF_STATUS = click.option(
    "--status",
    type=click.Choice([status.value for status in Status]),
    metavar="STATUS",
    help="Only sessions of this status.",
)
IMPORTED = flag("--imported", help="Use the sessions imported from transcripts.")


def store_of(context: Context, *, imported: bool = False) -> SessionStore:
    """The project's sessions (pauses and reports idle ones), or the imported ones."""
    remember_project(context.paths.root)
    if imported:
        return import_store(context.workspace)
    store = session_store(context.workspace)
    idle = pause_idle(store, after=idle_after(context.workspace), clock=context.workspace.clock)
    for session in idle:
        output.note(f"paused '{session.id}', which had no change for a while")
    return store


def chosen(
    store: SessionStore, wanted: str | None, *statuses: Status, imported: bool = False
) -> Path:
    """The file of a session; without an id, of the only one with these statuses or imported.

    Raises:
        UsageError: `session-unknown`, `session-ambiguous` or `session-not-named`.
    """
    if wanted is not None:
        return store.find(wanted)
    candidates = [
        (path, meta) for path, meta, _ in heads(store) if imported or meta.status in statuses
    ]
    if len(candidates) == 1:
        return candidates[0][0]
    kinds = "imported" if imported else " or ".join(statuses)
    names = tuple(meta.session_id for _, meta in reversed(candidates))
    message = f"no session is {kinds}"
    if names:
        message = f"{len(names)} sessions are {kinds}"
    others = "import" if imported else "list"
    hint = f"name one: {', '.join(names[:5])}" if names else f"unlatch session {others}"
    raise UsageError("session-not-named", message, hint=hint, problems=names)


def next_listing(context: Context, *, imported: bool) -> str | None:
    """The command that lists the sessions, of imported ones where there are no others; or None."""
    workspace, listing = context.workspace, "unlatch session list"
    if not imported and any(session_store(workspace).paths()):
        return listing
    return f"{listing} --imported" if any(import_store(workspace).paths()) else None


def tell_none(context: Context, *, imported: bool) -> None:
    """Say that there are no sessions, and what to do next."""
    start = f"unlatch session {'import' if imported else 'start TITLE'}"
    output.talk(f"No sessions. Next: {next_listing(context, imported=imported) or start}")


def sessions(store: SessionStore) -> Iterator[Session]:
    """All sessions; reports invalid files on stderr."""
    for entry in store.all():
        if isinstance(entry, Broken):
            remark(entry)
        else:
            yield entry[1]


def heads(store: SessionStore) -> Iterator[tuple[Path, Meta, str]]:
    """The front matter and titles of all sessions; reports invalid files on stderr."""
    for head in store.heads():
        if isinstance(head, Broken):
            remark(head)
        else:
            yield head


def remark(broken: Broken) -> None:
    """Note a file that is no session."""
    output.remark(f"{broken.path.name} cannot be read: {broken.error.message}")


def session_entry(meta: Meta, title: str) -> output.Json:
    """A session as a part of a document."""
    return {
        "id": meta.session_id,
        "title": title,
        **output.fields(meta, "status", "started", "ended", "channel", "participants", "model"),
        **output.fields(meta, "tokens_used", "resume_point"),
        "subagents": [
            output.fields(subagent, "session", "agent", "model", "tokens")
            for subagent in meta.subagents
        ],
        **output.fields(meta, "increment", "effort", "branch", "fork_of"),
    }


def show_change(session: Session, *, as_json: bool) -> None:
    """Report a session after a change."""
    if as_json:
        output.document("session", session=session_entry(session.meta, session.title))
        return
    verb = "has" if session.meta.status == "failed" else "is"
    output.ok(f"{session.id} {verb} {session.meta.status}")
