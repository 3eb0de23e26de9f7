from __future__ import annotations

import re

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
