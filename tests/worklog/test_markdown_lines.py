"""Which lines of a Markdown file count: those outside code, comments and front matter."""

from __future__ import annotations

import pytest

from unlatch.worklog.markdown_lines import line_ending, scan


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("---\nstatus: active\n---\nText", [4]),
        ("Text\n---\nmore\n---\nend", [1, 2, 3, 4, 5]),
        ("```python\ncode\n```\nText", [4]),
        ("~~~ text\ncode\n~~~\nText", [4]),
        ("```\n\ncode\n```\n    Text", [5]),
        ("Text\n\n    code\n\nmore", [1, 5]),
        ("-   item\n\n      Text", [1, 3]),
        ("-   item\n\n        code", [1]),
        ("-      code\n\n  Text", [1, 3]),
    ],
)
def test_lines_outside_code_and_front_matter_count(text: str, numbers: list[int]) -> None:
    assert numbers == [line.number for line in scan(text).lines]


def test_a_byte_order_mark_belongs_to_no_line() -> None:
    (line,) = scan("\ufeff# Title").lines

    assert (1, 1, "# Title", 1) == (line.number, line.start, line.text, line.level)


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("one", "\n"),
        ("one\r\ntwo\r\nthree", "\r\n"),
        ("one\rtwo\rthree\r\n", "\r"),
        ("one\r\ntwo\nthree\n", "\n"),
        ("one\ntwo\r\nthree\r\n", "\r\n"),
    ],
)
def test_most_lines_decide_the_line_ending(text: str, ending: str) -> None:
    assert ending == line_ending(text)
