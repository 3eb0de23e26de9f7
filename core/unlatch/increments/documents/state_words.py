"""The words and signs by which files tell how far a task is, in the spellings of the wild."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto


class State(Enum):
    """What a status says."""

    DONE = auto()
    OPEN = auto()
    STARTED = auto()
    DISCARDED = auto()


_WORDS = {
    State.DONE: "completed complete done finished implemented closed resolved",
    State.OPEN: "pending not_started not_done todo to_do planned open incomplete backlog",
    State.STARTED: "in_progress started wip planning ready blocked in_review review partial "
    "partially_complete partially_completed active paused on_hold waiting",
    State.DISCARDED: "deferred discarded cancelled canceled abandoned skipped dropped postponed "
    "obsolete superseded descoped wontfix won't_do won't_fix not_needed not_planned out_of_scope",
}
_SIGNS = {
    State.DONE: (
        "\N{WHITE HEAVY CHECK MARK}\N{BALLOT BOX WITH CHECK}\N{HEAVY CHECK MARK}\N{CHECK MARK}"
    ),
    State.OPEN: (
        "\N{WHITE LARGE SQUARE}"
        "\N{BALLOT BOX}"
        "\N{BLACK SQUARE BUTTON}"
        "\N{WHITE MEDIUM SQUARE}"
        "\N{CROSS MARK}"
    ),
    State.STARTED: (
        "\N{HOURGLASS WITH FLOWING SAND}"
        "\N{ANTICLOCKWISE DOWNWARDS AND UPWARDS OPEN CIRCLE ARROWS}"
        "\N{CONSTRUCTION SIGN}"
        "\N{DOUBLE VERTICAL BAR}"
        "\N{LARGE YELLOW CIRCLE}"
    ),
    State.DISCARDED: (
        "\N{BLACK RIGHT-POINTING DOUBLE TRIANGLE WITH VERTICAL BAR}\N{NO ENTRY SIGN}\N{WASTEBASKET}"
    ),
}
_STATES = {word.replace("_", " "): state for state in _WORDS for word in _WORDS[state].split()}
_STATE_OF_SIGN = {sign: state for state in _SIGNS for sign in _SIGNS[state]}
_STATE_OF_BOX = {
    "x": State.DONE,
    " ": State.OPEN,
    "~": State.STARTED,
    "/": State.STARTED,
    "-": State.DISCARDED,
}

BOX = r"\[[ xX~/-]\]"
# Symbols and emoji, with the selectors that follow them; not the typographic signs of prose.
SIGN = r"[^\x00-\x7F\w\s\u2013\u2014\u2026\u201c\u201d\u2018\u2019\u00ab\u00bb\u2022\u00b7]{1,4}"
WORD = (
    "(?:"
    + "|".join(
        re.escape(word).replace(r"\ ", "[ -]") for word in sorted(_STATES, key=len, reverse=True)
    )
    + r")(?![\w-])"
)
_STATUS = re.compile(
    rf"""(?P<box>{BOX})?[ ]?(?:\*\*)?(?P<sign>{SIGN})?[ ]?(?:\*\*)?(?P<word>{WORD})?(?:\*\*)?
    (?P<decor>[ ]?(?P<second>{SIGN})(?:[ ](?:\*\*)?{WORD}(?:\*\*)?)?)?""",
    re.VERBOSE | re.IGNORECASE,
)
_NOTE_WORD = re.compile(
    rf"[ \t(\[:\u2013\u2014-]{{0,8}}(?:{SIGN}[ ]?)?(?P<word>{WORD})", re.IGNORECASE
)
_PERCENT = re.compile(r" ?\([0-9]{1,3}%[^()]{0,80}\)")
_DATE = re.compile(r"[ \t]{0,4}(?:\([0-9]{4}-[0-9]{2}-[0-9]{2}\)|[0-9]{4}-[0-9]{2}-[0-9]{2}\b)")


@dataclass(frozen=True, slots=True)
class Status:
    """A status as it is written.

    Args:
        spelling: the part of it that any task in this state could have.
        note: what follows, about this task alone.
        state: None where the words are not known.
    """

    spelling: str
    note: str
    state: State | None
    box: str | None
    word: str | None

    @property
    def lasting_note(self) -> str:
        """What of the note is still true in another state."""
        if self.state in (State.DISCARDED, None):
            return ""
        note = self.note
        if date := _DATE.match(note):
            note = note[date.end() :]
        return "" if _NOTE_WORD.match(note) else note


def state_of_word(word: str) -> State | None:
    """What one of the known words means."""
    return _STATES.get(word.lower().replace("-", " "))


def state_of_sign(sign: str) -> State | None:
    """What a run of signs means, by the first one that is known."""
    return next((_STATE_OF_SIGN[one] for one in sign if one in _STATE_OF_SIGN), None)


def state_of_box(box: str) -> State:
    """What a check box means."""
    return _STATE_OF_BOX[box[1].lower()]


def read_status(raw: str) -> Status:
    """Take a status apart."""
    match = _STATUS.match(raw)
    end = match.end() if match else 0
    box, word, sign = (match["box"], match["word"], match["sign"]) if match else (None, None, None)
    if box and not word and (percent := _PERCENT.match(raw, end)):
        end = percent.end()
    elif match and not (box or word or state_of_sign(sign or "")):
        end = 0
    spelling = raw[:end].rstrip(" \t")
    note = raw[len(spelling) :]
    return Status(spelling, note, _state(box, word, sign, note), box, word)


def _state(box: str | None, word: str | None, sign: str | None, note: str) -> State | None:
    boxed = state_of_box(box) if box else None
    if boxed in (State.DONE, State.DISCARDED):
        return boxed
    worded = state_of_word(word) if word else None
    remark = _NOTE_WORD.match(note)
    remarked = state_of_word(remark["word"]) if remark else None
    if State.DISCARDED in (worded, remarked) and not (worded is State.DONE and not boxed):
        return State.DISCARDED
    if boxed is State.OPEN and worded is State.STARTED:
        return worded
    return boxed or worded or state_of_sign(sign or "")


def opposite(status: Status | None, *, done: bool) -> str:
    """How a file that writes `status` would write the other state, as far as one can tell."""
    word = "completed" if done else "pending"
    if status is None or not status.spelling:
        return f"[x] {word}" if done else f"[ ] {word}"
    box = ("[x]" if done else "[ ]") if status.box else ""
    if status.word is None and status.spelling == status.box:
        return box
    if status.word and status.word.isupper():
        word = word.upper()
    elif status.word and status.word[0].isupper():
        word = word.capitalize()
    return f"{box} {word}".lstrip(" ")
