"""Escape characters that act or deceive where text is shown.

Sources: ECMA-48 (C0 and C1 controls), UAX #9 (bidirectional controls; CVE-2021-42574), UTS #39
(characters that are not seen).
"""

import json
import re
import shlex
from collections.abc import Iterable

from unlatch.patterns import pattern

# Either sign alone may meet its other half in what stands around the text. HTML also takes `--!>`.
_COMMENT = pattern(r"(?<!\\)<(?=!--)|(?<=--)>|(?<=--!)>")
_UNSEEN = (
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # they change the order of what is read
    # Default_Ignorable_Code_Point of Unicode, and the blank of Braille
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u2800\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff"
    "\U000e01f0-\U000e0fff"
)
_DROPPED = f"\x00-\x08\x0b-\x1f\x7f-\x9f{_UNSEEN}"  # C0 without tab and line feed, DEL, C1
_ACTING = (
    f"{_DROPPED}"
    "\u2028\u2029"  # other ends of lines
    "\ud800-\udfff"  # halves of characters: bytes of a file's name that are not UTF-8
)
# None of these is dropped: what stays beside one of them has it still at its side.
_EMOJI = (
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u231a-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_IDEOGRAPH = "[\u2e80-\u2fdf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]"
# Arabic to Myanmar, Khmer, Mongolian, Balinese to Vedic, Javanese, and later additions.
_JOINED = (
    "[\u0600-\u061b\u061d-\u109f\u1780-\u17b3\u17b6-\u180a\u1810-\u18af\u1b00-\u1cff\ua800-\uabff"
    "\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff\U0001e900-\U0001e95f]"
)
# These have a meaning between letters of some scripts and in emoji. Elsewhere they hide a text, or
# part the letters of a secret.
_JOINER = (
    f"[\u200c\u200d](?!(?<={_JOINED}.){_JOINED}|(?<={_EMOJI}.){_EMOJI}"
    f"|(?<={_EMOJI}\ufe0f.){_EMOJI})"
)
# A character has at most one; a row of them can hold a text.
_SELECTOR = (
    "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
    f"(?<!{_EMOJI}[\ufe0e\ufe0f])(?<!{_IDEOGRAPH}.)(?!(?<=[0-9#*]\ufe0f)\u20e3)"
)
_ASTRAY = f"{_JOINER}|{_SELECTOR}"
# Of these, Python calls those printable that are letters or marks.
_PRINTABLE_ONES = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    "\ufe00\ufe01\ufe02\ufe03\ufe04\ufe05\ufe06\ufe07\ufe08\ufe09\ufe0a\ufe0b\ufe0c\ufe0d\ufe0e\ufe0f"
)
_PRINTABLE_BEFORE = "\U000e0000"
# Compiled when a text has such a character, which is rare: this takes 3 ms.
_IN_A_LINE = f"[\n{_ACTING}]|{_ASTRAY}"
_IN_JSON = f"[{_ACTING}]|{_ASTRAY}"
_IN_TEXT = f"[{_DROPPED}]|{_ASTRAY}"
_HIDDEN = f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_UNSEEN}]|{_ASTRAY}"
# A word of a command as shlex.quote puts it; $'' with escapes means the same in bash and zsh.
_SHELL_WORD = r"(?<!\w)'([^']*)'(?!\w)"
_UNDECODED = "[\udc80-\udcff]"  # one byte each: PEP 383
_SURROGATE = "[\ud800-\udfff]"
_ENDS = "\r\n?|[\u2028\u2029]"
# Control sequences and strings (ECMA-48, 5.4 and 5.6; a BEL ends one of xterm) and choices of
# character sets, as programs colour their output. Without their ESC alone, the rest would be text.
_STRING = "[^\x07\n\r\x1b\x90\x98\x9c-\x9f]*"
_SEQUENCES = (
    "(?:\x1b\\[|\x9b(?=[0-?]))[0-?]*[ -/]*[@-~]"
    f"|(?:\x1b[]PX^_]|[\x90\x98\x9d-\x9f]){_STRING}(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[()][0-2AB]"
)

# What may not be shown as it is: all of the above, joiners and selectors everywhere, other blanks
# than a space, characters of no script, spaces at the ends and in a row, and Azure's sign.
_UNCERTAIN = (
    f"[\n\t{_ACTING}\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef\xa0\u1680\u2000-\u200a\u202f"
    "\u205f\u3000\ue000-\uf8ff\U000f0000-\U0010ffff]|(?<= ) |^ | $|(?<=#)#"
)

_LOGIN = r"(?<=://)[^/\s@:'\"]*:[^/\s@'\"]*@"


def _is_plain(text: str) -> bool:
    """Whether it surely has none of these characters; quicker than a search."""
    if not text.isprintable():
        return False
    return text.isascii() or (max(text) < _PRINTABLE_BEFORE and _PRINTABLE_ONES.isdisjoint(text))


def _without_sequences(text: str) -> str:
    """`text` without escape sequences of terminals."""
    return re.sub(_SEQUENCES, "", text)


def without_controls(text: str) -> str:
    """`text` without sequences and characters that act or are not seen; newlines and tabs stay.

    Trackers drop or refuse control characters, and in a terminal they act. A model reads what a
    person does not see. Halves of characters stay.
    """
    if _is_plain(text.replace("\n", "").replace("\t", "")):
        return text
    return re.sub(_IN_TEXT, "", re.sub(_ENDS, "\n", _without_sequences(text)))


def without_surrogates(text: str) -> str:
    """`text` with U+FFFD for surrogates, which no file and no tracker can store.

    They come from command lines that are not UTF-8 (PEP 383).
    """
    return text if text.isascii() else re.sub(_SURROGATE, "\ufffd", text)


def without_hidden(text: str) -> str:
    """`text` without characters that are not seen; ends of lines stay as they are."""
    return text if _is_plain(text) else re.sub(_HIDDEN, "", _without_sequences(text))


def visible(line: str) -> str:
    """One line in which each acting character is shown as a backslash escape; tabs stay.

    A quoted word of a command stays what a shell takes for the same word.
    """
    if _is_plain(line):
        return line
    return re.sub(_IN_A_LINE, _escape, re.sub(_SHELL_WORD, _shell_word, line))


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()


def _shell_word(match: re.Match[str]) -> str:
    if not re.search(_IN_A_LINE, match[1]):
        return match[0]
    word = re.sub(_UNDECODED, _octal, match[1].replace("\\", r"\\"))
    return f"$'{re.sub(_IN_A_LINE, _escape, word)}'"


def _octal(match: re.Match[str]) -> str:
    return f"\\{ord(match[0]) & 0xFF:03o}"


def command_line(argv: Iterable[str]) -> str:
    """A command for consent: its words quoted for a shell, with nothing dropped.

    Each character that is not seen, ends a line or changes the order of what is read is an escape.
    """
    return " ".join(map(_exact_word, argv))


def _exact_word(word: str) -> str:
    escaped = re.sub(_UNCERTAIN, _exact, re.sub(r"[\\']", r"\\\g<0>", word))
    if not re.search(_UNCERTAIN, word):
        return shlex.quote(word)
    return f"$'{escaped}'"


def _exact(match: re.Match[str]) -> str:
    """A character as in $'' of bash and zsh."""
    number = ord(match[0])
    if match[0].isascii() or re.match(_UNDECODED, match[0]):
        return f"\\x{number & 0xFF:02x}"
    return f"\\u{number:04x}" if match[0] <= "\uffff" else f"\\U{number:08x}"


def for_json(document: str) -> str:
    """The same JSON document with these characters escaped, so that it means the same."""
    return "\n".join(
        line if _is_plain(line) else re.sub(_IN_JSON, _json_escape, line)
        for line in document.split("\n")
    )


def _json_escape(match: re.Match[str]) -> str:
    # json leaves DEL alone, for it is ASCII.
    return "\\u007f" if match[0] == "\x7f" else json.dumps(match[0])[1:-1]


def without_passwords(text: str) -> str:
    """A text without the passwords of addresses, as of one that the user has typed."""
    return re.sub(_LOGIN, "***@", text)


def without_comments(text: str) -> str:
    """The text with the signs of comments escaped, which Markdown shows as before."""
    return _COMMENT.sub(r"\\\g<0>", text)
