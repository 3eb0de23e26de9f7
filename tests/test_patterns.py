"""`unlatch.patterns.pattern` finds what `re.compile` finds, and compiles when it is asked."""

from __future__ import annotations

import re

import pytest

from unlatch.patterns import pattern


def test_a_pattern_finds_what_a_compiled_one_finds() -> None:
    later, now = (make(r"(?P<word>[a-z]+)-(\d)", re.IGNORECASE) for make in (pattern, re.compile))

    for text in ("", "A-1", "a-1 b-2", "x A-1"):
        for method in ("match", "fullmatch", "search", "findall", "split"):
            ours, theirs = (getattr(one, method)(text) for one in (later, now))
            is_match = isinstance(theirs, re.Match)
            assert (theirs.groupdict() if is_match else theirs) == (
                ours.groupdict() if is_match else ours
            )
        assert now.sub("", text) == later.sub("", text)
    assert (now.pattern, now.flags) == (later.pattern, later.flags)


def test_a_pattern_is_compiled_at_its_first_use() -> None:
    wrong = pattern("(")

    with pytest.raises(re.error):
        wrong.search("")
