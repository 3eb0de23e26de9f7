"""A chat on the terminal: the user's messages, and answers as they arrive."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from unlatch.cli.runtime.context import Context, is_interactive
from unlatch.cli.runtime.failure import error_lines, exit_code_of
from unlatch.cli.terminal import output
from unlatch.cli.terminal.line_editor import read_text
from unlatch.errors import ModelError, UsageError
from unlatch.worklog.disk.user_files import user_config_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from unlatch.chat_model import Complete, OnText
    from unlatch.transport import TransportOptions


def configured_model(context: Context, options: TransportOptions) -> Complete:
    """The model of the user's configuration; ModelError: none can be opened."""
    from unlatch.chat_model import open_model  # noqa: PLC0415  (rarely needed)

    workspace = context.workspace
    config = workspace.user.llm
    return open_model(config, environ=workspace.environ, where=user_config_file(), options=options)


def chat(turn: Callable[[str, Callable[[], None]], None], ending: str) -> int:
    """Take turns until the user ends the chat; the exit code of the first one that failed.

    Args:
        turn: takes a message, and a function to call when the message is logged.
        ending: the message about the conversation at the end.

    At a terminal the user has seen the error, and the code is 0.
    """
    codes = [_turn_or_error(turn, text) for text in _messages(ending)]
    return 0 if is_interactive() else next(filter(None, codes), 0)


def _turn_or_error(turn: Callable[[str, Callable[[], None]], None], text: str) -> int:
    logged: list[bool] = []
    try:
        turn(text, lambda: logged.append(True))
    except KeyboardInterrupt:
        what = "your message and the beginning of the answer are logged"
        output.talk("", f"Interrupted; {what if logged else 'your message was not sent'}.")
    except (ModelError, UsageError) as error:
        output.talk(*error_lines(error))  # the conversation can go on
        return exit_code_of(error)
    return 0


def _messages(ending: str) -> Iterator[str]:
    """The user's messages: typed at a prompt, or one a line of stdin."""
    if not is_interactive():
        yield from filter(None, map(str.strip, sys.stdin))
        return
    output.talk(f"Ctrl-D ends the chat; {ending}.")
    while True:
        try:
            text = read_text("you> ", history=True)
        except (click.Abort, KeyboardInterrupt):
            output.talk("")
            return
        if text:
            yield text


@contextmanager
def stream_pieces() -> Iterator[OnText]:
    """Show pieces of text as they arrive, then end the line."""
    last = "\n"

    def show(piece: str) -> None:
        nonlocal last
        last = piece or last
        output.piece(piece)

    try:
        yield show
    finally:
        if not last.endswith("\n"):
            output.data("")
