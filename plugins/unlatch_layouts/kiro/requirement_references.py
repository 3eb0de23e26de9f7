"""The criteria that tasks name: `_Requirements: 1.2, 3_`, `**Validates: Requirements 2.1-2.4**`."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from unlatch.increments.documents.spec_and_tasks import Spec
from unlatch.increments.documents.titles import REQUIREMENT
from unlatch_layouts.kiro.requirements import NUMBER, key, number_of

_MARK = r"[_*]{0,3}"
_LABEL = (
    rf"{_MARK}(?P<before>[^\W\d_][^:\uff1a\d]{{0,30}}[:\uff1a][ \t]*)?{_MARK}"
    rf"(?P<label>{REQUIREMENT}){_MARK}[ \t]*(?P<colon>[:\uff1a])?{_MARK}[ \t]*(?P<numbers>.*)"
)
_REFERENCE = re.compile(rf"(?:[-*+][ \t]+)?{_LABEL}", re.IGNORECASE)
# At the end of a title: set in italics or bold, else it is a part of the sentence.
_AT_END = re.compile(r"[ \t](?P<reference>[_*]{1,3}(?=[^\s_*])[^_*]{1,300}[_*]{1,3})\Z")
_ASIDE = re.compile(r"[(\uff08][^()\uff08\uff09]{0,200}[)\uff09]")
_NUMBERS = re.compile(
    rf"(?<![\w.])(?P<first>{NUMBER})(?:[ \t]*[-\u2013\u2014~\u301c][ \t]*(?P<last>{NUMBER}))?"
)
_MOST = 100


def reference_in(line: str) -> re.Match[str] | None:
    """The reference that a line below a task is."""
    match = _REFERENCE.match(line.strip(" \t"))
    return match if match and (match["before"] or match["colon"]) else None


def without_reference(title: str) -> tuple[str, re.Match[str] | None]:
    """A title without the reference at its end, and the reference."""
    at_end = _AT_END.search(title)
    reference = reference_in(at_end["reference"]) if at_end else None
    return (
        (title[: at_end.start()].rstrip(" \t"), reference)
        if at_end and reference
        else (title, None)
    )


def stories_by_key(spec: Spec) -> Mapping[str, str]:
    """The story of each story (itself) and of each criterion, by their ids."""
    criteria = {criterion.id: criterion.story for criterion in spec.criteria if criterion.story}
    return {**criteria, **{story.id: story.id for story in spec.stories}}


def keys_in(
    references: Iterable[re.Match[str]], stories: Mapping[str, str]
) -> tuple[str | None, tuple[str, ...]]:
    """The story and the criteria that references name.

    A whole requirement counts if it is `stories`, so numbers of words ("for 100 users") do not.
    """
    numbers = chain.from_iterable(_numbers(reference["numbers"]) for reference in references)
    keys = [
        key(number)
        for number in numbers
        if key(number) in stories or (number[0].isdigit() and "." in number)
    ]
    if not keys:
        return None, ()
    story = stories.get(keys[0]) or keys[0].rpartition(".")[0]
    return story, tuple(dict.fromkeys(name for name in keys if name != story))


def _numbers(words: str) -> Iterator[str]:
    listed = re.split(r"[_*|;\uff1b]", _ASIDE.sub(" ", words), maxsplit=1)[0]
    for match in _NUMBERS.finditer(listed):
        yield from _between(match["first"], match["last"])


def _between(first: str, last: str | None) -> Iterator[str]:
    yield first
    head, _, low = first.rpartition(".")
    same, _, high = (last or "").rpartition(".")
    if last and head == same and low.isdecimal() and high.isdecimal():
        for number in range(int(low) + 1, min(int(high), int(low) + _MOST) + 1):
            yield f"{head}.{number}" if head else str(number)
    elif last:
        yield last


def as_reference(story: str | None, criteria: Iterable[str], *, label: str) -> str | None:
    """The line of a task that names its story and criteria; None without any."""
    named = tuple(dict.fromkeys(criteria))
    if story and not any(criterion.startswith(f"{story}.") for criterion in named[:1]):
        named = (story, *(criterion for criterion in named if criterion != story))
    return f"_{label}: {', '.join(map(number_of, named))}_" if named else None


def neutralised(words: str) -> str:
    """A text of people in which nothing reads as a reference."""
    is_reference = reference_in(words) or without_reference(words)[1]
    return (
        re.sub(r"[:\uff1a]", lambda colon: f"&#{ord(colon[0])};", words) if is_reference else words
    )
