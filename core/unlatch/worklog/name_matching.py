"""The names of work: what a word means (a number, a name, a part of one), and new names.

Any name can be matched: 0007-search, 001-photo, add-login, 2026-01-24-add-login.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TYPE_CHECKING

from unlatch.patterns import pattern
from unlatch.values import dataclass
from unlatch.worklog.ids import NUMBER, label_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import datetime

    from unlatch.errors import UsageError


MOST_LISTED = 10
_MOST_NAMED = 5
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}-|[0-9]{8}-[0-9]{6}-"
_DATED = pattern(_DATE)
_LABEL = pattern(rf"(?:{_DATE}|[0-9]{{3,9}}[a-z]?-)(?=.)")
# A slash, a # or a leading dot belongs to a path or an item.
_WORDS = pattern(r"\w[\w .-]*")
_APART = pattern(r"[\W_]+")
# "7-12" may be meant as a range; only the beginning of a name, such as a date, has no letter.
_LETTER = pattern(r"[^\W\d_]")
_DIGITS = pattern(r"([0-9]+)-([0-9]+)", re.ASCII)
_MOST_DIGITS = 9
_RANGE = pattern(rf"([0-9]{{1,{_MOST_DIGITS}}})-([0-9]{{1,{_MOST_DIGITS}}})", re.ASCII)


class Match(IntEnum):
    """How a word means a name; the lower one takes precedence."""

    NAME = 0
    NUMBER = 1
    NUMBER_OF_LETTERED = 2  # 24 for 0024G-search
    OTHER_CASE = 3
    TITLE = 4  # the name without its number or date
    BEGINNING = 5  # of the name or its title
    WORDS = 6  # whole words in the title

    @property
    def is_part(self) -> bool:
        return self >= Match.BEGINNING


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A word in the forms that are compared; a form is empty if it matches nothing."""

    typed: str
    folded: str
    number: int | None
    letter: str
    beginning: str
    words: str


def matching(
    names: Collection[str], wanted: str, *, up_to: Match = Match.WORDS
) -> tuple[Match | None, Sequence[str]]:
    """The names that a word means, by the first rule of `Match` that fits any, and the rule.

    A number means only numbers: 7 is neither 0070-search nor 2026-01-24-search. A single
    character means no part of a name. Letters with accents have two spellings in Unicode, which
    editors and file systems change; the typed one takes precedence.
    """
    if wanted.isascii():
        return _matching(names, wanted, up_to)
    how, matches = _matching(names, wanted, Match.NAME)
    if matches:
        return how, matches
    composed: dict[str, list[str]] = {}
    for name in names:
        composed.setdefault(_composed(name), []).append(name)
    how, matches = _matching(composed, _composed(wanted), up_to)
    return how, [name for match in matches for name in composed[match]]


def _composed(text: str) -> str:
    from unicodedata import normalize  # noqa: PLC0415  (most names are ASCII)

    return normalize("NFC", text)


def _matching(
    names: Collection[str], wanted: str, up_to: Match
) -> tuple[Match | None, Sequence[str]]:
    word, names = _read(wanted.rstrip("/")), candidates(names, wanted)
    for how, fits in _RULES.items():
        if how <= up_to and (fitting := [name for name in names if fits(name, word)]):
            return how, fitting
    return None, ()


def candidates(names: Collection[str], wanted: str) -> Collection[str]:
    """The names that a number may mean, by a quick check; for another word all names."""
    number = NUMBER.fullmatch(wanted.rstrip("/"))
    if number is None:
        return names
    digits = number["number"].lstrip("0")
    # The first condition rules out nearly all of them, in a fifth of the time.
    return [name for name in names if digits in name and name.lstrip("0").startswith(digits)]


def in_range(names: Collection[str], wanted: str) -> Sequence[str]:
    """The names with a number in a range (1-12), by number; none if the word is not a range.

    A word that is a whole name is no range.
    """
    match = _RANGE.fullmatch(wanted)
    if match is None or matching(names, wanted, up_to=Match.NAME)[1]:
        return ()
    first, last = map(int, match.groups())
    labels = {name: number_in(name) for name in names}
    numbered = [(label, name) for name, label in labels.items() if label]
    return [name for label, name in sorted(numbered) if first <= label[0] <= last]


def reversed_range(word: str) -> str | None:
    """The range that was meant by one that runs backwards (12-1); None for any other word."""
    if (match := _RANGE.fullmatch(word)) and int(match[1]) > int(match[2]):
        return f"{match[2]}-{match[1]}"
    return None


def range_problem(word: str) -> str | None:
    """Why a range means no name; None for any other word."""
    match = _DIGITS.fullmatch(word)
    if match is None:
        return None
    if not _RANGE.fullmatch(word):
        return f"the numbers of a range have at most {_MOST_DIGITS} digits"
    return f"none has a number from {int(match[1])} to {int(match[2])}"


def _read(typed: str) -> _Wanted:
    if number := NUMBER.fullmatch(typed):
        parsed = int(number["number"]), number["letter"].upper()
        return _Wanted(typed, typed.casefold(), *parsed, "", "")
    words = _joined(typed) if _WORDS.fullmatch(typed) else ""
    beginning = words if len(words) > 1 and not words.isdecimal() else ""
    in_title = beginning if _LETTER.search(words) else ""
    return _Wanted(typed, typed.casefold(), None, "", beginning, in_title)


def _joined(text: str) -> str:
    """Its words in lower case with hyphens."""
    return _APART.sub("-", text.casefold()).strip("-")


def _has_number(name: str, word: _Wanted) -> bool:
    return (word.number, word.letter) == _label(name, word)


def _has_lettered_number(name: str, word: _Wanted) -> bool:
    label = None if word.letter else _label(name, word)
    return label is not None and label[0] == word.number


def _label(name: str, word: _Wanted) -> tuple[int, str] | None:
    """The number of a name and its letter; None if no number is wanted."""
    return None if word.number is None else number_in(name)


def number_in(name: str) -> tuple[int, str] | None:
    """The number of a name and its letter; a date is no number."""
    return None if _DATED.match(name) else label_of(name)


def _title(name: str) -> str:
    return _joined(_LABEL.sub("", name.casefold(), count=1))


def _begins(name: str, word: _Wanted) -> bool:
    is_title = bool(word.words) and _title(name).startswith(word.words)
    return is_title or (bool(word.beginning) and _joined(name).startswith(word.beginning))


_RULES: Mapping[Match, Callable[[str, _Wanted], bool]] = {
    Match.NAME: lambda name, word: name == word.typed,
    Match.NUMBER: _has_number,
    Match.NUMBER_OF_LETTERED: _has_lettered_number,
    Match.OTHER_CASE: lambda name, word: name.casefold() == word.folded,
    Match.TITLE: lambda name, word: bool(word.words) and _title(name) == word.words,
    Match.BEGINNING: _begins,
    Match.WORDS: lambda name, word: bool(word.words) and f"-{word.words}-" in f"-{_title(name)}-",
}


def choose(
    names: Collection[str], wanted: str, *, unknown: UsageError, ambiguous: UsageError
) -> str:
    """The one name that a word means; raises one of the errors with names as its problems."""
    _, matches = matching(names, wanted)
    if len(matches) == 1:
        return matches[0]
    error = ambiguous if matches else unknown
    error.problems = listed(matches) if matches else similar(names, wanted)
    raise error


def listed(names: Sequence[str]) -> tuple[str, ...]:
    """The first names, and the number of the others."""
    rest = len(names) - MOST_LISTED
    return (*names[:MOST_LISTED], *([f"and {rest} more"] if rest > 0 else []))


def first_of(names: Sequence[str]) -> str:
    """The first names in one line, and the number of the others."""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def similar(names: Collection[str], wanted: str) -> tuple[str, ...]:
    """The names that a mistyped word may mean, the most similar first; none for a number."""
    from difflib import get_close_matches  # noqa: PLC0415  (only for an error)

    word = _read(wanted).beginning
    titles = {text: name for name in names for text in (_joined(name), _title(name))}
    close = get_close_matches(word, titles) if word else ()  # a title may be signs alone
    return tuple(dict.fromkeys(titles[title] for title in close))


_LONGEST_SLUG = 60
_BEGINS_WITH_DAY = pattern(r"\A\d{4}-\d\d-\d\d-")


def slug(title: str, *, otherwise: str) -> str:
    """The part of a name that a title makes: lower-case ASCII words, without probable secrets.

    In a name nothing recognises a secret any more: its letters are small, and its signs hyphens.
    """
    import unicodedata  # noqa: PLC0415  (only new names need it)

    from unlatch.worklog.text.secrets import without_secrets  # noqa: PLC0415  (as above)

    plain = unicodedata.normalize("NFKD", without_secrets(title))
    words = re.findall(r"[a-z0-9]+", plain.lower())
    return "-".join(words)[:_LONGEST_SLUG].rstrip("-") or otherwise


def dated_name(day: datetime, slug: str, taken: Collection[str]) -> str:
    """A name that is free; the second one of a day ends with -2."""
    name = f"{day:%Y-%m-%d}-{slug}"
    if name not in taken:
        return name
    candidates = (f"{name}-{number}" for number in range(2, len(taken) + 3))
    return next(candidate for candidate in candidates if candidate not in taken)


def begins(name: str, wanted: str) -> bool:
    """Whether a name, or its part behind the date, begins with these letters."""
    return name.startswith(wanted) or _BEGINS_WITH_DAY.sub("", name).startswith(wanted)
