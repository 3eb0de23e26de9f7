"""Output: data to stdout, messages to stderr, without terminal control sequences.

All output to a terminal passes through here; only our own styles stay unchanged. Safety does not
depend on a caller's `clean`.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache, partial
from typing import IO, Any

from unlatch.cli.terminal.columns import cells, fitted, hanging, lay_out
from unlatch.errors.known_secrets import without_known_secrets
from unlatch.patterns import pattern
from unlatch.worklog.disk import system
from unlatch.worklog.text.neutral import for_json, visible, without_controls, without_passwords
from unlatch.worklog.times import stamp

# An object of a JSON document; tools/document_schemas lists the keys of each.
Json = dict[str, Any]
# Commands of Azure Pipelines and GitHub Actions.
_CI_COMMAND = pattern(r"##(?=(?:vso)?\[)|^:(?=:)")
# The same in whole lines; GitHub ignores leading space.
_CI_LINE = pattern(r"##(?=(?:vso)?\[)|(?:^|(?<=\r))[^\S\r\n]*:(?=:)", re.MULTILINE)
# In a line of plain texts that bars separate: space around a text, or a CI command.
_UNCLEAN = ("  ", "| ", " |", "##", "::")
_FAILURES: list[OSError] = []
# Texts for a terminal that a pager may show; pager.py.
held: list[list[tuple[str, IO[str]]]] = []


def clean(text: str) -> str:
    """Text from people and trackers on one line, without terminal control sequences."""
    if text.isprintable() and text.isascii() and "  " not in text and text == text.strip():
        # Ruling out a CI command is quicker than a search for one.
        return text if "##" not in text and "::" not in text else harmless(text)
    return harmless(" ".join(text.split()))


def _clean_all(texts: Sequence[str]) -> Sequence[str]:
    """Each text as from `clean`; a long column is checked as a whole, as most are plain."""
    whole = f"|{'|'.join(texts)}|"
    if whole.isascii() and whole.isprintable() and not any(sign in whole for sign in _UNCLEAN):
        return texts
    return [*map(clean, texts)]


def harmless(text: str) -> str:
    """Text without control sequences of terminals and commands of CI systems."""
    return _CI_COMMAND.sub(r"\g<0> ", without_controls(text))


def data(*lines: str) -> None:
    """Write data to stdout; line breaks within a line are escaped."""
    _write(_fitted(lines, sys.stdout), sys.stdout)


def verbatim(*lines: str) -> None:
    """Write lines for programs, such as CSV or a script, to stdout: no terminal breaks them."""
    _write(lines, sys.stdout)


def talk(*lines: str) -> None:
    """Write messages to stderr; line breaks within a line are escaped."""
    _write(_fitted(lines, sys.stderr), sys.stderr)


def ok(text: str) -> None:
    data(f"{good(sign('ok'))} {text}")


def failed(text: str, hint: str | None = None) -> None:
    """Write a line of data that reports a failure, and the next step below it."""
    data(f"{bad(sign('no'))} {text}", *([f"    {clean(hint)}"] if hint else []))


def note(text: str) -> None:
    talk(*hang(f"{warn('note:')} ", clean(text), aside=True))


def remark(text: str, id: str | None = None) -> None:
    """Write a note about the line above it to stderr, with the id of its error if it has one."""
    behind = f" {faint(f'[{id}]')}" if id else ""
    talk(*hang(f"    {warn('note:')} ", f"{clean(text)}{behind}", aside=True))


def traceback(error: BaseException) -> None:
    from traceback import format_exception  # noqa: PLC0415  (slow to load, and rarely wanted)

    talk(*without_passwords("".join(format_exception(error))).removesuffix("\n").split("\n"))


def piece(text: str) -> None:
    """Write a part of a text to a terminal as it arrives, with its line breaks."""
    visible_text = "\n".join(map(visible, without_controls(text).split("\n")))
    with suppress(OSError):
        _print(without_known_secrets(visible_text), sys.stdout)


def fields(source: object, *names: str) -> Json:
    """Attributes as parts of a document, in camelCase; null for those of None, times as texts."""
    return {_key(name): None if source is None else _value(getattr(source, name)) for name in names}


@cache
def _key(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _value(value: Any) -> Any:
    return stamp(value) if isinstance(value, datetime) else value


def document(name: str, code: int = 0, /, **parts: Any) -> None:
    """Print the JSON document of a command that ends with this exit code; docs/json.md."""
    document_again(whole_document(name, code, **parts))


def whole_document(name: str, code: int = 0, /, **parts: Any) -> Json:
    """The same document, not printed."""
    return {"schema": f"unlatch.{name}/1", **parts, "exitCode": code}


def document_again(whole: Json) -> None:
    """Print a whole document."""
    _json(json.dumps(whole, indent=2, ensure_ascii=_is_ascii()))


def document_list(entries: Iterable[Json]) -> None:
    """Print a JSON array, an entry a line: indenting a long list takes longer than finding it."""
    encode = json.JSONEncoder(ensure_ascii=_is_ascii()).encode
    _json("[\n" + ",\n".join(f"  {encode(entry)}" for entry in entries) + "\n]")


def _is_ascii() -> bool:
    return (sys.stdout.encoding or "ascii").lower().replace("-", "") != "utf8"


def _json(text: str) -> None:
    # The same value, spelled so that Azure Pipelines sees no command.
    text = for_json(text)
    echo(re.sub(r"##(vso)?\[", r"##\1\\u005b", text) if "##" in text else text, sys.stdout)


def command(text: str) -> None:
    """Write a command to the CI system; its parts are already escaped."""
    echo(visible(text), sys.stderr)


def _fitted(lines: Sequence[str], stream: IO[str]) -> Sequence[str]:
    """The lines; at a terminal that is too narrow, broken at spaces."""
    if not stream.isatty():
        return lines
    width = columns()
    return [part for line in lines for part in fitted(line, width=width, cells=_visible_cells)]


def _write(lines: Sequence[str], stream: IO[str]) -> None:
    if not lines:
        return
    colour = _colour(stream)
    text = "\n".join([_neutral(line, colour=bool(colour)) for line in lines])
    if "##" in text or "::" in text:
        text = _CI_LINE.sub(r"\g<0> ", text)
    echo(text, stream)


def _neutral(line: str, *, colour: bool) -> str:
    if "\x1b" not in line:
        return visible(line)
    # Texts, and between them the numbers of our own styles.
    parts = STYLE.split(line)
    if not colour:
        return visible("".join(parts[::2]))
    parts[::2] = map(visible, parts[::2])
    parts[1::2] = [f"\x1b[{style}m" for style in parts[1::2]]
    return "".join(parts)


def echo(text: str, stream: IO[str]) -> None:
    text = without_known_secrets(text)
    if held and stream.isatty():
        held[-1].append((text, stream))
        return
    try:
        _print(f"{text}\n", stream)
    except OSError as error:
        _give_up(stream, error)


def _print(text: str, stream: IO[str]) -> None:
    system.write_text(text, stream, coloured=_colour(stream))


def _give_up(stream: IO[str], error: OSError) -> None:
    # The reader is gone, or the disk is full. That must not stop a delivery, so further output is
    # dropped.
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    if stream is sys.stdout and not isinstance(error, BrokenPipeError):
        _FAILURES.append(error)


def is_stdout_lost() -> bool:
    """Whether writing to stdout failed; `take_failure` has the cause."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _give_up(sys.stdout, error)
        return True
    return False


def take_failure() -> OSError | None:
    """Return and clear the first failure to write to stdout, except a closed pipe."""
    failed = next(iter(_FAILURES), None)
    _FAILURES.clear()
    return failed


def table(
    headings: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    *,
    flexible: tuple[int, ...],
    aside: bool = False,
) -> None:
    """Write a table; if the terminal is too narrow, wrap the columns `flexible`.

    Without a terminal a line is a row.

    Args:
        aside: write it to stderr.
    """
    stream = sys.stderr if aside else sys.stdout
    first, *others = lay_out(
        [headings, *zip(*map(_clean_all, zip(*rows, strict=True)), strict=True)],
        flexible=flexible,
        width=columns() if stream.isatty() else None,
    )
    _write([*map(strong, first), *(line for row in others for line in row)], stream)


def hang(head: str, text: str, *, aside: bool = False) -> list[str]:
    """The lines of a text behind its head; at a terminal that is too narrow, broken at spaces.

    Longer words, such as addresses, stay whole.

    Args:
        aside: they are for stderr.
    """
    width = columns() if (sys.stderr if aside else sys.stdout).isatty() else None
    return hanging(head, text, width=width, cells=_visible_cells)


def _visible_cells(text: str) -> int:
    return cells(STYLE.sub("", text))


def columns() -> int:
    from shutil import get_terminal_size  # noqa: PLC0415

    return get_terminal_size().columns


def _colour(stream: IO[str]) -> bool | None:
    # https://no-color.org: present and not empty means no colour.
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


# Part of each of our styles, so that text from outside cannot contain one.
_KEY = int.from_bytes(os.urandom(8), "big")
STYLE = pattern(rf"\x1b\[(\d+);{_KEY}m")
_RESET, _BOLD, _DIM, _RED, _GREEN, _YELLOW = 0, 1, 2, 31, 32, 33
_SIGNS = {
    "ok": ("✓", "OK"),
    "no": ("✗", "FAILED"),
    "wait": ("…", "..."),
    "arrow": ("→", "->"),
    "bar": ("█", "#"),
}


def sign(name: str, stream: IO[str] | None = None) -> str:
    """A sign, or its words where the stream cannot encode it."""
    rich, plain = _SIGNS[name]
    try:
        rich.encode(getattr(stream or sys.stdout, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return plain
    return rich


def _styled(text: str, style: int) -> str:
    return f"\x1b[{style};{_KEY}m{text}\x1b[{_RESET};{_KEY}m"


# Text for success, failure and attention; faint and strong text.
good = partial(_styled, style=_GREEN)
bad = partial(_styled, style=_RED)
warn = partial(_styled, style=_YELLOW)
faint = partial(_styled, style=_DIM)
strong = partial(_styled, style=_BOLD)
