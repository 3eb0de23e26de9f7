"""Text for people on trackers, before rendering into a tracker's format, and its markers.

People's words go into spans unchanged, and each renderer escapes them for its own format. Nothing
in a span is read as markup. The marker that an operation leaves on an item keeps it from being done
twice. It holds the operation's ULID alone. If the tracker's markup has hidden comments it is
invisible, otherwise a short last line.
"""

import re
from dataclasses import field

from unlatch.patterns import pattern
from unlatch.values import dataclass
from unlatch.worklog.text.neutral import without_controls

_BOLD = pattern(r"(\*\*.+?\*\*)")
_SLOT = pattern(r"\{(\w+)\}")
_OP = r"unlatch(?::op=| ref )(?P<op>[0-7][0-9A-HJKMNP-TV-Z]{25})"
_MARKER = pattern(_OP)
# Where unlatch writes it: on the last line of a comment, alone.
_LAST_LINE = pattern(rf"(?:\A|\n)[ \t]*(?:<!-- )?{_OP}(?: -->)?\s*\Z")
# Trackers fold white space, which may turn other text into a marker.
_LIKE_A_MARKER = pattern(r"unlatch(?=(?::op=|\s+ref\s+)[0-7][0-9A-HJKMNP-TV-Z]{25})")


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of people or of unlatch, which a renderer escapes.

    A `Text` is a tuple of blocks. A block is a paragraph, which is a tuple of spans, or a `Heading`
    or `Checks`.

    Args:
        text: newlines included.
        bold: whether it is emphasized.
        marker: whether it is a marker; no other span may contain a valid one.
    """

    text: str
    bold: bool = False
    marker: bool = False


Paragraph = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A line above other blocks.

    Args:
        text: its words.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Check:
    """One line of a list of check boxes.

    Args:
        text: the words.
        done: whether it is ticked; None for a line without a box.
        depth: the level of nesting, from 0.
        mark: what the increment's files have in an open box in place of a space. Trackers have
            empty boxes for all of these.
        id: the id of the task or criterion in the increment's files; empty for any other line.
        spare: whether `fit_text` may leave it out once it is ticked.
    """

    text: str
    done: bool | None = None
    depth: int = 0
    mark: str | None = field(default=None, compare=False)
    id: str = field(default="", compare=False)
    spare: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Checks:
    """A list of check boxes.

    Args:
        items: its lines.
    """

    items: tuple[Check, ...]


Block = Paragraph | Heading | Checks
Text = tuple[Block, ...]


def fill(template: str, values: dict[str, str]) -> Text:
    """The paragraphs of a template with its `{slots}` filled.

    A template knows `**bold**` and `{slot}`. Values are not searched for either. KeyError: the
    template has a slot that `values` lacks; its argument is the slot's name.
    """
    blocks = (block.strip("\n") for block in re.split(r"\n{2,}", template) if block.strip())
    return tuple(tuple(_spans(block, values)) for block in blocks)


def _spans(block: str, values: dict[str, str]) -> list[Span]:
    spans = []
    for part in _BOLD.split(block):
        bold = len(part) > 4 and part.startswith("**") and part.endswith("**")  # noqa: PLR2004
        text = _SLOT.sub(lambda slot: values[slot[1]], part[2:-2] if bold else part)
        if text:
            spans.append(Span(text, bold=bold))
    return spans


def slots(template: str) -> frozenset[str]:
    return frozenset(_SLOT.findall(template))


def one_line(text: str) -> str:
    """`text` on one line, without control characters, as a title or in a message."""
    return " ".join(without_controls(text).split())


def hidden(op: str) -> str:
    """The marker as an HTML comment, for Markdown."""
    return f"<!-- unlatch:op={op} -->"


def visible(op: str) -> str:
    """The marker as words, for formats that may drop hidden text."""
    return f"unlatch ref {op}"


def ops_in(text: str) -> frozenset[str]:
    """The operations whose markers `text` carries, in either spelling."""
    return frozenset(_MARKER.findall(text))


def op_posted(text: str) -> str | None:
    """The operation that posted the comment `text`: its marker is the last line, and alone there.

    A marker that a person mentions or quotes is not; `ops_in` finds it.
    """
    marker = _LAST_LINE.search(text)
    return marker["op"] if marker else None


def defused(text: str) -> str:
    """`text` with invalidated markers, so that a quoted one does not count as a delivery.

    The zero-width space inserted is invisible.
    """
    return _LIKE_A_MARKER.sub("un\u200blatch", text)
