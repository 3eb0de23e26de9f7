"""Text that tries to act where it is shown, and a check for the parts that would."""

import io
import re
import unicodedata

# A colour that is none of ours, a window's title, a C1 control, everything that reorders, what is
# not seen, other ends of lines, and what CI systems take for commands.
NAME = (
    "=1\x1b[35m\x1b]0;own\x07\x9b2J\u202e\u2066\u200f\u061c\u200b\u2060\ufeff\u2028\x85\x7f"
    "\r::error::x##vso[task.a]b"
)
WORDS = (
    f"{NAME}\nFORGED\n::error::y\r\n##vso[task.setvariable variable=a]b "
    '<script>alert(1)</script> "onload=alert(2) {{ 7 * 7 }} | `code` [x](javascript:y) @all'
)
# git takes no ASCII control in a branch's name, and all of these.
BRANCH = "side-\x9b2J\u202e\u2066\u200f\u061c\u200b\u2028"

_OUR_STYLE = re.compile(r"\x1b\[(?:0|1|2|31|32|33)m")
_NOT_SEEN = {*"\u00ad\u180e\u200b\u2060\ufeff"}
_REORDERING = {*"\u061c\u200e\u200f"}
_REORDERING_CLASSES = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
# Where text is kept and not shown, these do nothing.
_KEPT = {*_NOT_SEEN, *"\u2028\u2029"}


class TerminalStream(io.TextIOWrapper):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def acting(shown: str) -> set[str]:
    """The characters that a terminal or a reader would be deceived by; our own styles are none."""
    return {char for char in _OUR_STYLE.sub("", shown) if _acts(char)}


def acting_in_file(kept: str) -> set[str]:
    """The same for a file that programs show."""
    return acting(kept) - _KEPT


def _acts(char: str) -> bool:
    return (
        (unicodedata.category(char) in {"Cc", "Zl", "Zp", "Cs"} and char not in "\n\t")
        or unicodedata.bidirectional(char) in _REORDERING_CLASSES
        or char in _REORDERING | _NOT_SEEN
    )


def forged(shown: str) -> list[str]:
    """The lines that begin with words from outside."""
    return [line for line in shown.split("\n") if line.startswith("FORGED")]
