"""The rows of a CSV file of links, written by unlatch, a person or a spreadsheet."""

import csv
import re
from collections.abc import Sequence
from typing import NamedTuple

from unlatch.worklog.text.neutral import without_apostrophe

HEADER = ("increment", "url")
# Spreadsheets of many countries save semicolons, and some programs tabs.
_SEPARATORS = (",", ";", "\t")
# Excel's own line for the separator.
_NAMED = re.compile(r"sep=(.)", re.IGNORECASE)
_EXPECTED = "INCREMENT,URL"


class Row(NamedTuple):
    """One line of the file: an increment and an address, as written."""

    line: int
    wanted: str
    url: str


def read_rows(text: str) -> tuple[list[Row], list[str]]:
    """Read a file with the columns increment and url; returns rows and mistakes.

    The first line may hold the columns' names; then they may stand in any order, among others.
    Without it they are the first two. Empty lines are skipped.
    """
    lines = [*enumerate(text.removeprefix("\ufeff").splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line.strip()]
    separator = ","
    if lines and (named := _NAMED.fullmatch(lines[0][1].strip(' "'))):
        separator = named[1]
        del lines[0]
    elif lines:
        separator = _separator(lines[0][1])
    places: Sequence[int] = (0, 1)
    rows: list[Row] = []
    mistakes: list[str] = []
    for position, (number, line) in enumerate(lines):
        # Read line by line, so that an unclosed quote affects only its own line.
        try:
            values = _cells(line, separator)
        except csv.Error as error:
            mistakes.append(f"line {number}: {error}")
            continue
        if position == 0 and (found := _header(values)):
            places = found
        elif any(values):
            wanted, url = (values[one] if one < len(values) else "" for one in places)
            if wanted and url:
                rows.append(Row(number, wanted, url))
            else:
                mistakes.append(f"line {number}: expected {_EXPECTED}")
    return rows, mistakes


def _cells(line: str, separator: str) -> list[str]:
    cells = next(csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True), [])
    return [without_apostrophe(cell.strip()) for cell in cells]


def _header(values: Sequence[str]) -> Sequence[int] | None:
    """The places of the columns; None if this line does not name them."""
    names = [one.casefold() for one in values]
    return [names.index(one) for one in HEADER] if set(HEADER) <= set(names) else None


def _separator(line: str) -> str:
    """The separator with which a line names the columns, or has an address as its second cell."""
    for one in _SEPARATORS:
        try:
            values = _cells(line, one)
        except csv.Error:
            continue
        if _header(values) or "://" in "".join(values[1:2]):
            return one
    return _SEPARATORS[0]
