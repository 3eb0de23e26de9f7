"""Comments that thank or agree say nothing more, whatever else stands in them."""

import pytest

from unlatch_ci.comments.thanks import says_nothing_more


@pytest.mark.parametrize(
    "text",
    [
        "",
        "👍",
        "+1",
        ":tada: @octocat",
        "Thanks!",
        "thank you @octocat, works like a charm now",
        "> It was fixed in 2.1.\n\nGreat, thanks",
        "Merci beaucoup !",
        "Ah, perfect. It works with the new version https://example.org/releases/2.1",
        "<!-- template -->\nDanke",
    ],
)
def test_thanks(text: str) -> None:
    assert says_nothing_more(text)


@pytest.mark.parametrize(
    "text",
    [
        "Thanks, but it still crashes",
        "It doesn\u2019t work",
        "me too",
        "Thanks. Why was this closed?",
        "I tried the new version and the export stops after some files",
        "```\nTraceback\n```",
        "Thanks\n\n![screen](https://example.org/a.png)",
        "Thanks for the quick answer, I looked at the page that you named and wrote a small script",
    ],
)
def test_more_than_thanks(text: str) -> None:
    assert not says_nothing_more(text)
