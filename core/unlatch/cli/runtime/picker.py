"""Pick a row at the terminal: type a part of it, in any order of letters that it has.

By prompt_toolkit, which matches, draws and handles keys. It draws on stderr, so that data on stdout
stays apart.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import CompleteEvent, FuzzyCompleter, WordCompleter
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.output import create_output

from unlatch.cli.runtime.failure import DECLINED
from unlatch.cli.terminal import output
from unlatch.cli.terminal.columns import cells

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.key_binding import KeyPressEvent

_KEYS = "Type to search, arrow keys to choose, Enter to take it, Esc to leave"
_GAP = "  "


def pick(question: str, rows: Mapping[str, Sequence[str]]) -> str:
    """The key of the row that the user picks.

    Args:
        rows: the cells of each row, which are searched; the likely ones first.

    Raises:
        output.Unanswered: the user interrupted it.
        click.exceptions.Exit: the user left it, with exit code 2.
    """
    lines = _lay_out(rows)
    session: PromptSession[str | None] = PromptSession(
        f"{_KEYS}\n{question}",
        # A row is searched as a whole, with its spaces.
        completer=FuzzyCompleter(WordCompleter([*lines], sentence=True), pattern=r"^.*"),
        complete_while_typing=True,
        key_bindings=_keys(),
        erase_when_done=True,
        output=create_output(stdout=sys.stderr),
    )
    try:
        line = session.prompt(pre_run=lambda: _show_menu(get_app().current_buffer))
    except (KeyboardInterrupt, EOFError) as end:
        raise output.Unanswered from end
    if line is None:
        output.talk("Nothing was changed.")
        raise click.exceptions.Exit(DECLINED)
    picked = lines[line]
    output.talk(f"{question}{picked}")
    return picked


def _lay_out(rows: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The key of each row, by its line."""
    widths = [max(map(cells, column)) for column in zip(*rows.values(), strict=True)]
    return {
        _GAP.join(
            f"{cell}{' ' * (width - cells(cell))}" for cell, width in zip(row, widths, strict=True)
        ).rstrip(): key
        for key, row in rows.items()
    }


def _show_menu(buffer: Buffer) -> None:
    buffer.start_completion(select_first=False)


def _keys() -> KeyBindings:
    keys = KeyBindings()
    keys.add("enter")(_take)
    keys.add("backspace")(_delete)
    # Without `eager` it would wait for the rest of a key's sequence.
    keys.add("escape", eager=True)(_leave)
    return keys


def _take(event: KeyPressEvent) -> None:
    """Take the row that is chosen, else the first that fits what was typed."""
    buffer = event.current_buffer
    state = buffer.complete_state
    chosen = state.current_completion if state else None
    if chosen is None and buffer.completer and buffer.text.strip():
        # The menu may lag behind the keys.
        found = buffer.completer.get_completions(buffer.document, CompleteEvent())
        chosen = next(iter(found), None)
    if chosen is not None:
        event.app.exit(result=chosen.text)


def _delete(event: KeyPressEvent) -> None:
    event.current_buffer.delete_before_cursor()
    _show_menu(event.current_buffer)


def _leave(event: KeyPressEvent) -> None:
    event.app.exit(result=None)
