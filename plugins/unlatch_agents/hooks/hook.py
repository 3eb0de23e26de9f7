"""Hooks of coding agents: the briefing as a session begins, and the import of its transcript."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError, UnlatchError, UsageError
from unlatch.increments.files.paths import find_paths
from unlatch.project.trusted import is_trusted
from unlatch.project.workspace import Workspace
from unlatch.worklog.disk.user_files import remember_project
from unlatch_agents.hooks.hook_event import HookEvent, read_event

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from unlatch_agents.imports.importing import Imported

_START = "SessionStart"
# With context of a SessionStart hook, Gemini CLI 0.61.0 sends none of the earlier prompts of a
# resumed session to the model. So it gets the briefing with the next prompt.
_PROMPT = "BeforeAgent"
_END = "SessionEnd"
# Gemini CLI calls a compaction PreCompress. Stop follows every turn, and ends nothing.
_IMPORTING = frozenset({"PreCompact", "PreCompress", _END})


def handle_event(
    raw: bytes, *, environ: Mapping[str, str], home: Path, user_config: Path
) -> dict[str, Any] | None:
    """Handle an event; the answer for the agent, if there is one.

    Raises:
        UnlatchError: the event, the project or the transcript cannot be read.
    """
    event = read_event(raw)
    is_briefed = event.name == (_PROMPT if event.is_gemini else _START)
    if not is_briefed and event.name not in _IMPORTING:
        return None
    try:
        paths = find_paths(event.cwd)
    except UsageError:  # hooks of a user run everywhere
        return None
    workspace = Workspace(paths, environ, user_config)
    if is_briefed:
        return _briefing(workspace, event)
    _import(workspace, event, home)
    return None


def _briefing(workspace: Workspace, event: HookEvent) -> dict[str, Any] | None:
    if not is_trusted(workspace.paths.root):
        return None
    from unlatch_agents.hooks.context import INTRODUCTION, session_context  # noqa: PLC0415  (slow to load)

    before, since = _contexts(event) if event.name == _PROMPT else ([], [])
    if any(INTRODUCTION in context for context in since):
        return None
    text = session_context(workspace)
    if text is None or any(unescape(text) in context for context in before):
        return None
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}}


def _contexts(event: HookEvent) -> tuple[list[str], list[str]]:
    """What hooks added to the chat so far, as `gemini_cli.contexts_of`; nothing in a new one."""
    from unlatch_agents.transcripts.agents.gemini_cli import contexts_of  # noqa: PLC0415  (as above)
    from unlatch_agents.transcripts.files import opened  # noqa: PLC0415  (as above)
    from unlatch_agents.transcripts.jsonl import read_lines  # noqa: PLC0415  (as above)

    if event.transcript is None or not event.transcript.exists():
        return [], []
    with opened(event.transcript) as file:
        return contexts_of(read_lines(file, Counter()))


def _import(workspace: Workspace, event: HookEvent, home: Path) -> None:
    """Import the session's transcript into the user's state folder."""
    if event.transcript is None:
        return
    from unlatch.project.git.revisions import current_branch  # noqa: PLC0415  (as above)
    from unlatch_agents.hooks.named_by_branch import increment_of_branch  # noqa: PLC0415  (as above)
    from unlatch_agents.imports.importing import Importer  # noqa: PLC0415  (as above)
    from unlatch_agents.imports.watching import running_at, take  # noqa: PLC0415
    from unlatch_agents.transcripts.find import Listed, is_transcript  # noqa: PLC0415
    from unlatch_sessions.project import import_store  # noqa: PLC0415

    path = event.transcript.resolve()
    if not is_transcript(path, environ=workspace.environ, home=home):
        message = "the transcript is not in a folder of a known agent"
        hint = "unlatch session import PATH"
        raise UsageError("transcript-outside", message, where=str(path), hint=hint)
    if not path.exists():  # a session that ended before its first prompt
        return
    workspace = _readable(workspace)
    remember_project(workspace.paths.root)
    listed = Listed("", path, datetime.fromtimestamp(path.stat().st_mtime, UTC))
    branch = current_branch(workspace.paths.root, workspace.environ) or ""
    importer = Importer(
        import_store(workspace),
        None,
        workspace.config.sessions.subagents,
        increment_of=lambda transcript: increment_of_branch(
            workspace, transcript.branch or branch, transcript.cwd or str(event.cwd)
        ),
    )
    is_over = event.name == _END
    running = (lambda _: False) if is_over else running_at(workspace.clock(), listed)
    for done in take(importer, listed, is_running=running):
        if done.instead_of:
            _log_conflict(workspace, done)


def _log_conflict(workspace: Workspace, done: Imported) -> None:
    """Log that a session was written beside one with git's conflict markers."""
    from unlatch_agents.hooks.hook_log import log_failure  # noqa: PLC0415  (rarely needed)

    message = f"the file has git's conflict markers; the import is in {done.session}"
    conflict = StoreError("session-in-conflict", message, where=str(done.instead_of))
    log_failure(conflict, now=workspace.clock())


def _readable(workspace: Workspace) -> Workspace:
    """The workspace; with the defaults if a mistake in its files would lose a transcript."""
    try:
        _ = workspace.config  # raises
    except UnlatchError:
        return replace(workspace, tables={})
    return workspace
