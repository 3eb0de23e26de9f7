"""The words, signs and check boxes for the status of a task, as real files spell them."""

import re
from functools import lru_cache

from unlatch.increments.documents.marks import READ_BOX, State, state_of_box
from unlatch.patterns import pattern
from unlatch.values import dataclass

_WORDS = {
    State.DONE: "completed complete done finished implemented closed resolved",
    State.OPEN: "pending not_started not_done todo to_do planned open incomplete backlog",
    State.STARTED: "in_progress started wip planning ready blocked in_review review partial "
    "partially_complete partially_completed active paused on_hold waiting",
    State.DISCARDED: "deferred discarded cancelled canceled abandoned skipped dropped postponed "
    "obsolete superseded descoped wontfix won't_do won't_fix not_needed not_planned out_of_scope",
}
_SIGNS = {
    # White heavy check mark, ballot box with check, heavy check mark, check mark.
    State.DONE: "\u2705\u2611\u2714\u2713",
    # White large square, ballot box, black square button, white medium square, cross mark.
    State.OPEN: "\u2b1c\u2610\U0001f532\u25fb\u274c",
    # Hourglass, circle arrows, construction sign, double vertical bar, yellow circle.
    State.STARTED: "\u23f3\U0001f504\U0001f6a7\u23f8\U0001f7e1",
    # Next track, no entry, wastebasket.
    State.DISCARDED: "\u23ed\U0001f6ab\U0001f5d1",
}
_STATES = {word.replace("_", " "): state for state in _WORDS for word in _WORDS[state].split()}
_STATE_OF_SIGN = {sign: state for state in _SIGNS for sign in _SIGNS[state]}
# Symbols and emoji with their variation selectors, without the typographic signs of prose.
SIGN = r"[^\x00-\x7F\w\s\u2013\u2014\u2026\u201c\u201d\u2018\u2019\u00ab\u00bb\u2022\u00b7]{1,4}"
_SPELLINGS = (re.escape(word).replace(r"\ ", "[ -]") for word in sorted(_STATES, key=len)[::-1])
WORD = rf"(?:{'|'.join(_SPELLINGS)})(?![\w-])"
_STATUS = pattern(
    rf"""(?P<box>{READ_BOX})?[ ]?(?:\*\*)?(?P<sign>{SIGN})?[ ]?(?:\*\*)?(?P<word>{WORD})?(?:\*\*)?
    (?P<decor>[ ]?(?P<second>{SIGN})(?:[ ](?:\*\*)?{WORD}(?:\*\*)?)?)?""",
    re.VERBOSE | re.IGNORECASE,
)
_NOTE_WORD = pattern(
    rf"[ \t(\[:\u2013\u2014-]{{0,8}}(?:{SIGN}[ ]?)?(?P<word>{WORD})", re.IGNORECASE
)
_PERCENT = pattern(r" ?\([0-9]{1,3}%[^()]{0,80}\)")
_BOX = pattern(READ_BOX)
_WAS = pattern(r" \(was: (?P<old>(?:(?!\(was: ).)+)\)\Z")
_REMARK = pattern(r"\((?P<words>[^()]+)\)")
_DATE = pattern(r"[ \t]{0,4}(?:\([0-9]{4}-[0-9]{2}-[0-9]{2}\)|[0-9]{4}-[0-9]{2}-[0-9]{2}\b)")


@dataclass(frozen=True, slots=True)
class Status:
    """A status as it is written.

    Args:
        spelling: the part that any task in this state could have.
        note: the rest, which is about this task alone.
        state: None for unknown words.
    """

    spelling: str
    note: str
    state: State | None
    box: str | None
    word: str | None

    @property
    def is_given_up(self) -> bool:
        """Whether it is neither open nor done, so that its words are not used for other tasks."""
        return self.state in (State.DISCARDED, None)

    @property
    def lasting_note(self) -> str:
        """The part of the note that stays true in another state."""
        if self.is_given_up:
            return ""
        note = self.note
        if date := _DATE.match(note):
            note = note[date.end() :]
        return "" if _NOTE_WORD.match(note) else note


def state_of_word(word: str) -> State | None:
    return _STATES.get(word.lower().replace("-", " "))


def state_of_sign(sign: str) -> State | None:
    """The meaning of the first known sign."""
    return next(
        (_STATE_OF_SIGN[character] for character in sign if character in _STATE_OF_SIGN), None
    )


def box(*, done: bool) -> str:
    return "[x]" if done else "[ ]"


def is_wanted(state: State | None, *, done: bool) -> bool:
    """Whether a state counts as done, or as open (a started task is open)."""
    return state is State.DONE if done else state in (State.OPEN, State.STARTED)


@lru_cache  # few words stand in many tasks
def read_status(raw: str) -> Status:
    if raw == "100%":
        return Status(raw, "", State.DONE, None, None)
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


def with_note(words: str, old: str, *, done: bool) -> str:
    """Words for a state, with a note of the replaced status."""
    rest = old.removeprefix(f"{box(done=not done)} ")
    if _BOX.match(rest) or _is_discarded(rest) is not _is_discarded(old):
        rest = old
    if _is_discarded(old):  # the words are there already
        rest = rest.removeprefix(words).lstrip(" \t")
        remark = _REMARK.fullmatch(rest)
        rest = remark["words"] if remark else rest
    return f"{words} (was: {rest})"


def _is_discarded(raw: str) -> bool:
    return read_status(raw).state is State.DISCARDED


def split_note(raw: str) -> tuple[str, str]:
    """A status and the last note behind it, with its space."""
    note = _WAS.search(raw)
    return (raw[: note.start()], note[0]) if note else (raw, "")


def noted(raw: str, *, done: bool) -> str | None:
    """The status that a note restores, if it is of the wanted state."""
    note = _WAS.search(raw)
    if note is None:
        return None
    old = note["old"]
    if read_status(raw).box and not (_BOX.match(old) or _is_discarded(old)):
        old = f"{box(done=done)} {old}"
    return old if is_wanted(read_status(old).state, done=done) else None


def opposite(status: Status | None, *, done: bool) -> str:
    """The other state in the style of `status`, if that has a style."""
    word = "completed" if done else "pending"
    if status is None or not status.spelling:
        return f"{box(done=done)} {word}"
    boxed = box(done=done) if status.box else ""
    if status.word is None and status.spelling == status.box:
        return boxed
    if status.word and status.word.isupper():
        word = word.upper()
    elif status.word and status.word[0].isupper():
        word = word.capitalize()
    return f"{boxed} {word}".lstrip(" ")
