"""The title, status and id in the YAML front matter of a document, found without a YAML parser.

Only scalars on one line are understood, and a title on several; anything else counts as absent. The
text must have its own line endings.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from unlatch.patterns import pattern
from unlatch.values import dataclass

_BLOCK = pattern(r"\ufeff?---[ \t]*\r?\n(?P<body>(?:[^\n]*\n)*?)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_VALUE = pattern(
    r"""(?P<lead>[ \t]*+)
        (?P<value>
            "(?:[^"\\\r\n]|\\[^\r\n])*"
          | '(?:[^'\r\n]|'')*'
          | [^\s"'|>\#&*!%@`\[\]{},][^ \t\r\n]*+(?:[ \t]++[^ \t\r\n\#][^ \t\r\n]*+)*+
          |
        )
        [ \t]*+(?:(?<=[ \t])\#[^\r\n]*)?\r?\n
        (?!(?:[ \t]*\r?\n)*(?:[ \t]+[^\s\#]|-[ \t]))  # it goes on, or is a list or a mapping
    """,
    re.VERBOSE,
)
_KEYS = {key: pattern(rf"^{key}[ \t]*:(?=\s)", re.MULTILINE) for key in ("title", "status", "id")}
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_PLAIN = pattern(r"[A-Za-z_][\w-]*(?: [\w-]+)*", re.ASCII)
_NOT_PLAIN = _NULLS | {"true", "false", "yes", "no", "on", "off", "y", "n"}
# The closing run of a heading, after a space.
_CLOSING = pattern(r"(?<=[ \t])#+$")
_FENCE = pattern(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class _Scalar:
    """A value as it is written, and its offset: right after the colon if it is empty."""

    start: int
    source: str

    @property
    def end(self) -> int:
        return self.start + len(self.source)

    @property
    def value(self) -> str | None:
        if self.source.startswith('"'):
            return _unescaped(self.source)
        if self.source.startswith("'"):
            return self.source[1:-1].replace("''", "'")
        return None if self.source in _NULLS else self.source


_Named = Callable[[str], str | None]


def title(text: str, named: _Named = str) -> str | None:
    """The front matter's title, else what the first top heading is `named`."""
    return _title_behind(_BLOCK.match(text), text, named)


def title_in_head(head: str, named: _Named) -> str | None:
    """The same from the beginning of a text; None if it may be in the rest."""
    block = _BLOCK.match(head)
    if block is None and head.removeprefix("\ufeff").startswith("---"):
        return None
    return _title_behind(block, head, named)


def _title_behind(block: re.Match[str] | None, text: str, named: _Named) -> str | None:
    value = None
    if block is not None:
        scalar = _find(block, "title")
        value = scalar.value if scalar else _folded_title(block)
        text = text[block.end() :]
    heading = None if value else next(_headings(text), None)
    return value or (named(heading) if heading else None)


def _folded_title(block: re.Match[str]) -> str | None:
    """A title on several lines."""
    if not _KEYS["title"].search(block.string, *block.span("body")):
        return None
    title = values(block.string).get("title")
    return " ".join(title.split()) if isinstance(title, str) else None


def status(text: str) -> str | None:
    """The front matter's status, without quotes or comment."""
    return _scalar_value(text, "status")


def id_in(text: str) -> str | None:
    """The front matter's id, in the same way."""
    return _scalar_value(text, "id")


def _scalar_value(text: str, key: str) -> str | None:
    block = _BLOCK.match(text)
    scalar = _find(block, key) if block else None
    return scalar.value if scalar else None


def values(text: str) -> dict[str, Any]:
    """The front matter, each scalar as its text; empty if it is not YAML that `load_yaml` reads."""
    from unlatch.worklog.text.parsing import BadYaml, load_yaml  # noqa: PLC0415  (rarely needed)

    block = _BLOCK.match(text)
    try:
        content = load_yaml(block["body"]) if block else None
    except BadYaml:
        return {}
    return content if isinstance(content, dict) else {}


def with_status(text: str, status: str) -> str:
    """Replace the front matter's status; without one the text stays as it is."""
    scalar = _status(text)
    if scalar is None or scalar.value == status:
        return text
    new = _written(status, like=scalar.source)
    return text[: scalar.start] + (new if scalar.source else f" {new}") + text[scalar.end :]


def _status(text: str) -> _Scalar | None:
    block = _BLOCK.match(text)
    return _find(block, "status") if block else None


def _find(block: re.Match[str], key: str) -> _Scalar | None:
    """The value of a top-level key; the first counts, for reading and for writing."""
    key_match = _KEYS[key].search(block.string, *block.span("body"))
    value = _VALUE.match(block.string, key_match.end()) if key_match else None
    if value is None:
        return None
    source = value["value"]
    return _Scalar(value.start("value" if source else "lead"), source)


def _headings(text: str) -> Iterator[str]:
    fence = ""
    for line in text.removeprefix("\ufeff").split("\n"):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif line.startswith(("# ", "#\t")) and (heading := line[1:].strip()):
            yield _CLOSING.sub("", heading).rstrip()


def _unescaped(source: str) -> str:
    if "\\" not in source:
        return source[1:-1]
    try:
        return str(json.loads(source, strict=False))
    except ValueError:  # an escape that YAML has and JSON has not
        return source[1:-1]


def _written(status: str, *, like: str) -> str:
    if like.startswith("'") and status.isprintable():
        return "'" + status.replace("'", "''") + "'"
    is_plain = _PLAIN.fullmatch(status) and status.lower() not in _NOT_PLAIN
    if is_plain and not like.startswith(('"', "'")):
        return status
    return json.dumps(status, ensure_ascii=not status.isprintable())
