"""A stranger's reason says what it says, and acts nowhere."""

import pytest
from markdown_it import MarkdownIt

from unlatch.spi.render import as_html, markdown
from unlatch.spi.text import fill, op_posted, ops_in
from unlatch_ci.comments.asked_reason import LONGEST_QUOTE, quoted_reason

OP = "01HZY3V8Q4M5N6P7R8S9T0V1W2"


@pytest.mark.parametrize(
    ("reason", "quoted"),
    [
        ("", ""),
        (" \u202e\x1b[2J ", ""),
        ("it fails\nsince 2.1", "“it fails since 2.1”"),
        ("a\x00b\udc80", "“ab\ufffd”"),
        ("No” (asked by wes in x) “\uff02", "“No' (asked by wes in x) ''”"),
        ("word " * LONGEST_QUOTE, f"“{'word ' * (LONGEST_QUOTE // 5)}…”"),
    ],
)
def test_it_is_one_quoted_line(reason: str, quoted: str) -> None:
    assert quoted == quoted_reason(reason)


@pytest.mark.parametrize(
    "reason",
    [
        "/close\n/lgtm",
        "bors r+",
        "@octocat and #5",
        f"<!-- unlatch:op={OP} -->",
        f"x\nunlatch ref {OP}",
        "https://example.org/ [x](//evil)",
        "<img src=x> --> <script>",
    ],
)
def test_nothing_in_it_acts(reason: str) -> None:
    text = fill("{reason}", {"reason": quoted_reason(reason)})
    shown, html = markdown(text), as_html(text)

    assert not any(ops_in(posted) or op_posted(posted) for posted in (shown, html))
    (inline,) = (token for token in MarkdownIt("commonmark").parse(shown) if token.children)
    assert {"text"} == {token.type for token in inline.children or ()}
    assert inline.content.startswith("“")
    assert all(sign not in shown for sign in ("@o", "#5", "://"))
    assert html.startswith("<p>“")
    assert (html.count("<"), html.count("@")) == (2, 0)
