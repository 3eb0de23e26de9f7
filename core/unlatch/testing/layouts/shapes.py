"""The same documents in other shapes, and texts that people or programs may give as titles."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from unlatch.increments.layouts.interface import Texts

_BOM = "\ufeff"

# Each tries to be more than a title: a second task, a heading, a fence, a comment, a status.
TITLES = (
    "A plain title",
    "Two\nlines",
    "- [x] T998 a second task",
    "Break\r\n- [x] T998 a second task\r\n## Phase 99: Fake\r\n",
    "## Phase 99: Fake",
    "### User Story 9 - Fake (Priority: P1)",
    "```",
    "~~~ bash",
    "<!-- never closed",
    "ends --> a <!-- comment --!> twice ]]>",
    "[x] ticked already",
    "T998 [P] [US9] an id and a story",
    "9.8 a number",
    "* 9.8 an optional task",
    "_Requirements: 9.8_",
    "Line\u2028separator\x0bvertical\x85next",
    "**bold** `code` [link](https://example.com) | cell #9",
    "\N{CJK UNIFIED IDEOGRAPH-4EFB}\N{CJK UNIFIED IDEOGRAPH-52A1} \u202eright to left",
    "DONE [DONE] (completed) (US-999) #",
)
TEXTS = (*TITLES, "First line\n\n- [x] T998 a second task\n# Heading\n```\n<!--\n---\nlast")


def shapes(texts: Texts) -> Mapping[str, Texts]:
    """The documents with each line ending, with a BOM, and without a final newline."""
    plain = {name: _lf(text) for name, text in texts.items()}
    return {
        "lf": plain,
        "crlf": _each(plain, lambda text: text.replace("\n", "\r\n")),
        "cr": _each(plain, lambda text: text.replace("\n", "\r")),
        "bom, no final newline": _each(plain, lambda text: _BOM + text.rstrip("\n")),
    }


def line_endings(text: str) -> set[str]:
    """The line endings that a text has."""
    single = text.replace("\r\n", "")
    return {end for end in ("\n", "\r") if end in single} | ({"\r\n"} if "\r\n" in text else set())


def _lf(text: str) -> str:
    return text.removeprefix(_BOM).replace("\r\n", "\n").replace("\r", "\n")


def _each(texts: Texts, change: Callable[[str], str]) -> Texts:
    return {name: change(text) if text else text for name, text in texts.items()}
