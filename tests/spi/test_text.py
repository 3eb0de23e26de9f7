"""People's text, its markers and kept parts, and a map of the interface."""

import ast
import inspect
import re
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch import spi, transport
from unlatch.spi import with_kept_part
from unlatch.spi.text import Span, defused, fill, hidden, ops_in, visible
from unlatch.worklog.text.neutral import without_controls

HOSTILE = ["{reason}", "{by}", "{", "**", "**bold**", "$&", r"\1", r"\g<0>", "\n\n", "{0}", "%s"]


@pytest.mark.parametrize("value", HOSTILE)
def test_nothing_in_a_value_is_taken_for_the_template(value: str) -> None:
    expected = ((Span(value, bold=True), Span(f" {value} {value}")),)
    assert fill("**{a}** {b} {a}", {"a": value, "b": value}) == expected


def test_a_missing_value_is_named() -> None:
    with pytest.raises(KeyError) as caught:
        fill("{reason} {nonsense}", {"reason": "r"})
    assert caught.value.args == ("nonsense",)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("a\x00\x07\x7f\x85\x9bb", "ab"),
        ("ab\u202etxt.exe\u2066", "abtxt.exe"),
        ("a\u061cb\u200ec\u200fd", "abcd"),
        ("zero\u200bwidth\ufeff\u2060\u00ad é 漢 🎉", "zerowidth é 漢 🎉"),
        ("".join(map(chr, (*range(0xE0000, 0xE0080), *range(0x2060, 0x206A)))), ""),
        ("a\u2028b\u2029c", "a\nb\nc"),
        ("a\u200cb\u200d क्\u200cष 👩\u200d💻", "ab क्\u200cष 👩\u200d💻"),
        ("❤\ufe0f葛\U000e0100 a\ufe00\ufe01\U000e0120\U000e0121", "❤\ufe0f葛\U000e0100 a"),
        ("f\ufe00i\ufe01x\U000e0101 \u0416\ufe0e ❤\ufe03", "fix \u0416 ❤"),
        (
            "1\ufe0f\u20e3 2\ufe0f 👁\ufe0f\u200d🗨\ufe0f 👍🏽",
            "1\ufe0f\u20e3 2 👁\ufe0f\u200d🗨\ufe0f 👍🏽",
        ),
        ("می\u200cشود é\u200dé Ж\u200cЖ 漢\u200d字", "می\u200cشود éé ЖЖ 漢字"),
        ("a\u061c\u200d\u061cb ب\u200d\u200dب ب\u200c", "ab بب ب"),
        ("a\u034fb\u115f\u1160c\u17b4\u17b5d\u180b\u180fe\u2800f\u3164g\uffa0h", "abcdefgh"),
        ("a\ufff0\ufff8b\U0001bca0c\U0001d173\U0001d17ad\U000e0080\U000e01f0\U000e0fff", "abcd"),
    ],
)
def test_control_characters_do_not_get_through(raw: str, clean: str) -> None:
    assert without_controls(raw) == clean


@given(
    st.text(
        st.sampled_from("a1\u034f\u061c\u200c\u200d\u20e3\ufe00\ufe0f\U000e0100\u0627\u6f22❤👩\r")
    )
)
def test_what_stays_of_a_text_stays(raw: str) -> None:
    clean = without_controls(raw)
    assert without_controls(clean) == clean
    assert not re.search(
        "[a\u6f22][\u200c\u200d]|[\u200c\u200d][a1]|a[\ufe00\ufe0f\U000e0100]", clean
    )


ONE = "01KA0000000000000000000001"
TWO = "01KA0000000000000000000002"


def test_a_marker_is_found_in_either_spelling() -> None:
    text = f"Reopened\n{hidden(ONE)}\nand <p>{visible(TWO)}</p>, twice: {hidden(ONE)}"
    assert ops_in(text) == {ONE, TWO}


@pytest.mark.parametrize(
    "text",
    [
        "",
        ONE,
        f"op={ONE}",
        f"ref {ONE}",
        f"Unlatch ref {ONE}",
        f"unlatch:op={ONE[:-1]}",
        f"unlatch:op={ONE.lower()}",
        f"unlatch:op=8{ONE[1:]}",
        f"unlatch: op={ONE}",
    ],
)
def test_what_is_no_marker_is_not_found(text: str) -> None:
    assert ops_in(text) == frozenset()


@pytest.mark.parametrize("between", [":op=", " ref ", "  ref\n", "\nref\u00a0"])
def test_a_defused_marker_is_none_however_white_space_is_folded(between: str) -> None:
    text = defused(f"see unlatch{between}{ONE}, and unlatch{between}{TWO}")
    assert ops_in(text) | ops_in(" ".join(text.split())) == frozenset()
    assert text.replace("\u200b", "") == f"see unlatch{between}{ONE}, and unlatch{between}{TWO}"


# Anything but a mark.
WORDS = st.text(max_size=60).filter(lambda text: "unlatch:" not in text)

MARKS = st.sampled_from(
    ["<!-- unlatch:end -->", "<!-- unlatch:begin 0001-a -->", "<!-- ", "unlatch:end -->", "word\n"]
)
# The words of people in a part may be marks.
TEXTS = st.lists(MARKS | WORDS, max_size=5).map("".join)
NAMES = st.text(min_size=1, max_size=20).filter(lambda name: bool(name.strip()))


@given(before=WORDS, after=WORDS, old=TEXTS, new=TEXTS, name=NAMES)
def test_an_update_replaces_the_part_and_nothing_else(
    before: str, after: str, old: str, new: str, name: str
) -> None:
    body = f"{before}{with_kept_part('', name, old)}{after}"
    expected = f"{before}{with_kept_part('', name, new)}{after}"
    assert with_kept_part(body, name, new) == expected
    assert with_kept_part(expected, name, new) == expected


def test_help_names_all_that_a_plugin_imports() -> None:
    assert imported_for_type_checkers().keys() == listed_in(spi.__doc__)
    assert {*transport.__all__} == listed_in(transport.__doc__)


def listed_in(doc: str | None) -> set[str]:
    lines = re.findall(r"^ {4}((?:\w+, )*\w+)", doc or "", re.MULTILINE)
    return {name for names in lines for name in names.split(", ")}


def test_a_name_is_loaded_from_the_module_that_type_checkers_know() -> None:
    for name, module in imported_for_type_checkers().items():
        assert getattr(spi, name) is getattr(import_module(module), name)
    with pytest.raises(AttributeError, match="SyncPlugins"):
        _ = spi.SyncPlugins  # type: ignore[attr-defined]  # misspelt


def imported_for_type_checkers() -> dict[str, str]:
    tree = ast.parse(inspect.getsource(spi))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    return {
        alias.name: node.module or ""
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
