"""The generated parts of a body, and the words of people around them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unlatch.spi import with_kept_part

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
