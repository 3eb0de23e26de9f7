from __future__ import annotations

import pytest

from unlatch.efforts.entries import spoken_text
from unlatch.efforts.references import keywords


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Connections of the class", {"connection", "class"}),
        ("401 errors again, and an error", {"401", "error"}),
        ("is it ok", set()),
    ],
)
def test_keywords_are_the_singular_of_words_that_name_a_topic(text: str, words: set[str]) -> None:
    assert keywords(text) == words


def test_a_summary_is_made_of_messages_and_not_of_results_of_tools() -> None:
    log = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": ""},
        {"role": "tool", "content": "{}"},
        {"role": "assistant", "content": "Yes?"},
    ]
    assert spoken_text(log) == "user: Hi\nassistant: Yes?"
