"""The YAML front matter of a session: read whole, and changed key by key.

Only the lines of a changed key are rewritten; others stay byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from unlatch.errors import StoreError
from unlatch.worklog.text.markdown_lines import line_ending
from unlatch.worklog.text.parsing import MOST_CHARACTERS, BadYaml, load_yaml

# In one way only: of two ways for each line, the number of all doubles with every line.
_LINE_END = r"(?:\r\n?+|\n)"
_BLOCK = re.compile(
    rf"\ufeff?---[ \t]*+{_LINE_END}"
    rf"(?P<body>(?:[^\r\n]*+{_LINE_END})*?)(?:---|\.\.\.)[ \t]*+(?:{_LINE_END}|\Z)"
)
# A key at the margin and the lines of its value: indented lines, list items, and empty lines
# between them.
_GOES_ON = rf"(?:[ \t]*+{_LINE_END})*+(?:[ \t]++[^\s]|-[ \t])[^\r\n]*+{_LINE_END}"
# YAML reads these as text without quotes; unlatch also reads times as text.
_PLAIN = re.compile(r"[A-Za-z_][\w./@+-]*(?: [\w./@+-]+)*|\d{4}-\d{2}-\d{2}[\w:-]+", re.ASCII)
_NOT_PLAIN = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
# Of a conflict in git, and the id of its error.
IN_CONFLICT = "session-in-conflict"
MARKER = "<<<<<<< "
_MARKERS = re.compile(rf"^{MARKER}", re.MULTILINE)
# How far a file without front matter is searched for them.
_LONGEST = 4096
_HINT = "correct it, or restore the file if git tracks it"

Scalar = str | int | None
Value = Scalar | Sequence[str] | Sequence[Mapping[str, Scalar]]


def read(text: str) -> dict[str, Any]:
    """The front matter, each scalar as its text.

    Raises:
        StoreError: `session-damaged` or `session-in-conflict`.
    """
    block = _BLOCK.match(text)
    if match := _MARKERS.search(text, 0, block.end() if block else _LONGEST):
        raise in_conflict(text.count("\n", 0, match.start()) + 1)
    if block is None:
        raise _damaged("it has no front matter between two lines of ---", 1)
    if block.end() > MOST_CHARACTERS:
        raise _damaged(f"the front matter has more than {MOST_CHARACTERS:,} characters", 1)
    try:
        fields = load_yaml(block["body"])
    except BadYaml as error:
        line = 1 if error.line is None else error.line + 2
        raise _damaged(f"the front matter is not YAML: {error}", line) from None
    if not isinstance(fields, dict):
        raise _damaged("the front matter is not a mapping", 1)
    return fields


def our_side(text: str) -> str:
    """The text of our side of git's conflicts, as far as its front matter."""
    kept, is_ours = [], True
    for line in text.splitlines(keepends=True):
        match line[: len(MARKER) - 1]:
            case "<<<<<<<" | ">>>>>>>":
                is_ours = True
            case "|||||||" | "=======":
                is_ours = False
            case _ if is_ours:
                kept.append(line)
    return "".join(kept)


def body_offset(text: str) -> int:
    """The offset of the text behind the front matter."""
    block = _BLOCK.match(text)
    return block.end() if block else 0


def with_values(text: str, values: Mapping[str, Value]) -> str:
    """The text with these keys of the front matter; a new key becomes its last.

    Raises:
        StoreError: `session-damaged`.
    """
    for key, value in values.items():
        text = _with_value(text, key, value)
    return text


def written(values: Mapping[str, Value]) -> str:
    """A whole front matter."""
    return "---\n" + "".join(_lines(key, value, "\n") for key, value in values.items()) + "---\n"


def _with_value(text: str, key: str, value: Value) -> str:
    block = _BLOCK.match(text)
    if block is None:
        raise _damaged("it has no front matter between two lines of ---", 1)
    matches = list(
        re.finditer(rf"^{re.escape(key)}[ \t]*:(?=[ \t\r\n])", block["body"], re.MULTILINE)
    )
    if len(matches) > 1:
        line = block["body"][: matches[1].start()].count("\n") + 2
        raise _damaged(f"the front matter has {key!r} twice", line)
    lines = _lines(key, value, line_ending(text))
    start = end = block.end("body")
    if matches:
        start = block.start("body") + matches[0].start()
        value_lines = re.compile(rf"[^\r\n]*+{_LINE_END}(?:{_GOES_ON})*+")
        match = value_lines.match(text, start, block.end("body"))
        end = match.end() if match else end
    return text[:start] + lines + text[end:]


def _lines(key: str, value: Value, end: str) -> str:
    if isinstance(value, str | int | None):
        return f"{key}: {_scalar(value)}{end}"
    if not value:
        return f"{key}: []{end}"
    return f"{key}:{end}" + "".join(_item(item, end) for item in value)


def _item(item: str | Mapping[str, Scalar], end: str) -> str:
    if isinstance(item, str):
        return f"  - {_scalar(item)}{end}"
    lines = (f"{name}: {_scalar(value)}{end}" for name, value in item.items())
    return "  - " + "    ".join(lines)


def _scalar(value: Scalar) -> str:
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _NOT_PLAIN:
        return value
    # A JSON text is a YAML text; escaped, because YAML allows fewer characters than JSON.
    return json.dumps(value, ensure_ascii=not value.isprintable())


def in_conflict(line: int) -> StoreError:
    """The error of a file with git's conflict markers."""
    message = f"line {line}: the file contains git's conflict markers"
    hint = "fix the marked lines, then git add the file"
    return StoreError(IN_CONFLICT, message, hint=hint)


def _damaged(why: str, line: int) -> StoreError:
    return StoreError("session-damaged", f"line {line}: {why}", hint=_HINT)
