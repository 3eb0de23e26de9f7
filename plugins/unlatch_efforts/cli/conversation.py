"""The conversation of a command, and its tools."""

from __future__ import annotations

from contextlib import contextmanager
from shlex import quote
from typing import TYPE_CHECKING

import click

from unlatch.cli.render.describe import times
from unlatch.cli.terminal import output
from unlatch_efforts.conversation import Conversation
from unlatch_efforts.limits import summary_missing
from unlatch_efforts.store import EffortStore, effort_store
from unlatch_efforts.tools import Tools

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.cli.runtime.context import Context

CONVERSATION = click.option(
    "--conversation",
    metavar="NAME",
    default="main",
    show_default=True,
    help="Conversation; each has its own active and expanded efforts.",
)


def store_of(context: Context, by: str | None = None) -> EffortStore:
    return effort_store(context.workspace, by=context.who(by))


def conversation_of(context: Context, name: str, by: str | None = None) -> Conversation:
    """A conversation; a wait for another process is reported."""
    text = f"Waiting for another process that uses the conversation {name}. Ctrl-C stops waiting."
    return Conversation(store_of(context, by), name, on_wait=lambda: output.talk(text))


@contextmanager
def tools_of(context: Context, conversation: str, by: str | None) -> Iterator[Tools]:
    """Tools for a conversation, which is locked while they are in use."""
    talk = conversation_of(context, conversation, by)
    with talk.lock() as turn:
        tools = Tools(turn, summarize=_no_model, search=lambda _: ())
        yield tools


def tell(tools: Tools) -> None:
    for banner in tools.banners:
        output.data(banner)


def tell_broken(effort: str, lines: Sequence[int]) -> None:
    """Report log lines that are not shown, because they cannot be read."""
    if lines:
        which = f"{times(len(lines), 'line')} of the log cannot be read"
        numbers, hint = ", ".join(map(str, lines[:5])), f"unlatch effort verify {quote(effort)}"
        output.talk(output.warn(f"{which} ({numbers}); `{hint}` finds lines that were changed"))


def _no_model(_: str) -> str:
    raise summary_missing("an effort with a log is concluded with a summary")
