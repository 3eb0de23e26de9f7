import codecs
import copy
import json
import re
import sys
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from unlatch.worklog.json_text.document import JsonText, JsonTextError, render_new

# ---- any value, any style -------------------------------------------------------------------


def _survives_json(text: str) -> bool:
    """Tell whether text has no surrogates that would join into one character."""
    return bool(json.loads(json.dumps(text)) == text)


strings = st.text(st.characters(exclude_categories=()), max_size=8).filter(_survives_json)
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
) | strings
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(strings, inner, max_size=4),
    max_leaves=15,
)
objects = st.dictionaries(strings, values, min_size=1, max_size=4)
spaces = st.sampled_from(["", "", " ", "\n", "\n\n  ", "\r\n", "\t", " \n\t"])


def _utf8(text: str) -> bytes:
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def _dumps(value: Any, style: dict[str, Any]) -> str:
    options = {key: style[key] for key in ("indent", "separators", "ensure_ascii")}
    text = json.dumps(value, **options).replace("\n", style["eol"])
    return f"{text}{style['eol'] if style['final_newline'] else ''}"


@st.composite
def styles(draw: st.DrawFn) -> dict[str, Any]:
    indent = draw(st.sampled_from([None, 0, 2, 3, 4, "\t"]))
    comma, colon = draw(st.sampled_from([(",", ":"), (", ", ": ")]))
    return {
        "indent": indent,
        "separators": (comma if indent is None else ",", colon),
        "ensure_ascii": draw(st.booleans()),
        "eol": draw(st.sampled_from(["\n", "\r\n"])),
        "final_newline": draw(st.booleans()),
        "bom": draw(st.booleans()),
    }


@st.composite
def wild_documents(draw: st.DrawFn) -> tuple[bytes, Any]:
    """Draw a value, written with any spacing, escapes and number spelling at any place."""

    def written(value: Any) -> str:
        gap = draw(spaces)
        if isinstance(value, dict):
            body = ",".join(f"{written(k)}:{written(v)}" for k, v in value.items())
            text = "{" + (body or gap) + "}"
        elif isinstance(value, list):
            text = "[" + (",".join(map(written, value)) or gap) + "]"
        elif isinstance(value, float) and draw(st.booleans()):
            text = f"{value:.17E}"
        else:
            text = json.dumps(value, ensure_ascii=draw(st.booleans()))
        return draw(spaces) + text + draw(spaces)

    value = draw(values)
    bom = draw(st.sampled_from([b"", codecs.BOM_UTF8]))
    return bom + _utf8(written(value)), value


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """Draw a value that differs from `value` here and there."""
    if isinstance(value, dict | list) and value and draw(st.integers(0, 4)):
        new = copy.deepcopy(value)
        keys = list(new) if isinstance(new, dict) else list(range(len(new)))
        key = draw(st.sampled_from(keys))
        match draw(st.sampled_from(["change", "remove", "add"])):
            case "change":
                new[key] = draw(changed(new[key]))
            case "remove":
                del new[key]
            case _ if isinstance(new, dict):
                new[draw(strings)] = draw(values)
            case _:
                new.insert(key + draw(st.integers(0, 1)), draw(values))
        return draw(changed(new)) if draw(st.booleans()) else new
    return draw(values)


def _exact(value: Any) -> str:
    """Return a form in which 1, 1.0 and True differ and the order of members does not count."""
    return json.dumps(value, sort_keys=True)


@given(wild_documents())
def test_a_document_reads_as_json_does(document: tuple[bytes, Any]) -> None:
    raw, value = document
    parsed = JsonText.parse(raw)
    assert _exact(value) == _exact(parsed.value)
    assert parsed.bom is raw.startswith(codecs.BOM_UTF8)
    assert parsed.duplicates == ()
    assert parsed.with_value(value) == raw


@given(wild_documents(), st.data())
def test_there_and_back_again_is_stable(document: tuple[bytes, Any], data: st.DataObject) -> None:
    raw, value = document
    once = JsonText.parse(raw).with_value(data.draw(changed(value)))
    again = JsonText.parse(once)
    assert again.with_value(copy.deepcopy(again.value)) == once


@given(objects, styles(), st.data())
def test_a_uniform_document_stays_uniform(
    value: dict[str, Any], style: dict[str, Any], data: st.DataObject
) -> None:
    """The strongest statement: no change is visible as a change by another hand."""
    new = data.draw(changed(value))
    assume(isinstance(new, dict))
    style = {**style, "ensure_ascii": False}
    bom = codecs.BOM_UTF8 if style["bom"] else b""

    result = JsonText.parse(bom + _utf8(_dumps(value, style))).with_value(new)

    written = json.loads(result.decode("utf-8-sig"))  # in the order in which it was written
    expected = bom + _utf8(_dumps(written, style))
    assert expected == result


@given(values)
def test_a_new_file_is_json_with_two_spaces(value: Any) -> None:
    expected = _utf8(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
    assert expected == render_new(value)


# ---- the edits that unlatch makes -----------------------------------------------------------

METADATA = """\
{
  "id": "0007-search",
  "status": "completed",
  "type": "feature",
  "created": "2025-11-19T06:40:53.436Z",
  "completedAt": "2025-11-20T10:00:00Z",
  "coverage": 95.0,
  "budget": 1e3,
  "owner": "Ren\\u00e9",
  "tags": ["search", "ui"],
  "github": {"issue": 12,   "url": "https://github.com/acme/shop/issues/12"},
  "pending": [
    {
      "op": "01A",
      "kind": "state"
    },
    {
      "op": "01A",
      "kind": "comment"
    },
    {
      "op": "01A",
      "kind": "labels"
    }
  ],

  "lastActivity": "2025-11-20T10:00:00Z"
}"""


def _edited(text: str, value: Any) -> str:
    return JsonText.parse(text.encode()).with_value(value).decode()


_PENDING_TEXT = METADATA[METADATA.index('  "pending"') : METADATA.index('\n  "last')]
VALUE = json.loads(METADATA)
PENDING = VALUE["pending"]


def _without(key: str) -> dict[str, Any]:
    return {name: value for name, value in VALUE.items() if name != key}


def _with_github(**changes: Any) -> dict[str, Any]:
    return {**VALUE, "github": {**VALUE["github"], **changes}}


@pytest.mark.parametrize(
    ("new", "old_text", "new_text"),
    [
        ({**VALUE, "status": "active"}, '"completed"', '"active"'),
        (_without("id"), '  "id": "0007-search",\n', ""),
        (_without("completedAt"), '  "completedAt": "2025-11-20T10:00:00Z",\n', ""),
        (_with_github(issue=13), '"issue": 12', '"issue": 13'),
        (
            _with_github(base={"state": "closed", "labels": ["a", "b"]}),
            'issues/12"}',
            'issues/12",   "base": {"state": "closed", "labels": ["a", "b"]}}',
        ),
        ({**VALUE, "tags": ["search", "api", "ui"]}, '"search", ', '"search", "api", '),
        (
            {**VALUE, "pending": [*PENDING, {"op": "01B", "kind": "state"}]},
            '"labels"\n    }',
            '"labels"\n    },\n    {\n      "op": "01B",\n      "kind": "state"\n    }',
        ),
        *(
            ({**VALUE, "pending": [one for one in PENDING if one["kind"] != kind]}, text, "")
            for kind, text in (
                ("state", '    {\n      "op": "01A",\n      "kind": "state"\n    },\n'),
                ("comment", '    {\n      "op": "01A",\n      "kind": "comment"\n    },\n'),
                ("labels", ',\n    {\n      "op": "01A",\n      "kind": "labels"\n    }'),
            )
        ),
        (_without("pending"), _PENDING_TEXT, ""),
        ({**VALUE, "pending": []}, _PENDING_TEXT, '  "pending": [],\n'),
    ],
)
def test_an_edit_changes_its_own_text_and_nothing_else(
    new: dict[str, Any], old_text: str, new_text: str
) -> None:
    assert METADATA.count(old_text) == 1
    assert _edited(METADATA, new) == METADATA.replace(old_text, new_text)


class _Status(StrEnum):
    ACTIVE = "active"


@pytest.mark.parametrize(
    ("before", "new", "after"),
    [
        # Line breaks and spaces are those of the neighbours.
        ('{\n  "a": 1,\n  "b": 2\n}\n', {"a": 1}, '{\n  "a": 1\n}\n'),
        (
            '[\n\t{"b": 1, "c": 2}\n]',
            [{"b": 1, "c": 2}, {"b": 3}],
            '[\n\t{"b": 1, "c": 2},\n\t{"b": 3}\n]',
        ),
        (
            '{\r\n   "a": [ ],\r\n   "x": 1\r\n}',
            {"a": [{"b": 1}], "x": 1},
            '{\r\n   "a": [\r\n      {\r\n         "b": 1\r\n      }\r\n   ],\r\n   "x": 1\r\n}',
        ),
        ("[1, 2,\n 3, 4]", [1, 2, 4], "[1, 2,\n 4]"),
        (
            '{"a":1,"b":[1,2]}',
            {"a": 1, "b": [1, 2], "c": {"d": [1]}},
            '{"a":1,"b":[1,2],"c":{"d":[1]}}',
        ),
        ("[1,2]", [1, 2, [3, 4]], "[1,2,[3,4]]"),
        ('{\n  "a":\n    1\n}', {"a": 1, "b": 2}, '{\n  "a":\n    1,\n  "b": 2\n}'),
        (
            '{\n  "a": [{\n    "x": 1\n  }]\n}',
            {"a": [{"x": 1}, {"x": 2}]},
            '{\n  "a": [{\n    "x": 1\n  }, {\n    "x": 2\n  }]\n}',
        ),
        ('{ "a": 1\n, "b": 2\n}', {"a": 1, "b": 2, "c": 3}, '{ "a": 1\n, "b": 2\n, "c": 3\n}'),
        ("[\n    1\n  , 2\n]", [1, 2, [3]], "[\n    1\n  , 2\n  , [\n      3\n  ]\n]"),
        ('{"a": "\\u007f"}', {"a": "\x80"}, '{"a": "\\u0080"}'),  # escaped, so in ASCII
        # Spelling and order stay where the value does.
        ('["\\u0061"]', ["a", "a"], '["\\u0061", "a"]'),
        ('{"a": 1, "b": 2}', {"c": 3, "b": 2, "a": 0}, '{"a": 0, "b": 2, "c": 3}'),
        ('{"a": "\\uD83D", "b": 1}', {"a": "\ud83d", "b": 2}, '{"a": "\\uD83D", "b": 2}'),
        (
            '{"a": "\\uD83D", "b": 1}',
            {"a": "\ud83d", "b": "\udc00"},
            '{"a": "\\uD83D", "b": "\\udc00"}',
        ),
        ('{"s": "\\u0061ctive"}', {"s": _Status.ACTIVE}, '{"s": "\\u0061ctive"}'),
        # A tuple is an array.
        (
            '{"a": [ [ ], [ 1 ] ], "b": 1}',
            {"a": ((), (1,)), "b": 1},
            '{"a": [ [ ], [ 1 ] ], "b": 1}',
        ),
        (
            '{"a": [ [ ], [ 1 ] ], "b": 1}',
            {"a": ((), (1,)), "b": True},
            '{"a": [ [ ], [ 1 ] ], "b": true}',
        ),
        # Python holds these equal.
        ("[1]", [True], "[true]"),
        ("[1]", [1.0], "[1.0]"),
        ("[null]", [False], "[false]"),
    ],
)
def test_an_edit_is_written_as_the_document_is(before: str, new: Any, after: str) -> None:
    assert _edited(before, new) == after


def test_a_value_that_was_changed_in_place_is_still_a_change() -> None:
    document = JsonText.parse(METADATA.encode())
    document.value["status"] = "active"
    assert b'"status": "active"' in document.with_value(document.value)


# ---- what is refused ------------------------------------------------------------------------


# As Python's own reader of JSON says it.
_TRAILING_COMMA = (
    ("Illegal trailing comma before end of object", 1, 8)
    if sys.version_info >= (3, 13)
    else ("Expecting property name enclosed in double quotes", 1, 9)
)


@pytest.mark.parametrize(
    ("raw", "reason", "line", "column"),
    [
        (b"", "the file is empty", 1, 1),
        (b" \n\n", "the file is empty", 1, 1),
        (codecs.BOM_UTF8, "the file is empty", 1, 1),
        (b'{\n  "a": "\xff"}', "the file is not UTF-8", 2, 9),
        ('{"é": "'.encode() + b"\xc3", "the file is not UTF-8", 1, 8),
        ("{}".encode("utf-16"), "the file is not UTF-8", 1, 1),
        (b'{\n  "a": 1,\n', "unexpected end of file", 3, 1),
        (b'{\n  "a": "b', "unexpected end of file", 2, 8),
        (b'{"a": [1, 2', "unexpected end of file", 1, 12),
        (b'{\n"a": 1\n}\n}\n', "text after the end of the JSON value", 4, 1),
        (b'{\n"a": NaN}', "NaN is not JSON", 2, 6),
        (b'{"NaN": -Infinity}', "-Infinity is not JSON", 1, 9),
        (b'{"a": 1,}', *_TRAILING_COMMA),
        (b'{"a": tru}', "Expecting value", 1, 7),
        (b'{"a":\n ' + b"1" * 5000 + b"}", "a number has too many digits", 2, 2),
        (b'{"a":' + b"[" * 200 + b"]" * 200 + b"}", "nested more than 100 deep", 1, 105),
        (b'{"a":' + b"[" * 800 + b"]" * 800 + b', "a": 1}', "nested more than 100 deep", 1, 105),
        (b"[" * 200_000, "nested more than 100 deep", 1, 101),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000, "nested more than 100 deep", 1, 501),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(
    raw: bytes, reason: str, line: int, column: int
) -> None:
    with pytest.raises(JsonTextError) as caught:
        JsonText.parse(raw)
    error = caught.value
    assert (reason, line, column) == (error.reason, error.line, error.column)


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("marker", ["<<<<<<< HEAD", "=======", ">>>>>>> topic", "||||||| 1a2b"])
def test_a_conflict_has_a_reason_of_its_own(marker: str, eol: str) -> None:
    raw = eol.join(["{", '  "a": 1,', marker, '  "b": 2', "}"]).encode()
    with pytest.raises(JsonTextError) as caught:
        JsonText.parse(raw)
    assert caught.value.reason == "the file has git conflict markers"
    assert (caught.value.line, caught.value.column) == (3, 1)


def test_a_conflict_marker_in_a_string_is_text() -> None:
    assert JsonText.parse(b'{"a": "<<<<<<< HEAD"}').value == {"a": "<<<<<<< HEAD"}


@given(objects, styles(), st.data())
def test_no_part_of_a_document_is_taken_for_the_whole(
    value: dict[str, Any], style: dict[str, Any], data: st.DataObject
) -> None:
    raw = _utf8(_dumps(value, style)).rstrip()
    with pytest.raises(JsonTextError):
        JsonText.parse(raw[: data.draw(st.integers(0, len(raw) - 1))])


@given(st.binary(max_size=40) | strings.map(_utf8))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    try:
        document = JsonText.parse(raw)
    except JsonTextError:
        return
    assert document.with_value(document.value) == raw


def test_duplicate_keys_are_read_and_named_but_not_written() -> None:
    raw = b'{"a": 1, "b": [{"c/d": 1, "c/d": 2, "c/d": 3}], "a": 2}'
    document = JsonText.parse(raw)
    assert document.value == {"a": 2, "b": [{"c/d": 3}]}
    assert document.duplicates == ("/b/0/c~1d", "/a")
    with pytest.raises(ValueError, match="duplicate keys: /b/0/c~1d, /a"):
        document.with_value(document.value)


def test_duplicates_inside_a_value_that_is_overridden_are_found() -> None:
    assert JsonText.parse(b'{"a": {"~": 1, "~": 2}, "a": 1}').duplicates == ("/a/~0", "/a")


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": [value]}
    return value


def test_the_deepest_document_can_be_changed_from_far_down_the_stack() -> None:
    def below(frames: int) -> bytes:
        if frames:
            return below(frames - 1)
        return JsonText.parse(render_new(_nested(50))).with_value(_nested(49))

    assert json.loads(below(200)) == _nested(49)


def test_a_value_that_could_not_be_read_again_is_not_written() -> None:
    document = JsonText.parse(b"{}")
    for unreadable in (_nested(60), _nested(2000), {"a": float("nan")}, [float("inf")]):
        with pytest.raises(ValueError, match=r"deep|JSON compliant"):
            document.with_value(unreadable)
    with pytest.raises(ValueError, match="deep"):
        render_new(_nested(60))
    for foreign in ({1: 2}, {"a": object()}):
        with pytest.raises(TypeError):
            document.with_value(foreign)


# ---- real files of other projects -----------------------------------------------------------
