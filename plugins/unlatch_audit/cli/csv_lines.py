"""Lines of CSV that spreadsheets take for data."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Starts of a formula in a spreadsheet (OWASP, "CSV Injection"); an apostrophe makes it a text.
# Full-width and small signs count in spreadsheets of East Asia; some skip space and line ends.
_FORMULA = r"['\s]*[-=+@\uff0d\uff1d\uff0b\uff20\ufe63\ufe66\ufe62\ufe6b]|'*[\t\r\n]"
_TEXT = "'"
_QUOTED = "\r\n;"


def csv_line(cells: Iterable[str]) -> str:
    """A line of CSV; a cell that a spreadsheet would take for a formula gets an apostrophe."""
    stream = io.StringIO()
    # Line ends are quoted in a cell. Spreadsheets of many countries split at semicolons.
    csv.writer(stream, lineterminator=_QUOTED).writerow(
        f"{_TEXT}{cell}" if re.match(_FORMULA, cell) else cell for cell in cells
    )
    return stream.getvalue().removesuffix(_QUOTED)
