"""Prompts at a terminal; they are shown on stderr."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch.worklog.text.neutral import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")


class Unanswered(click.Abort):
    """The user ended the input at a prompt, or interrupted it."""


@contextmanager
def asking() -> Iterator[None]:
    """Wait for input before anything is changed; an interruption raises `Unanswered`."""
    try:
        yield
    except (KeyboardInterrupt, click.Abort) as end:
        raise Unanswered from end


def confirm(question: str, *, default: bool = False) -> bool:
    prompt_text = f"{question} [{'Y/n' if default else 'y/N'}]"
    answers = {"y": True, "yes": True, "n": False, "no": False, "": default}
    while (
        typed := prompt(prompt_text, default="", show_default=False).strip().lower()
    ) not in answers:
        output.talk(f"Answer y (yes) or n (no); Enter alone is {'yes' if default else 'no'}.")
    return answers[typed]


def prompt(question: str, *, choices: Sequence[str] | None = None, **options: Any) -> str:
    """Ask for a line of text on the terminal.

    Args:
        choices: the only answers that are taken; by default any.
        options: as click.prompt takes them.
    """
    kind = click.Choice(choices) if choices else None
    with asking():
        answer: str = click.prompt(visible(question), type=kind, err=True, **options)
    return answer


def ask_text(question: str, *, earlier: Sequence[str] = ()) -> str:
    """Ask for a text on the terminal, with line editing; it may have several lines.

    Args:
        earlier: texts that the arrow keys bring, the newest last.
    """
    from unlatch.cli.terminal.line_editor import read_text  # noqa: PLC0415  (only at a terminal)

    with asking():
        return read_text(visible(f"{question}: "), earlier=earlier)


def ask(question: str, check: Callable[[str], T], *, earlier: Sequence[str] = ()) -> T:
    """Ask for a text until the check accepts it, and return the check's result."""
    while True:
        try:
            return check(ask_text(question, earlier=earlier))
        except UsageError as error:
            earlier = ()  # readline has them
            output.talk(output.warn(f"{error.message}; try again"))
