"""Text for people on trackers, before it takes a tracker's format.

What a person wrote is data: it goes into spans as it is, and each renderer escapes it for its own
format. Nothing in a span is ever read as markup.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BOLD = re.compile(r"(\*\*.+?\*\*)")
_SURROGATE = re.compile("[\ud800-\udfff]")
# C0 but newline and tab, DEL, C1, and what reorders the characters around it (CVE-2021-42574).
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Span:
    """A run of characters, newlines included.

    Args:
        marker: whether it is a marker of ours; in anybody else's words one is made harmless.
    """

    text: str
    bold: bool = False
    marker: bool = False


Paragraph = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that says what follows."""

    text: str


@dataclass(frozen=True, slots=True)
class Check:
    """One line of a list of check boxes.

    Args:
        done: whether it is ticked; None for a line without a box.
        depth: how deep it is nested, from 0.
    """

    text: str
    done: bool | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Checks:
    """A list of check boxes."""

    items: tuple[Check, ...]


Block = Paragraph | Heading | Checks
Text = tuple[Block, ...]


def fill(template: str, values: dict[str, str]) -> Text:
    """The template's paragraphs with its `{slots}` filled.

    A template knows two things: `**bold**` and `{slot}`. Both are looked for in the template
    alone, so that nothing in a value is taken for either.

    Raises:
        KeyError: the template has a slot that `values` lacks; its argument is the slot's name.
    """
    return tuple(
        tuple(_spans(block.strip("\n"), values))
        for block in re.split(r"\n{2,}", template)
        if block.strip()
    )


def _spans(block: str, values: dict[str, str]) -> list[Span]:
    spans = []
    for part in _BOLD.split(block):
        bold = len(part) > 4 and part.startswith("**") and part.endswith("**")  # noqa: PLR2004
        text = _SLOT.sub(lambda slot: values[slot[1]], part[2:-2] if bold else part)
        if text:
            spans.append(Span(text, bold=bold))
    return spans


def slots(template: str) -> frozenset[str]:
    """The names of the slots in a template."""
    return frozenset(_SLOT.findall(template))


def without_controls(text: str) -> str:
    """`text` without control characters other than newline and tab, lines ended by newline.

    Trackers drop or refuse control characters, and in a terminal they act.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", lines)


def without_surrogates(text: str) -> str:
    """`text` with U+FFFD for what no file and no tracker can hold: halves of characters.

    They come from command lines that are not UTF-8 (PEP 383).
    """
    return _SURROGATE.sub("\ufffd", text)
