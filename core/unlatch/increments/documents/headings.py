"""Headings of tasks and stories: an id, a title, and status marks before and after them.

A task may also be a list item with a check box. Marking a heading loses no mark: a note behind the
title keeps outdated ones, as in "(was: [X] DONE)".
"""

import re
from functools import lru_cache

from unlatch.increments.documents.marks import BLANK, READ_BOX, State, state_of_box
from unlatch.increments.documents.state_words import (
    SIGN,
    WORD,
    box,
    is_wanted,
    state_of_sign,
    state_of_word,
)
from unlatch.patterns import pattern
from unlatch.values import dataclass

_TASK_ID = (
    r"T-(?:US-?[0-9]{1,9}[A-Za-z]?-)?[0-9]{1,9}[A-Za-z]?(?:-[A-Za-z0-9]{1,30}){0,4}"
    r"|T[0-9]{3,9}[A-Za-z]?(?:-[A-Za-z0-9]{1,30}){0,4}"
    r"|T[0-9]{1,2}[A-Za-z]?(?=:)"
)
STORY_ID = r"US-?[0-9]{1,9}[A-Za-z]?(?:-[A-Za-z0-9]{1,30}){0,4}"
CRITERION_ID = r"AC(?:-[A-Za-z0-9]{1,30}){1,5}"
_END_OF_ID = r"(?![\w-]*\w)"
# "T-001 to T-004: ..." is a heading about tasks, not of one.
_NO_RANGE = (
    r"(?![*`]*[ \t]{0,4}(?:to|through|and|[&,/\u2192\u2013-])[ \t]{0,4}"
    r"[*`]*(?:T-[0-9]{2}|T[0-9]{3}|US-?[0-9]))"
)
_MARK = rf"(?P<mark>(?:{READ_BOX}|{SIGN}){BLANK}{{1,4}})?"
_SEPARATOR = r"\*{0,2}(?P<separator>[ \t]{0,4}[:.)\u2013\u2014-]{0,2}\*{0,2}[ \t]{0,4})"

# The id may be code, or the text of a link.
LINK_END = r"(?:\](?:\([^()]{0,200}\))?)?"
TASK = pattern(
    rf"{_MARK}\*{{0,2}}(?:Task[ \t]{{1,4}})?\[?[*`]{{0,3}}(?P<id>{_TASK_ID}){_END_OF_ID}{_NO_RANGE}"
    rf"[*`]{{0,3}}{LINK_END}{_SEPARATOR}",
    re.IGNORECASE,
)
_STORY = pattern(
    rf"{_MARK}(?:User Story[ \t]?:?[ \t]{{1,4}})?\*{{0,2}}(?P<id>{STORY_ID}){_END_OF_ID}{_NO_RANGE}"
    rf"{_SEPARATOR}",
    re.IGNORECASE,
)
_STORY_BEHIND = pattern(rf"(?<!\\)\((?P<id>{STORY_ID})\)\Z")
_SUFFIX = pattern(
    rf"[ \t](?:(?P<sign>{SIGN})(?:[ \t]{{0,4}}(?P<bare>\[{WORD}\]|\({WORD}\)|{WORD}))?"
    rf"|(?P<framed>\[{WORD}\]|\({WORD}\)))\Z",
    re.IGNORECASE,
)
# No mark is longer, so only this much of a long title is searched.
_LONGEST_SUFFIX = 40
_MOST_MARKS = 3
# A former mark before the id is followed by dots for id and title.
_WAS = pattern(
    rf"[ \t]\(was:(?: (?P<box>{READ_BOX})| (?P<sign>{SIGN}[ \t]{{1,4}})\.\.\.)?"
    r"(?P<suffix>(?:(?!\(was:).)*)\)\Z"
)
_LONGEST_WAS = _MOST_MARKS * _LONGEST_SUFFIX


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a task or a story.

    Args:
        mark: the status mark before the id with its white space ("[x] "), or nothing.
        suffix: the status marks after the title with their white space (" [DONE]"), or nothing.
    """

    id: str
    title: str
    mark: str = ""
    separator: str = ""
    suffix: str = ""

    @property
    def has_box(self) -> bool:
        return self.mark.startswith(("[", "\\"))

    @property
    def mark_state(self) -> State | None:
        return state_of_box(self.mark) if self.has_box else state_of_sign(self.mark)

    @property
    def suffix_state(self) -> State | None:
        """The status of the last mark after the title."""
        return _suffix_state(self.suffix)

    @property
    def is_marked_done(self) -> bool:
        """Whether it has a mark of done tasks, or the note of one."""
        was = _WAS.search(self.suffix) if self.suffix else None
        noted = (_suffix_state(was["suffix"]) or state_of_sign(was["sign"] or "")) if was else None
        return State.DONE in (self.mark_state, self.suffix_state, noted)


def boxed_marks(heading: Heading, *, done: bool, ticked: str) -> tuple[str, str]:
    """The new marks before and after a heading with a check box.

    Args:
        ticked: the check box of done tasks.
    """
    old, suffix = heading.mark.rstrip(), heading.suffix
    space = heading.mark[len(old) :]
    usual = ticked if done else box(done=False)
    if was := _WAS.search(suffix):
        before = (was["box"] or usual) + space, suffix[: was.start()] + was["suffix"]
        states = (state_of_box(before[0]), _suffix_state(before[1]) or state_of_box(usual))
        if all(is_wanted(state, done=done) for state in states):
            return before
    new = old if is_wanted(heading.mark_state, done=done) else usual
    plain = old.replace("\\", "")
    lost = "" if plain in (new, ticked, box(done=False)) else f" {plain}"
    if not (was or is_wanted(heading.suffix_state or state_of_box(usual), done=done)):
        lost, suffix = lost + suffix, ""
    elif state_of_box(old) is State.DONE:
        lost = ""  # [X] is only a spelling
    return new + space, f"{suffix} (was:{lost})" if lost else suffix


def plain_marks(
    heading: Heading, *, done: bool, usual: tuple[str, str], dropped: tuple[str, str]
) -> tuple[str, str]:
    """The new marks before and after a heading without a check box.

    Args:
        usual: the marks of such tasks.
        dropped: marks of tasks in the other state, which need no note.
    """
    was = _WAS.search(heading.suffix)
    note = was[0] if was else ""
    if was:
        before = was["sign"] or "", heading.suffix[: was.start()] + was["suffix"]
        if is_wanted(_suffix_state(before[1]) or state_of_sign(before[0]), done=done):
            return before
    mark, suffix = heading.mark, heading.suffix.removesuffix(note)
    lost = (
        mark if _is_lost(heading.mark_state, done=done) else "",
        suffix if _is_lost(heading.suffix_state, done=done) else "",
    )
    if any(lost) and not note and lost != dropped:
        note = f" (was:{f' {lost[0]}...' if lost[0] else ''}{lost[1]})"
    mark, suffix = mark.removeprefix(lost[0]), suffix.removesuffix(lost[1])
    return mark or usual[0], (suffix or usual[1]) + note


def _is_lost(state: State | None, *, done: bool) -> bool:
    return state is not None and not is_wanted(state, done=done)


def read_task_heading(words: str) -> Heading | None:
    match = TASK.match(words)
    return _heading(match, words) if match else None


@lru_cache  # each task asks for those above it
def read_story_heading(words: str) -> Heading | None:
    if match := _STORY.match(words):
        return _heading(match, words)
    behind = _story_behind(words)
    return Heading(behind["id"], words[: behind.start()].rstrip(" \t")) if behind else None


def story_behind(title: str) -> str | None:
    """The story that a title names at its end: "Set it up (US-001)"."""
    match = _story_behind(title)
    return match["id"] if match else None


def _story_behind(title: str) -> re.Match[str] | None:
    if not title.endswith(")"):
        return None
    return _STORY_BEHIND.search(title, max(0, len(title) - _LONGEST_SUFFIX))


def last_mark(title: str) -> str:
    """The last status mark or note of marks at the end of a title, with its white space."""
    was = _WAS.search(title, max(0, len(title) - _LONGEST_WAS))
    if (
        was
        and (was["box"] or was["sign"] or was["suffix"])
        and _marks_of(was["suffix"]) == was["suffix"]
    ):
        return was[0]
    return _last_mark(title)


def _suffix_of(title: str) -> str:
    """The status marks at the end of a title, with their white space, or nothing."""
    if title.isascii() and not title.endswith((")", "]")):  # most titles; a sign is not in ASCII
        return ""
    last = last_mark(title)
    return _marks_of(title[: len(title) - len(last)]) + last


def _marks_of(title: str) -> str:
    rest = title
    for _ in range(_MOST_MARKS):
        rest = rest[: len(rest) - len(_last_mark(rest))]
    return title[len(rest) :]


def _suffix_state(suffix: str) -> State | None:
    if not suffix:
        return None
    mark = _last_mark(_WAS.sub("", suffix))
    return _state(mark) if mark else None


def _last_mark(title: str) -> str:
    start = max(0, len(title) - _LONGEST_SUFFIX)
    match = _SUFFIX.search(title, start)
    if match is None or _state(match[0]) is None:
        return ""
    return title[len(title[: match.start()].rstrip(" \t")) :]


def _state(mark: str) -> State | None:
    match = _SUFFIX.fullmatch(" " + mark.lstrip(" \t"))
    if match is None:
        return None
    word = (match["bare"] or match["framed"] or "").strip("[]()")
    return state_of_word(word) if word else state_of_sign(match["sign"])


def _heading(match: re.Match[str], words: str) -> Heading:
    # A mark may stand in place of the title; then the space before it belongs to the separator.
    title = words[match.end() :]
    suffix = _suffix_of(" " + title) if words[: match.end()].endswith((" ", "\t")) else ""
    return Heading(
        match["id"],
        title[: max(0, len(title) - len(suffix))],
        mark=match["mark"] or "",
        separator=words[match.end("separator") - len(match["separator"]) : match.end()],
        suffix=suffix,
    )
