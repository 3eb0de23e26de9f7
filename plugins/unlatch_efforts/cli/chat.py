"""unlatch effort chat and demo: talk with a model whose conversation is organised in efforts."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.runtime.chat import chat, configured_model, stream_pieces
from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.runtime.temporary_project import temporary_project
from unlatch.cli.terminal import output
from unlatch.project.git.run import ask_git
from unlatch.related.search.search import search
from unlatch_efforts.chat import ROUNDS, Answered, Chat
from unlatch_efforts.cli.conversation import CONVERSATION, conversation_of, store_of
from unlatch_efforts.conversation import Conversation
from unlatch_efforts.llm import Scripted
from unlatch_efforts.memory import CEILING

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.project.workspace import Workspace
    from unlatch_efforts.tools import Answer

_HITS = 5


@click.command("chat", help="Chat with the configured model. (asks a chat model)")
@CONVERSATION
@click.option(
    "--script",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read replies from this JSON file instead of asking a model.",
)
@with_context
def chat_effort(context: Context, *, conversation: str, script: Path | None) -> int:
    talk = conversation_of(context, conversation)
    is_shared = _is_in_git(context.workspace)
    with context.transport() as options:
        model = Scripted.from_file(script) if script else configured_model(context, options)
        turns = Chat(talk, model, lambda query: search_efforts(context.workspace, query))
        turns.is_shared = is_shared
        return chat(partial(_turn, turns), "the next chat continues the conversation")


def _is_in_git(workspace: Workspace) -> bool:
    """Warn about conversations in git: a clone brings them, and the next commit adds this one."""
    folder, root = ".unlatch/efforts", workspace.paths.root
    tracked = ask_git(root, "ls-files", "--", folder, f":(exclude){folder}/.gitignore")
    if tracked:
        output.talk(
            output.warn(f"git tracks conversations in {folder}, which may be from others"),
            f"  next: git rm -r --cached {folder} keeps them, and this chat, out of commits",
        )
    return bool(tracked)


def _turn(turns: Chat, text: str, on_logged: Callable[[], None]) -> None:
    streams = sys.stdout.isatty()
    try:
        with stream_pieces() as on_text:
            answered = turns.turn(text, on_text=on_text if streams else None, on_logged=on_logged)
    except BaseException:
        output.data(*turns.banners)
        raise
    _tell(answered, text_too=not streams)
    _tell_missing(answered)
    size = f"{answered.context.tokens:,} of {CEILING:,} tokens of context"
    cut = f"; not in it: {', '.join(answered.context.cut)}" if answered.context.cut else ""
    output.talk(output.faint(f"[{answered.effort or 'ambient'}, {size}{cut}]"))


def _tell(answered: Answered, *, text_too: bool) -> None:
    for banner in answered.banners:
        output.data(banner)
    if text_too and answered.text:
        output.data(*answered.text.split("\n"))


def _tell_missing(answered: Answered) -> None:
    if names := ", ".join(map(output.clean, dict.fromkeys(answered.dropped))):
        message = f"Not run: {names}. A turn has at most {ROUNDS} rounds of tools."
        output.talk(output.warn(message))
    if not answered.text:
        output.talk(output.warn("The model answered without text."))


def search_efforts(workspace: Workspace, query: str) -> list[Answer]:
    """The results of `search_efforts`."""
    return [
        {
            "id": hit.work.id,
            "status": hit.work.status,
            "score": round(hit.score, 2),
            "summary": hit.work.summary,
            "why": [f"{match.word} in {match.where}" for match in hit.why],
        }
        for hit in search(workspace, query, kinds=("effort",), limit=_HITS).found
    ]


@click.command("demo", help="Show a scripted conversation (no account needed). (local)")
@with_context
def demo_effort(context: Context) -> int:
    from unlatch.project.setup import set_up  # noqa: PLC0415

    turns: list[dict[str, Any]] = json.loads(
        files("unlatch_efforts").joinpath("demo.json").read_text(encoding="utf-8")
    )
    with temporary_project("effort demo") as root:
        set_up(root, ())
        own = Context(replace(context.options, root=root))
        workspace = own.workspace
        talk = Conversation(store_of(own, "demo"))
        for turn in turns:
            output.data(f"{output.strong('you>')} {turn['user']}")
            script = root / "replies.json"
            script.write_text(json.dumps(turn["replies"]), encoding="utf-8")
            model = Scripted.from_file(script)
            chat = Chat(talk, model, lambda query: search_efforts(workspace, query))
            _tell(chat.turn(turn["user"]), text_too=True)
        output.talk("The replies are from a script; `unlatch effort chat` asks a model.")
    return 0
