"""The marks in check boxes, and what each means.

Done is `x` or `X` alone. A mark without a row is open, because nobody knows what it means: in
public files of spec-kit, `[~]` means partial more often than dropped.
"""

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType

from unlatch.patterns import pattern
from unlatch.values import dataclass


class State(Enum):
    DONE = auto()
    OPEN = auto()
    STARTED = auto()
    DISCARDED = auto()


# White space within a line; keyboards of macOS write a no-break space for Option and space.
BLANK = r"[^\S\r\n]"
# At most one character, which may be an emoji with its variation selector. A link is no box.
MARK = rf"{BLANK}{{0,2}}(?:[^\[\]\s\\]\ufe0f?)?{BLANK}{{0,2}}"
BOX = rf"\[{MARK}\](?![(\[])"
# A formatter escapes the boxes that GitHub does not know (findings/remark-escaped-boxes.sh). With
# both brackets escaped, as in quoted texts of people, it is none.
READ_BOX = rf"\\?\[\\?{MARK}\](?![(\[])"
_MARK = pattern(MARK)
# Unicode has 32 characters for internal use. They stand for the marks that a project's
# configuration counts as discarded, while its documents are read.
INTERNAL = range(0xFDD0, 0xFDF0)
NO_MARKS: Mapping[str, str] = MappingProxyType({})
_DONE_OR_OPEN = {"x": State.DONE, "X": State.DONE, " ": State.OPEN}


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks that a tool's own documentation gives a meaning.

    Args:
        rows: the states by mark, besides `x`, `X` and a space.
        knows_all: whether the tool itself counts every other mark as open.
    """

    rows: Mapping[str, State]
    knows_all: bool = False

    def state(self, mark: str) -> State:
        """The state of a box with this between its brackets."""
        if mark and ord(mark[0]) in INTERNAL:
            return State.DISCARDED
        return _DONE_OR_OPEN.get(mark) or self.rows.get(mark, State.OPEN)

    def knows(self, mark: str) -> bool:
        """Whether a mark has a meaning, so that no person has to be told of it."""
        is_internal = bool(mark) and ord(mark[0]) in INTERNAL
        return self.knows_all or is_internal or mark in _DONE_OR_OPEN or mark in self.rows


def is_mark(text: str) -> bool:
    """Whether a text can stand in an open box."""
    return _MARK.fullmatch(text) is not None and text not in ("x", "X")


# unlatch's own documents, and those of SpecWeave.
NATIVE = Marks({"-": State.DISCARDED})


def mark_in(box: str) -> str:
    """What stands between the brackets of a box, which may be escaped."""
    plain = box.replace("\\", "")
    return plain[1 : plain.index("]")]


def state_of_box(box: str) -> State:
    """The state of a box of a native document: `[x]`."""
    return NATIVE.state(mark_in(box))
