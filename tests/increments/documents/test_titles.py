"""Which titles name no work: the words that decide most of them agree with the expression."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.increments.documents import titles

_WORDS = st.sampled_from(
    [
        *titles._BEGINNINGS,
        *titles._USUAL,
        "especificação",
        "Redesign",
        "plano",
        "tasklist",
        "list2",
        "Albums",
        "la",
        "Anforderungen",
        "spec_",
        "_plan",
        "a.design",
        "œuvre",
        "för",
        "задачи",
        "4",
    ]
)
_JOINED = st.sampled_from([" ", "-", "_", ".", "/", "  ", " & ", "'s ", ""])


@given(st.lists(st.tuples(_WORDS | st.text(max_size=4), _JOINED), max_size=5))
def test_whole_words_decide_as_the_expression_does(parts: list[tuple[str, str]]) -> None:
    title = "".join(f"{word}{mark}" for word, mark in parts).strip()
    quickly = titles.name_in(title)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(titles, "_USUAL", frozenset())
        patch.setattr(titles, "_is_of_no_kind", lambda _: False)
        if title.split():
            assert quickly == titles.name_in(title)
