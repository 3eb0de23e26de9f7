"""Quote texts of people and programs in a Markdown file, so that they never become structure."""

from unlatch.increments.documents.headings import (
    last_mark,
    read_story_heading,
    read_task_heading,
    story_behind,
)
from unlatch.increments.documents.marks import BOX
from unlatch.patterns import pattern
from unlatch.worklog.text.neutral import without_comments, without_controls, without_surrogates

_SHOWN = 60
# Line breaks to some readers (JavaScript's multi-line patterns for one), not to CommonMark.
_OTHER_BREAKS = pattern("[\u2028\u2029]")
# The beginning of a block, after markers of lists and quotes (these may stay).
_BLOCK_START = pattern(
    r"(?P<lead>[ \t]*(?:(?:[-+*>]|[0-9]{1,9}[.)])[ \t]+|>)*)"
    rf"(?P<sign>#{{1,6}}(?=[ \t]|\Z)|`{{3}}|~{{3}}|{BOX}|-{{3}}|={{3}}|\+{{3}}|\*{{3}}|_{{3}}|<)"
)
# The sign before a further field of a task on the same line.
_FIELD_SIGN = pattern(r"[|\u00b7](?=[ \t]*(?:\*\*|[Ss]tatus:))")


def shown(text: str) -> str:
    """The beginning of an input, on one line, for a message."""
    line = " ".join(without_controls(text[: _SHOWN * 2]).split())
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "..."


def quoted(text: str) -> list[str]:
    """The text as the lines of a block quote.

    For readers that look at single lines, the beginning of a heading, code block, comment or
    check box is escaped as well.
    """
    clean = _OTHER_BREAKS.sub("\n", without_controls(without_surrogates(text)))
    lines = [line.rstrip(" \t") for line in clean.strip("\n").split("\n")]
    return [f"> {escaped(line)}" if line else ">" for line in lines]


def one_line(text: str) -> str:
    """The text on one line, for a heading or after a label."""
    line = " ".join(without_controls(without_surrogates(text)).split())
    return without_comments(line)


def label_value(text: str) -> str:
    """The text on one line, without the beginning of a further label."""
    return one_line(text).replace("**", r"\*\*")


def as_title(text: str) -> str:
    """The text as the title of a heading, in which nothing reads as a status or a story."""
    title = _FIELD_SIGN.sub(lambda sign: f"&#{ord(sign[0])};", one_line(text))
    if mark := last_mark(f" {title}").strip(" "):
        title = title[: len(title) - len(mark)] + literal(mark)
    if title.endswith("#"):
        title = title[:-1] + r"\#"
    if story_behind(title):
        start = title.rindex("(")
        title = title[:start] + literal(title[start:])
    return title


def as_heading(text: str) -> str:
    """The text as a heading that reads neither as a task nor as a story."""
    title = as_title(text)
    if read_task_heading(title) or read_story_heading(title):
        return escaped(title) if title.startswith("[") else literal(title)
    return title


def escaped(line: str) -> str:
    """The line with a sign escaped that would begin a block, and a comment."""
    if match := _BLOCK_START.match(line):
        sign = match["sign"].replace("]", r"\]")
        line = f"{match['lead']}\\{sign}{line[match.end() :]}"
    return without_comments(line)


def literal(words: str) -> str:
    """The words with their first character escaped, which Markdown shows unchanged."""
    first = words[0]
    is_punctuation = first.isascii() and not first.isalnum()
    return (f"\\{first}" if is_punctuation else f"&#{ord(first)};") + words[1:]
