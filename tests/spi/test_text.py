from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.spi.render import plain
from unlatch.spi.text import Span, fill, slots
from unlatch.worklog.neutral import without_controls

HOSTILE = ["{reason}", "{by}", "{", "**", "**bold**", "$&", r"\1", r"\g<0>", "\n\n", "{0}", "%s"]


def test_bold_and_slots_come_from_the_template() -> None:
    filled = fill("**{what}**: {reason}\n\nby {by}", {"what": "Done", "reason": "r", "by": "ada"})
    assert filled == ((Span("Done", bold=True), Span(": r")), (Span("by ada"),))


@pytest.mark.parametrize("value", HOSTILE)
def test_nothing_in_a_value_is_taken_for_the_template(value: str) -> None:
    expected = ((Span(value, bold=True), Span(f" {value} {value}")),)
    assert fill("**{a}** {b} {a}", {"a": value, "b": value}) == expected


@given(st.text() | st.lists(st.sampled_from(HOSTILE)).map("".join))
def test_a_value_arrives_as_it_is(value: str) -> None:
    filled = fill("Reason: {reason}", {"reason": value})
    assert plain(filled) == f"Reason: {value}"


def test_a_missing_value_is_named() -> None:
    with pytest.raises(KeyError) as caught:
        fill("{reason} {nonsense}", {"reason": "r"})
    assert caught.value.args == ("nonsense",)


@pytest.mark.parametrize(
    ("template", "spans"),
    [
        ("****", ((Span("****"),),)),
        ("** {x}", ((Span("** 1"),),)),
        ("\n\n{x}\n\n\n\n", ((Span("1"),),)),
        ("a\nb", ((Span("a\nb"),),)),
        ("", ()),
        (" \n\n ", ()),
        ("{x}{x}", ((Span("11"),),)),
    ],
)
def test_odd_templates_are_words_too(template: str, spans: object) -> None:
    assert fill(template, {"x": "1"}) == spans


def test_names_the_slots_of_a_template() -> None:
    assert slots("**{headline}**: {reason} {reason} { no } {}") == {"headline", "reason"}


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("a\x00\x07\x7f\x85\x9bb", "ab"),
        ("ab\u202etxt.exe\u2066", "abtxt.exe"),
        ("a\u061cb\u200ec\u200fd", "abcd"),
        ("zero\u200bwidth\ufeff\u2060\u00ad é 漢 🎉", "zerowidth é 漢 🎉"),
        ("".join(map(chr, (*range(0xE0000, 0xE0080), *range(0x2060, 0x206A)))), ""),
        ("a\u2028b\u2029c", "a\nb\nc"),
        ("a\u200cb\u200d क्\u200cष 👩\u200d💻", "ab क्\u200cष 👩\u200d💻"),
        ("❤\ufe0f葛\U000e0100 a\ufe00\ufe01\U000e0120\U000e0121", "❤\ufe0f葛\U000e0100 a\ufe00"),
    ],
)
def test_control_characters_do_not_get_through(raw: str, clean: str) -> None:
    assert without_controls(raw) == clean
