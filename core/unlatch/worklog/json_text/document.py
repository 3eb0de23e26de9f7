"""A JSON file that other tools and people also write, edited without disturbing their work."""

import codecs
import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from unlatch.patterns import pattern
from unlatch.values import dataclass
from unlatch.worklog.json_text import MAX_DEPTH, is_too_deep

# They have no UTF-8 form; inside JSON their escapes mean the same.
_LONE_SURROGATES = "backslashreplace"
_CONFLICT = pattern(r"^(?:<{7}|\|{7}|={7}|>{7})(?=[ \r\n]|\Z)", re.MULTILINE)
_TOKEN = pattern(r'"(?:[^"\\]|\\.)*+"?|[\[{\]}]|NaN|-?Infinity')


class JsonTextError(ValueError):
    """The bytes are not a JSON document; line and column count from 1."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(f"{reason} (line {line}, column {column})")
        self.reason = reason
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class JsonText:
    """A parsed document that remembers how it was written."""

    text: str
    bom: bool
    value: Any

    def is_from(self, raw: bytes) -> bool:
        """Whether `parse` would read the same from these bytes."""
        return raw == self._encoded(self.text)

    @property
    def duplicates(self) -> tuple[str, ...]:
        """The JSON pointers of keys that occur twice in an object; `value` has the last."""
        if not _has_duplicates(self.text):
            return ()
        from unlatch.worklog.json_text.nodes import (  # noqa: PLC0415  (rarely needed)
            duplicate_keys,
            read_nodes,
        )

        return tuple(dict.fromkeys(duplicate_keys(read_nodes(self.text))))

    @classmethod
    def parse(cls, raw: bytes) -> "JsonText":
        """Read a document in UTF-8, with or without a byte order mark.

        Raises:
            JsonTextError: it is empty, cut short, in a git conflict, or not JSON (RFC 8259).
        """
        bom = raw.startswith(codecs.BOM_UTF8)
        raw = raw.removeprefix(codecs.BOM_UTF8)
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            text = raw[: error.start].decode()
            raise _error_at(text, len(text), "the file is not UTF-8") from error
        try:
            value = _load(text)
            # Counting is quick and rules out nearly every file.
            may_be_deep = text.count("{") + text.count("[") > MAX_DEPTH
            is_deep = may_be_deep and _is_too_deep(text, value)
        except RecursionError as error:
            raise _depth_error(text) from error
        if is_deep:
            raise _depth_error(text)
        return cls(text, bom, value)

    def with_value(self, new: Any) -> bytes:
        """Render `new`, with the source text of every part that did not change.

        Raises:
            ValueError: the document has duplicate keys, or `parse` would not read `new`.
            TypeError: `new` contains a key or an object that JSON does not know.
        """
        from unlatch.worklog.json_text.edit import edited  # noqa: PLC0415  (`list` never writes)

        if is_too_deep(new):
            raise ValueError(f"nested more than {MAX_DEPTH} deep")
        if twice := ", ".join(self.duplicates):
            raise ValueError(f"duplicate keys: {twice}")
        return self._encoded(edited(self.text, new))

    def with_keys(self, renames: Mapping[tuple[str | int, ...], str]) -> bytes:
        """Rename keys, given by their paths; everything else stays."""
        from unlatch.worklog.json_text.edit import renamed  # noqa: PLC0415  (as above)

        return self._encoded(renamed(self.text, renames))

    def _encoded(self, text: str) -> bytes:
        raw = text.encode(errors=_LONE_SURROGATES)
        return codecs.BOM_UTF8 + raw if self.bom else raw


def render_new(value: Any) -> bytes:
    """Render the content of a new file: indented by two spaces, with a final newline."""
    from unlatch.worklog.json_text.edit import Style  # noqa: PLC0415  (`list` never writes)
    from unlatch.worklog.json_text.nodes import read_nodes  # noqa: PLC0415

    if is_too_deep(value):
        raise ValueError(f"nested more than {MAX_DEPTH} deep")
    return f"{Style(read_nodes('{}')).render(value, '')}\n".encode(errors=_LONE_SURROGATES)


def _refuse_constant(name: str) -> NoReturn:
    raise _ConstantError(name)


class _ConstantError(ValueError):
    """A word that Python takes for a number and JSON does not."""


# Made once: that takes a tenth of the time of parsing a file.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _load(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise _explained(text, error) from error
    except _ConstantError as error:
        name = str(error)
        at = next(match.start() for match in _TOKEN.finditer(text) if match[0] == name)
        raise _error_at(text, at, f"{name} is not JSON") from error
    except ValueError as error:  # Python's limit on the digits of an integer
        at = max(re.finditer(r"\d+", text), key=lambda match: len(match[0])).start()
        raise _error_at(text, at, "a number has too many digits") from error


def _has_duplicates(text: str) -> bool:
    has_duplicates = False

    def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal has_duplicates
        members = dict(pairs)
        has_duplicates = has_duplicates or len(members) != len(pairs)
        return members

    json.loads(text, object_pairs_hook=as_object)
    return has_duplicates


def _explained(text: str, error: json.JSONDecodeError) -> JsonTextError:
    if not text.strip():
        return JsonTextError("the file is empty", 1, 1)
    if conflict := _CONFLICT.search(text):
        return _error_at(text, conflict.start(), "the file has git conflict markers")
    if error.msg == "Extra data":
        return _error_at(text, error.pos, "text after the end of the JSON value")
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return _error_at(text, error.pos, "unexpected end of file")
    return _error_at(text, error.pos, error.msg.removesuffix(" at"))


def _is_too_deep(text: str, value: Any) -> bool:
    # A duplicate key may hide a deep value, which only the text shows.
    return is_too_deep(value) or (_has_duplicates(text) and _deepest(text)[0] > MAX_DEPTH)


def _depth_error(text: str) -> JsonTextError:
    return _error_at(text, _deepest(text)[1], f"nested more than {MAX_DEPTH} deep")


def _deepest(text: str) -> tuple[int, int]:
    """The deepest nesting and its place; the search ends one level past the maximum."""
    depth = deepest = at = 0
    for match in _TOKEN.finditer(text):
        depth += (match[0] in "{[") - (match[0] in "}]")
        if depth > deepest:
            deepest, at = depth, match.start()
        if depth > MAX_DEPTH:
            break
    return deepest, at


def _error_at(text: str, at: int, reason: str) -> JsonTextError:
    line_start = text.rfind("\n", 0, at) + 1
    return JsonTextError(reason, text.count("\n", 0, at) + 1, at - line_start + 1)
