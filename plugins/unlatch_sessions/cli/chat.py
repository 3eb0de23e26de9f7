"""unlatch session resume --chat: a chat with the configured model that the session records."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from unlatch.cli.runtime.chat import chat, configured_model, stream_pieces
from unlatch.cli.terminal import output
from unlatch_sessions import lifecycle
from unlatch_sessions.continuing.chat import SessionChat
from unlatch_sessions.project import recorder
from unlatch_sessions.session_model import Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from unlatch.cli.runtime.context import Context
    from unlatch_sessions.store import SessionStore

_ENDING = "then the session is paused"


def continue_in_chat(
    context: Context,
    store: SessionStore,
    path: Path,
    past: str,
    *,
    reason: str | None,
    budget: int | None,
) -> int:
    """Resume a session and chat until the user ends it; the session is paused at the end."""
    from unlatch.transport.trace import Redactor  # noqa: PLC0415

    with context.transport() as options:
        model = configured_model(context, options)  # before the change
        session = lifecycle.resume(
            store, path, now=context.workspace.clock(), reason=reason
        ).session
        output.talk(*map(output.harmless, past.rstrip("\n").split("\n")), "")
        log = recorder(context.workspace, store, path)
        mask = Redactor().text
        talk = SessionChat(session.id, log, model, past, mask, budget)
        try:
            return chat(partial(_turn, talk), _ENDING)
        finally:
            _pause(store, path)


def _turn(talk: SessionChat, words: str, on_logged: Callable[[], None]) -> None:
    streams = sys.stdout.isatty()
    with stream_pieces() as on_text:
        answer = talk.turn(words, on_text=on_text if streams else None, on_logged=on_logged)
    if not answer.strip():
        output.talk(output.warn("The model answered without text."))
    elif not streams:
        output.data(*answer.split("\n"))


def _pause(store: SessionStore, path: Path) -> None:
    """Pause the session, unless another process ended or paused it meanwhile."""
    session = store.read(path).session
    if session.meta.status is Status.ACTIVE:
        session = lifecycle.pause(store, path).session
    at = f" at {session.meta.resume_point}" if session.meta.resume_point else ""
    output.talk(f"{session.id} is {session.meta.status}{at}")
