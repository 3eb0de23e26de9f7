"""Check boxes in bodies, as people change them."""

from __future__ import annotations

_MARKS = {
    "[ ]": ("[ ]", "[x]"),
    "[x]": ("[ ]", "[x]"),
    "\N{BALLOT BOX}": ("\N{BALLOT BOX}", "\N{BALLOT BOX WITH CHECK}"),
    "\N{BALLOT BOX WITH CHECK}": ("\N{BALLOT BOX}", "\N{BALLOT BOX WITH CHECK}"),
}


def ticked(body: str, words: str, *, done: bool) -> str:
    """A body with the check box in front of these words ticked or unticked."""
    at = body.find(words)
    start, mark = max((body.rfind(mark, 0, max(0, at)), mark) for mark in _MARKS)
    if at < 0 or start < 0:
        raise ValueError(f"no check box in front of {words!r}")
    return body[:start] + _MARKS[mark][done] + body[start + len(mark) :]
