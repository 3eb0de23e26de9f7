"""Escape characters that act or deceive where text is shown.

Sources: ECMA-48 (C0 and C1 controls), UAX #9 (bidirectional controls; CVE-2021-42574), UTS #39
(characters that are not seen).
"""

import json
import re
from collections.abc import Iterable

_DROPPED = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and line feed, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # they change the order of what is read
    "\u00ad\u180e\u200b\u2060-\u2065\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"  # not seen
)
_ACTING = (
    f"{_DROPPED}"
    "\u2028\u2029"  # other ends of lines
    "\ud800-\udfff"  # halves of characters: bytes of a file's name that are not UTF-8
)
# Between letters of some scripts, and in emoji, these two have a meaning; next to ASCII they hide.
_JOINER = "(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
# A character has at most one variation selector; a row of them can hold a text.
_SELECTOR = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
# Compiled when a text has such a character, which is rare.
_IN_A_LINE = f"[\n{_ACTING}]|{_JOINER}"
_IN_JSON = f"[{_ACTING}]|{_JOINER}"
_IN_TEXT = f"[{_DROPPED}]|{_JOINER}|(?<={_SELECTOR}){_SELECTOR}"
_ENDS = "\r\n?|[\u2028\u2029]"

# Starts of a formula in a spreadsheet (OWASP, "CSV Injection"); an apostrophe makes it a text.
# Full-width and small signs count in spreadsheets of East Asia; some skip space and line ends.
_FORMULA = r"['\s]*[-=+@\uff0d\uff1d\uff0b\uff20\ufe63\ufe66\ufe62\ufe6b]|'*[\t\r\n]"
_TEXT = "'"
_QUOTED = "\r\n;"


def without_controls(text: str) -> str:
    """`text` without characters that act or are not seen; newlines and tabs stay.

    Trackers drop or refuse control characters, and in a terminal they act. A model reads what a
    person does not see. Halves of characters stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_IN_TEXT, "", re.sub(_ENDS, "\n", text))


def visible(line: str) -> str:
    """One line in which each acting character is shown as a backslash escape; tabs stay."""
    if line.isprintable():
        return line
    return re.sub(_IN_A_LINE, lambda found: found[0].encode("unicode_escape").decode(), line)


def for_json(document: str) -> str:
    """The same JSON document with these characters escaped, so that it means the same."""
    # Checking that a line is printable is quicker than a search, and nearly all lines are.
    return "\n".join(
        line if line.isprintable() else re.sub(_IN_JSON, _json_escape, line)
        for line in document.split("\n")
    )


def _json_escape(found: re.Match[str]) -> str:
    # json leaves DEL alone, for it is ASCII.
    return "\\u007f" if found[0] == "\x7f" else json.dumps(found[0])[1:-1]


def csv_line(cells: Iterable[str]) -> str:
    """A line of CSV; a cell that a spreadsheet would take for a formula gets an apostrophe."""
    import csv  # noqa: PLC0415  (needed rarely)
    import io  # noqa: PLC0415

    stream = io.StringIO()
    # Line ends are quoted in a cell. Spreadsheets of many countries split at semicolons.
    csv.writer(stream, lineterminator=_QUOTED).writerow(
        f"{_TEXT}{cell}" if re.match(_FORMULA, cell) else cell for cell in cells
    )
    return stream.getvalue().removesuffix(_QUOTED)


def without_apostrophe(cell: str) -> str:
    """The original of a cell of `csv_line`."""
    return cell.removeprefix(_TEXT) if re.match(_FORMULA, cell) else cell
