"""The words of a workflow: short lines without absolute paths, and names of steps."""

from __future__ import annotations

import re

from unlatch_sessions.heading import one_line

LONGEST = 100
_LONGEST_NAME = 60
_END = "\u2026"
_PART = r"[^\s/\\:*?\"'<>|`,;()\[\]{}]+"
_SLASH = r"(?:/|\\{1,2})"  # in JSON there are two
# Options of compilers have a path behind their letter; a colon separates the paths of a list.
_ABSOLUTE = re.compile(
    r"(?:(?<![\w./~-])|(?<=\s-[A-Za-z]))(?:file://)?(?:~|[A-Za-z]:)?(?!//)"
    rf"{_SLASH}(?:{_PART}{_SLASH})*(?P<name>{_PART}){_SLASH}?"
)
# The words of people around a request.
_GREETING = re.compile(
    r"\A(?:(?:hello|hi|hey|great|thanks|thank you|perfect|nice|good|awesome|cool|okay|ok|well"
    r"|this is (?:really )?(?:great|helpful|nice))\b(?: \w+){0,2}[.!,]+\s+)+(?=\S)",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\A(?:(?:can|could|would|will) you (?:help me (?:to )?)?|(?:please|also|now|and|then|just) "
    r"|i(?: want| need|'d like| would like) you to |let'?s |let us )+(?=\w)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=\w{2})[.?!:;]\s")
# The reader of one dialect takes them for other sections.
_RESERVED = frozenset(("summary", "goals", "validation"))
_PARALLEL = re.compile(r"\A[&\s]++|(?:(?<!\s)\s++)?\(parallel\)\Z", re.IGNORECASE)
_AGENT_OR_CHANNEL = re.compile(r"(?<!\s)\s++[@#]\S*+\Z")


def without_paths(text: str) -> str:
    """The text with the name of each absolute path alone."""
    return _ABSOLUTE.sub(lambda match: match["name"], text)


def line(text: str, length: int = LONGEST) -> str:
    """The text on a line in which nothing begins data or a condition."""
    words = re.sub(r"\u2192|->", "to", without_paths(one_line(text)))
    return cut(words, length)


def cut(words: str, length: int) -> str:
    """The text up to the end of a word."""
    if len(words) <= length:
        return words
    head = words[: length - 1]
    if not words[length - 1].isspace() and len(head.rpartition(" ")[0]) > length // 2:
        head = head.rpartition(" ")[0]
    return head.rstrip(" ,;:.-") + _END


def name(title: str) -> str:
    """The name of a step, from the title of a phase (often a person's words)."""
    words = re.sub(r"\*\*|`|::", " ", line(title, len(title) + 1))
    words = " ".join(words.strip("\"' ").split())
    if words.endswith(_END):  # the title was cut, perhaps in a word
        words = words[:-1].rpartition(" ")[0] or words[:-1]
    words = _ASKING.sub("", _GREETING.sub("", words))
    words = _SENTENCE.split(words, maxsplit=1)[0]
    words = cut(words, _LONGEST_NAME).removesuffix(_END)
    while words != (bare := _AGENT_OR_CHANNEL.sub("", _PARALLEL.sub("", words.strip(_MARKS)))):
        words = bare
    words = words[:1].upper() + words[1:] if words.isascii() else words
    return f"{words} step" if words.lower() in _RESERVED else words or "Step"


# Marks at the ends that mean something in a heading, or that a reader leaves out.
_MARKS = " !?.,:;\\#@<>[]-_=*"
