"""Headings of tasks and stories: an id, a title, and marks of state before and behind them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from unlatch.increments.documents.state_words import (
    BOX,
    SIGN,
    WORD,
    State,
    state_of_box,
    state_of_sign,
    state_of_word,
)

_TASK_ID = (
    r"T-[0-9]{1,9}[A-Za-z]?(?:-[A-Za-z0-9]{1,30}){0,4}"
    r"|T[0-9]{3,9}[A-Za-z]?(?:-[A-Za-z0-9]{1,30}){0,4}"
    r"|T[0-9]{1,2}[A-Za-z]?(?=:)"
)
STORY_ID = r"US-?[0-9]{1,9}[A-Za-z]?(?:-[A-Za-z0-9]{1,30}){0,4}"
CRITERION_ID = r"AC(?:-[A-Za-z0-9]{1,30}){1,5}"
_END_OF_ID = r"(?![\w-]*\w)"
# "T-001 to T-004: ..." is about tasks, it is none.
_NO_RANGE = (
    r"(?!\**[ \t]{0,4}(?:to|through|and|[&,/\u2192\u2013-])[ \t]{0,4}"
    r"(?:T-[0-9]{2}|T[0-9]{3}|US-?[0-9]))"
)
_MARK = rf"(?P<mark>(?:{BOX}|{SIGN})[ \t]{{1,4}})?"
_SEPARATOR = r"\*{0,2}(?P<separator>[ \t]{0,4}[:.)\u2013\u2014-]{0,2}\*{0,2}[ \t]{0,4})"

_TASK = re.compile(rf"{_MARK}\*{{0,2}}(?P<id>{_TASK_ID}){_END_OF_ID}{_NO_RANGE}{_SEPARATOR}")
_STORY = re.compile(
    rf"{_MARK}(?:User Story[ \t]?:?[ \t]{{1,4}})?\*{{0,2}}(?P<id>{STORY_ID}){_END_OF_ID}{_NO_RANGE}"
    rf"{_SEPARATOR}",
    re.IGNORECASE,
)
_STORY_BEHIND = re.compile(rf"(?<!\\)\((?P<id>{STORY_ID})\)\Z")
_SUFFIX = re.compile(
    rf"[ \t](?:(?P<sign>{SIGN})(?:[ \t]{{0,4}}(?P<bare>\[{WORD}\]|\({WORD}\)|{WORD}))?"
    rf"|(?P<framed>\[{WORD}\]|\({WORD}\)))\Z",
    re.IGNORECASE,
)
# No mark is longer; so the end of a title is looked at in one step, however long the title is.
_LONGEST_SUFFIX = 40
_MOST_MARKS = 3


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a task or a story.

    Args:
        mark: what stands before the id, white space included ("[x] "), or nothing.
        separator: what stands between id and title (": ").
        suffix: what stands behind the title, white space included (" [DONE]"), or nothing.
    """

    id: str
    title: str
    mark: str = ""
    separator: str = ""
    suffix: str = ""

    @property
    def mark_state(self) -> State | None:
        """What the mark before the id says."""
        mark = self.mark.rstrip(" \t")
        if mark.startswith("["):
            return state_of_box(mark)
        return state_of_sign(mark)

    @property
    def suffix_state(self) -> State | None:
        """What the mark behind the title says."""
        return suffix_state(self.suffix)


def read_task_heading(words: str) -> Heading | None:
    """Take a task's heading apart; None if it is not one."""
    match = _TASK.match(words)
    return _heading(match, words) if match else None


def read_story_heading(words: str) -> Heading | None:
    """Take a story's heading apart; None if it is not one."""
    if match := _STORY.match(words):
        return _heading(match, words)
    behind = _STORY_BEHIND.search(words, max(0, len(words) - _LONGEST_SUFFIX))
    if behind is None:
        return None
    return Heading(behind["id"], words[: behind.start()].rstrip(" \t"))


def story_behind(title: str) -> str | None:
    """The story that a title names at its end: "Set it up (US-001)"."""
    found = _STORY_BEHIND.search(title, max(0, len(title) - _LONGEST_SUFFIX))
    return found["id"] if found else None


def suffix_of(title: str) -> str:
    """The marks of states that a title ends with, white space included, or nothing."""
    rest = title
    for _ in range(_MOST_MARKS):
        rest = rest[: len(rest) - len(_last_mark(rest))]
    return title[len(rest) :]


def suffix_state(suffix: str) -> State | None:
    """What marks behind a title say; of several the last."""
    mark = _last_mark(suffix)
    return _state(mark) if mark else None


def _last_mark(title: str) -> str:
    start = max(0, len(title) - _LONGEST_SUFFIX)
    found = _SUFFIX.search(title, start)
    if found is None or _state(found[0]) is None:
        return ""
    return title[len(title[: found.start()].rstrip(" \t")) :]


def _state(mark: str) -> State | None:
    found = _SUFFIX.fullmatch(" " + mark.lstrip(" \t"))
    if found is None:
        return None
    word = (found["bare"] or found["framed"] or "").strip("[]()")
    return state_of_word(word) if word else state_of_sign(found["sign"])


def _heading(match: re.Match[str], words: str) -> Heading:
    # A mark may stand where the title would; the space before it belongs to the separator then.
    title = words[match.end() :]
    suffix = suffix_of(" " + title) if words[: match.end()].endswith((" ", "\t")) else ""
    return Heading(
        match["id"],
        title[: max(0, len(title) - len(suffix))],
        mark=match["mark"] or "",
        separator=words[match.end("separator") - len(match["separator"]) : match.end()],
        suffix=suffix,
    )
