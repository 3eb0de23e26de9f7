"""Texts of people that may have several lines, such as reasons."""

from __future__ import annotations

from unlatch.cli.terminal.output import clean, hang, sign
from unlatch.worklog.text.neutral import without_controls


def lines_of(head: str, words: str, text: str) -> list[str]:
    """The lines of a text behind our own `head` and `words`; the text's line breaks are kept.

    The lines below the first are indented by a little more than the width of `head`.
    """
    first, *others = without_controls(text).strip().split("\n")
    below = (line for one in others for line in hang(" " * (len(head) + 2), clean(one)))
    return [line.rstrip() for line in (*hang(head, f"{words}{clean(first)}"), *below)]


def first_line(text: str) -> str:
    """The first line of a text, with a sign if there are more."""
    first, *others = without_controls(text).strip().split("\n")
    return f"{clean(first)} {sign('wait')}" if others else clean(first)
