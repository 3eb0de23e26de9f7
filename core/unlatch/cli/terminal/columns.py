"""Lay out rows of cells to fit the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    Rows = Sequence[Sequence[str]]

_GAP = "  "
# Narrower than this, a wrapped cell is hard to read.
_LEAST = 18
_COLUMN = pattern(r"\S+(?: \S+)*? {2,}")


def lay_out(rows: Rows, *, flexible: Collection[int], width: int | None) -> list[list[str]]:
    """The lines of each row; only cells of the columns `flexible` are wrapped.

    If the other columns leave too little room, each row begins with a line of its first cell.

    Args:
        width: the cells of the terminal; None for a line per row.
    """
    natural = [max(map(_measure(column), column)) for column in zip(*rows, strict=True)]
    gaps = len(_GAP) * (len(natural) - 1)
    room = None if width is None else width - gaps - sum(natural)
    if room is None or room >= 0:
        columns = zip(*rows, strict=True)
        padded = [_padded(column, width) for column, width in zip(columns, natural, strict=True)]
        return [[_GAP.join(row).rstrip()] for row in zip(*padded, strict=True)]
    wrapped = {number: natural[number] for number in flexible}
    shares = _shares(wrapped, room + sum(wrapped.values()))
    is_readable = bool(wrapped) and all(shares[n] >= min(_LEAST, wrapped[n]) for n in wrapped)
    if len(natural) == 1 or is_readable:
        widths = [max(shares.get(number, width), 1) for number, width in enumerate(natural)]
        return [[*_wrapped_lines(row, widths, shares)] for row in rows]
    rest = [row[1:] for row in rows]
    below = lay_out(rest, flexible=[n - 1 for n in flexible if n], width=(width or 0) - len(_GAP))
    return [
        [
            *(wrap(row[0], width or 1) if 0 in flexible else row[:1]),
            *(f"{_GAP}{line}" for line in lines if line),
        ]
        for row, lines in zip(rows, below, strict=True)
    ]


def _shares(wanted: dict[int, int], room: int) -> dict[int, int]:
    """The widths of columns that share the room, each at most as wide as wanted."""
    shares = {}
    for left, (number, width) in enumerate(
        sorted(wanted.items(), key=lambda numbered: numbered[1])
    ):
        shares[number] = min(width, room // (len(wanted) - left))
        room -= shares[number]
    return shares


def _wrapped_lines(
    row: Sequence[str], widths: Sequence[int], flexible: Collection[int]
) -> Iterator[str]:
    columns = [
        wrap(cell, widths[number]) if number in flexible else [cell]
        for number, cell in enumerate(row)
    ]
    for number in range(max(map(len, columns))):
        yield _line([column[number] if number < len(column) else "" for column in columns], widths)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = [_padded([cell], width)[0] for cell, width in zip(row, widths, strict=True)]
    return _GAP.join(padded).rstrip()


def _padded(column: Sequence[str], width: int) -> list[str]:
    measure = _measure(column)
    if measure is len:  # a long list is padded by Python
        return [cell.ljust(width) for cell in column]
    return [f"{cell}{' ' * (width - measure(cell))}" for cell in column]


def _measure(column: Sequence[str]) -> Callable[[str], int]:
    """The function that counts the terminal cells of each text."""
    return len if all(map(str.isascii, column)) else cells


def wrap(text: str, width: int) -> list[str]:
    """A text in lines of at most `width` cells, broken at spaces if possible."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if cells(longer) <= width:
            lines[-1] = longer
        else:
            lines += _pieces(word, width)
    return lines[1:] if len(lines) > 1 and not lines[0] else lines


def hanging(head: str, text: str, *, width: int | None, cells: Callable[[str], int]) -> list[str]:
    """A text behind its head in lines of at most `width` cells; longer words stay whole."""
    if width is None or cells(f"{head}{text}") <= width:
        return [f"{head}{text}"]
    first, *words = text.split(" ")
    # Behind a long head there would be little room.
    is_long = cells(head) > width // 2
    indent = " " * (4 if is_long else cells(head))
    lines = [f"{head}{first}"]
    if is_long and cells(lines[0]) > width:
        lines = [head.rstrip(), f"{indent}{first}"]
    for word in words:
        if cells(longer := f"{lines[-1]} {word}") <= width:
            lines[-1] = longer
        else:
            lines.append(f"{indent}{word}")
    return lines


def fitted(line: str, *, width: int, cells: Callable[[str], int]) -> list[str]:
    """A line in lines of at most `width` cells, broken at spaces, below its first column if any.

    Commands stay whole, so that they can be copied, and so do longer words.
    """
    if cells(line) <= width:
        return [line]
    text = line.lstrip(" ")
    margin = len(line) - len(text)
    column = _COLUMN.match(text)
    head = margin + (cells(column[0]) if column else 0)
    indent = " " * (head if column and head <= width // 2 else margin + 4)
    first, *words = _unbroken(text)
    lines = [f"{' ' * margin}{first}"]
    for word in words:
        longer = f"{lines[-1]} {word}"
        # A word that fits on no line follows one that does.
        follows = cells(word) > width - len(indent) and cells(lines[-1]) <= width
        if follows or cells(longer) <= width:
            lines[-1] = longer
        elif word:
            lines.append(f"{indent}{word}")
    return lines


def _unbroken(text: str) -> Iterator[str]:
    """The words of a text, a command as one word."""
    command: list[str] = []
    quotes = 0
    for word in text.split(" "):
        if not command and word != "unlatch":
            yield word
            continue
        command.append(word)
        quotes += word.count("'")
        if word[-1:] in (";", ",") and quotes % 2 == 0:
            yield " ".join(command)
            command, quotes = [], 0
    if command:
        yield " ".join(command)


def _pieces(word: str, width: int) -> list[str]:
    if cells(word) <= width:
        return [word]
    from rich.cells import chop_cells  # noqa: PLC0415  (rarely needed)

    return chop_cells(word, width)


def cells(text: str) -> int:
    """The number of terminal cells of a text."""
    if text.isascii():
        return len(text)
    # Only this part of rich: its tables take longer than `list`.
    from rich.cells import cell_len  # noqa: PLC0415  (most commands do without)

    return cell_len(text)
