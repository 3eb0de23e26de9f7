"""The items that documents name."""

from __future__ import annotations

import pytest

from unlatch.increments.layouts.mentions import mentions

ISSUE = "https://github.com/octo/widgets/issues/7"
ITEM = "https://dev.azure.com/octo/My%20Project/_workitems/edit/101"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tracking issue: #392 (blocks #391)", ("#392", "#391")),
        ("**Input**: Issue #89", ("#89",)),
        ("octo/widgets#7, then octo/widgets#7", ("octo/widgets#7",)),
        (f"Fixes [#7]({ISSUE}).", (ISSUE,)),
        (f"{ISSUE}#issuecomment-1", (ISSUE,)),
        (f"See <{ITEM}>.", (ITEM,)),
        (
            "https://octo.atlassian.net/browse/SCRUM-28?focus=1",
            ("https://octo.atlassian.net/browse/SCRUM-28",),
        ),
        ("Jira ticket: SCRUM-28", ("SCRUM-28",)),
        ("- **FR-001**: UTF-8 and SHA-256", ()),
        ("SCRUM-28 is an issue", ()),
        ("[#1206](https://github.com/octo/widgets/discussions/1206)", ()),
        ("https://github.com/octo/widgets/pull/3 and /pull/4#5", ()),
        ("# 7 headings, C#9, &#8217;, a#5, #5a, #ff0000", ()),
        ("```\n#5\n```\n<!-- #6 -->\n\n    #7\n", ()),
    ],
)
def test_mentions_are_items_outside_of_code(text: str, expected: tuple[str, ...]) -> None:
    assert expected == mentions([text])


@pytest.mark.parametrize("text", ["[" * 50_000, "a/" * 25_000, "https://" * 10_000, "A-" * 25_000])
def test_any_text_is_read(text: str) -> None:
    assert () == mentions([text])
