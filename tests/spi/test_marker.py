from __future__ import annotations

import pytest

from unlatch.spi.text import defused, hidden, ops_in, visible

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


def test_other_words_are_left_alone() -> None:
    text = f"unlatch resume 7; unlatch ref x; {ONE}"
    assert defused(text) == text
