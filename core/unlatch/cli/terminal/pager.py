"""Show long output at a terminal in the user's pager.

The rules are git's (git-config(1), core.pager): UNLATCH_PAGER, else PAGER, else less; `cat` or an
empty value for none; LESS=FRX and LV=-c unless they are set. Other than git, no pager starts for
output that fits the screen, and none is a command for a shell or a setting of a repository.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import IO, TYPE_CHECKING

from unlatch.cli.terminal import output
from unlatch.cli.terminal.columns import cells
from unlatch.worklog.search_path import find_program

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    Texts = Sequence[tuple[str, IO[str]]]

_VARIABLES = ("UNLATCH_PAGER", "PAGER")
_DEFAULT = "less"
_ENVIRON = {"LESS": "FRX", "LV": "-c"}
_STYLE = re.compile(r"\x1b\[[0-9;]*m")


@contextmanager
def paged(*, apart: Path | None = None) -> Iterator[None]:
    """Collect the output at a terminal, and show it at the end; do not prompt in between.

    Args:
        apart: the project's folder, from which no program is started.
    """
    if not sys.stdout.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield
        return
    texts: list[tuple[str, IO[str]]] = []
    output.held.append(texts)
    ended = False
    try:
        yield
        ended = True
    finally:
        output.held.pop()
        program = _program(apart) if ended and not _fits(texts) else []
        if not (program and _page(program, texts)):
            for text, stream in texts:
                output.echo(text, stream)


def _fits(texts: Texts) -> bool:
    """Whether a text leaves a line of the screen for the next prompt."""
    columns, lines = get_terminal_size()
    lines_shown = (line for text, _ in texts for line in _STYLE.sub("", text).split("\n"))
    return lines > sum(max(1, -(-cells(line) // max(columns, 1))) for line in lines_shown)


def _program(apart: Path | None) -> list[str]:
    """The pager and its arguments; empty for none."""
    name = next((variable for variable in _VARIABLES if variable in os.environ), None)
    command = os.environ[name] if name else _DEFAULT
    try:
        first, *arguments = shlex.split(command) or ("cat",)
    except ValueError:
        output.note(f"{name} has an open quotation mark; the output is not paged")
        return []
    if first == "cat":
        return []
    program = find_program(first, apart=apart)
    if program is None and name:
        output.note(f"the pager {first!r} of {name} is not found")
    return [program, *arguments] if program else []


def _page(program: Sequence[str], texts: Texts) -> bool:
    """Show texts in a pager until the user leaves it; False if it cannot be started."""
    import signal  # noqa: PLC0415  (only for long output at a terminal)
    import subprocess  # noqa: PLC0415

    content = "".join(f"{text}\n" for text, _ in texts)
    encoding = sys.stdout.encoding or "ascii"
    try:
        process = subprocess.Popen(  # noqa: S603  (an argument list of the user's environment)
            program, stdin=subprocess.PIPE, env=_ENVIRON | os.environ
        )
    except OSError as error:
        output.note(f"the pager cannot be started: {error.strerror}")
        return False
    # Ctrl-C belongs to the pager, as less stops a search with it.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process.communicate(content.encode(encoding, errors="replace"))
    finally:
        signal.signal(signal.SIGINT, before)
    return True
