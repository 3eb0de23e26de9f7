"""Pick a row at the terminal: type a part of it, in any order of letters that it has.

By prompt_toolkit, which matches, draws and handles keys. It draws on stderr, so that data on stdout
stays apart.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import TYPE_CHECKING

import click
from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, FuzzyCompleter, WordCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples, to_formatted_text
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import HSplit, Layout, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.output import Output, create_output
from prompt_toolkit.output.vt100 import Vt100_Output

from unlatch.cli.runtime.context import can_pick
from unlatch.cli.runtime.failure import DECLINED
from unlatch.cli.terminal import output, prompts
from unlatch.cli.terminal.columns import cells
from unlatch.cli.terminal.room import has_room

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from prompt_toolkit.completion import Completion

    from unlatch.increments.model.link import Link


_KEYS = "Type to search, arrows move, Enter chooses, Esc leaves"
_NONE = "  No match"
_GAP = "  "
_MOST_SHOWN = 12


def pick(question: str, rows: Mapping[str, Sequence[str]]) -> str:
    """The key of the row that the user picks.

    Args:
        rows: the cells of each row, which are searched; the likely ones first.

    Raises:
        prompts.Unanswered: the user interrupted it.
        click.exceptions.Exit: the user left it, with exit code 2.
    """
    screen = create_output(stdout=sys.stderr)
    if isinstance(screen, Vt100_Output):
        # The menu needs no place of the cursor, and a terminal that does not tell it got a warning.
        screen.enable_cpr = False
    lines = _lay_out(rows, screen.get_size().columns)
    try:
        line = _Menu(question, [*lines]).application(screen).run()
    except (KeyboardInterrupt, EOFError) as end:
        raise prompts.Unanswered from end
    if line is None:
        output.talk("Nothing was changed.")
        raise click.exceptions.Exit(DECLINED)
    picked = lines[line]
    output.talk(f"{question}{picked}")
    return picked


def _lay_out(rows: Mapping[str, Sequence[str]], columns: int) -> dict[str, str]:
    """The key of each row, by its line; a long cell moves the others of its own row alone."""
    most = columns // 3
    widths = [min(most, max(map(cells, column))) for column in zip(*rows.values(), strict=True)]
    return {
        _GAP.join(
            f"{cell}{' ' * (width - cells(cell))}" for cell, width in zip(row, widths, strict=True)
        ).rstrip(): key
        for key, row in rows.items()
    }


class _Menu:
    """The rows that match what is typed, and the one that Enter takes."""

    def __init__(self, question: str, lines: Sequence[str]) -> None:
        # A row is searched as a whole, with its spaces.
        completer = FuzzyCompleter(WordCompleter(lines, sentence=True), pattern=r"^.*")
        self._found = lru_cache(maxsize=1)(lambda text: _matches(completer, text))
        self._typed = Buffer(multiline=False, on_text_changed=lambda _: self._choose(0))
        self._question = question
        self._chosen = 0

    def application(self, screen: Output) -> Application[str | None]:
        typed = BufferControl(self._typed, input_processors=[BeforeInput(self._question)])
        rows = Window(FormattedTextControl(self._rows), dont_extend_height=True)
        keys = Window(FormattedTextControl(_KEYS), wrap_lines=True, dont_extend_height=True)
        return Application(
            Layout(HSplit([keys, Window(typed, height=1), rows])),
            key_bindings=self._bindings(),
            erase_when_done=True,
            output=screen,
        )

    def _choose(self, number: int) -> None:
        self._chosen = max(0, min(number, len(self._found(self._typed.text)) - 1))

    def _rows(self) -> StyleAndTextTuples:
        matches = self._found(self._typed.text)
        if not matches:
            return [("", _NONE)]
        first = max(0, self._chosen - _MOST_SHOWN + 1)
        drawn: StyleAndTextTuples = []
        for number, match in enumerate(matches[first : first + _MOST_SHOWN], first):
            is_chosen = number == self._chosen
            style = "reverse" if is_chosen else ""
            if is_chosen:
                drawn.append(("[SetCursorPosition]", ""))
            drawn.append((style, "> " if is_chosen else _GAP))
            drawn += to_formatted_text(match.display, style=style)
            drawn.append(("", "\n"))
        return drawn[:-1]

    def _bindings(self) -> KeyBindings:
        keys = KeyBindings()
        keys.add("enter")(self._take)
        keys.add("down")(lambda _: self._choose(self._chosen + 1))
        keys.add("up")(lambda _: self._choose(self._chosen - 1))
        # Without `eager` it would wait for the rest of a key's sequence.
        keys.add("escape", eager=True)(_leave)
        for key in ("c-c", "<sigint>", "c-d"):
            keys.add(key)(_interrupt)
        return keys

    def _take(self, event: KeyPressEvent) -> None:
        matches = self._found(self._typed.text)
        if matches and has_room():
            event.app.exit(result=matches[self._chosen].text)


def _matches(completer: Completer, text: str) -> Sequence[Completion]:
    return [*completer.get_completions(Document(text), CompleteEvent())]


def _leave(event: KeyPressEvent) -> None:
    event.app.exit(result=None)


def _interrupt(event: KeyPressEvent) -> None:
    event.app.exit(exception=KeyboardInterrupt)


def pick_link(links: Sequence[Link], question: str) -> Link | None:
    """The only link, or the one that the user picks; None without a terminal that shows a menu.

    Raises:
        prompts.Unanswered: the user interrupted it.
        click.exceptions.Exit: the user left it, with exit code 2.
    """
    if len(links) == 1:
        return links[0]
    if not (links and can_pick()):
        return None

    by_key = {f"{link.tracker} {link.key}": link for link in links}
    rows = {
        key: [output.clean(link.tracker), output.clean(link.key)] for key, link in by_key.items()
    }
    return by_key[pick(question, rows)]
