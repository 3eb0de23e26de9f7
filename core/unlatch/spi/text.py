"""Text for people on trackers, before rendering into a tracker's format.

People's words go into spans unchanged, and each renderer escapes them for its own format. Nothing
in a span is read as markup.
"""

import re
from dataclasses import dataclass

_BOLD = re.compile(r"(\*\*.+?\*\*)")
_SURROGATE = re.compile("[\ud800-\udfff]")
# C0 except newline and tab, DEL, C1, and controls that reorder characters (CVE-2021-42574).
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Span:
    """Characters, newlines included; only a span with `marker` may contain a valid marker."""

    text: str
    bold: bool = False
    marker: bool = False


Paragraph = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    text: str


@dataclass(frozen=True, slots=True)
class Check:
    """One line of a list of check boxes.

    Args:
        done: whether it is ticked; None for a line without a box.
        depth: the level of nesting, from 0.
    """

    text: str
    done: bool | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Checks:
    items: tuple[Check, ...]


Block = Paragraph | Heading | Checks
Text = tuple[Block, ...]


def fill(template: str, values: dict[str, str]) -> Text:
    """The paragraphs of a template with its `{slots}` filled.

    A template knows `**bold**` and `{slot}`. Values are not searched for either.

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
    """`text` with U+FFFD for surrogates, which no file and no tracker can store.

    They come from command lines that are not UTF-8 (PEP 383).
    """
    return _SURROGATE.sub("\ufffd", text)
