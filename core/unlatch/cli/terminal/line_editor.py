"""Read text from the terminal, with the editing keys of a shell."""

import os
import select
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import click

from unlatch.patterns import pattern
from unlatch.worklog.text.neutral import without_controls

_STDOUT, _STDERR = 1, 2
# The bytes of arrow and function keys, if no line editor handles them.
_KEYS = pattern(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[A-Za-z])")


def read_text(question: str, *, history: bool = False, earlier: Sequence[str] = ()) -> str:
    """Ask for a text on the terminal, which may be a paste of several lines.

    Args:
        history: the arrow keys bring earlier texts of this process.
        earlier: further texts that they bring, the newest last.

    Raises:
        click.Abort: the user ended the input.
    """
    _load_keys(earlier, history=history)
    try:
        with data_apart():
            lines = [input(question)]
    except EOFError as end:
        raise click.Abort from end
    # A terminal that does not mark a paste sends each line as if typed. Without this the shell
    # would run them.
    while _is_waiting() and (line := sys.stdin.readline()):
        lines.append(line.rstrip("\n"))
    return without_controls(_KEYS.sub("", "\n".join(lines))).strip()


def _load_keys(earlier: Sequence[str], *, history: bool) -> None:
    """Let `input` edit lines, and its arrow keys bring earlier texts."""
    with suppress(ImportError):  # consoles of Windows edit lines themselves
        import readline  # noqa: PLC0415  (only a prompt needs it)

        readline.set_auto_history(history)
        for text in earlier:
            readline.add_history(text)


@contextmanager
def data_apart() -> Iterator[None]:
    """Send what other code writes to stdout to the terminal, so that it is no part of the data."""
    sys.stdout.flush()
    data = os.dup(_STDOUT)
    try:
        os.dup2(_STDERR, _STDOUT)
        yield
    finally:
        os.dup2(data, _STDOUT)
        os.close(data)


def _is_waiting() -> bool:
    with suppress(OSError, ValueError):  # select knows only sockets on Windows
        return bool(select.select([sys.stdin], [], [], 0)[0])
    return False
