"""Showing things: data to stdout, talk to stderr, and nothing that a terminal would act on."""

from __future__ import annotations

import json
import os
import sys
from typing import IO, TYPE_CHECKING, Any

import click

from unlatch.domain.text import without_controls

if TYPE_CHECKING:
    from collections.abc import Sequence

_PIPED_WIDTH = 1000
_SIGNS = {"ok": ("✓", "OK"), "no": ("✗", "FAILED"), "wait": ("…", "..."), "arrow": ("→", "->")}


def clean(text: str) -> str:
    """Text from people and trackers on one line, without what a terminal would act on."""
    return " ".join(without_controls(text).split())


def data(text: str = "") -> None:
    """A line of what was asked for."""
    click.echo(text, color=_colour(sys.stdout))


def talk(text: str = "") -> None:
    """A line about what is going on."""
    sys.stdout.flush()  # both may go to one place, and the order tells the story
    click.echo(text, err=True, color=_colour(sys.stderr))


def document(value: Any) -> None:
    """One JSON document; in ASCII where the stream takes no more."""
    ascii_only = (sys.stdout.encoding or "ascii").lower().replace("-", "") != "utf8"
    click.echo(json.dumps(value, indent=2, ensure_ascii=ascii_only))


def sign(name: str, stream: IO[str] | None = None) -> str:
    """A sign, or its words where the stream cannot encode it."""
    rich, plain = _SIGNS[name]
    try:
        rich.encode(getattr(stream or sys.stdout, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return plain
    return rich


def good(text: str) -> str:
    """Text in the colour of success."""
    return click.style(text, fg="green")


def bad(text: str) -> str:
    """Text in the colour of failure."""
    return click.style(text, fg="red")


def warn(text: str) -> str:
    """Text in the colour of what needs attention."""
    return click.style(text, fg="yellow")


def faint(text: str) -> str:
    """Text that steps back."""
    return click.style(text, dim=True)


def strong(text: str) -> str:
    """Text that stands out."""
    return click.style(text, bold=True)


def table(headings: tuple[str, ...], rows: Sequence[tuple[str, ...]], *, flexible: int) -> None:
    """A table; the column `flexible` is cut short where the terminal is too narrow for all.

    Without a terminal nothing is cut: a line is a row.
    """
    from rich.console import Console  # noqa: PLC0415  (slow to load, and most commands do without)
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, heading in enumerate(headings):
        kept = number != flexible
        drawn.add_column(
            heading,
            no_wrap=True,
            overflow="ellipsis",
            min_width=(kept and len(max((row[number] for row in (headings, *rows)), key=len)))
            or None,
        )
    for row in rows:
        drawn.add_row(*(Text(clean(cell)) for cell in row))
    on_terminal = sys.stdout.isatty()
    console = Console(
        file=sys.stdout,
        width=None if on_terminal else _PIPED_WIDTH,
        no_color=not _colour(sys.stdout),
        legacy_windows=False,
    )
    with console.capture() as shown:
        console.print(drawn)
    for line in shown.get().splitlines():
        data(line.rstrip())


def _colour(stream: IO[str]) -> bool | None:
    # https://no-color.org: present and not empty means no colour.
    if os.environ.get("NO_COLOR"):
        return False
    return stream.isatty()
