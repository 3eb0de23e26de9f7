"""Find the efforts that a message refers to, and the common words of texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unlatch.worklog.search_index import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch_efforts.effort_model import Effort

# A message refers to an effort if it has this many of its keywords, or names it.
OVERLAP = 2
_SHORTEST = 3
# Besides STOP_WORDS, which leave these to a search: in a few efforts they are as rare as others.
_FUNCTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a am an as at be by d do doing he i if in is it ll m me my no of on or re s she so t than "
        "to up us ve we",
    )
)


def keywords(text: str) -> frozenset[str]:
    """The words of a text that name its topic; plurals count as the singular."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    kept = (word for word in words if len(word) >= _SHORTEST and word not in STOP_WORDS)
    return frozenset(word.removesuffix("s") if not word.endswith("ss") else word for word in kept)


def without_function_words(message: str) -> str:
    """The words of a message to look for similar work by."""
    words = re.findall(r"\w+(?:[-.:]\w+)*", message)
    return " ".join(word for word in words if word.lower() not in STOP_WORDS | _FUNCTION_WORDS)


def referred(message: str, efforts: Iterable[Effort]) -> list[str]:
    """The ids of the efforts that a message refers to."""
    words, plain = keywords(message), _plain(message)
    return [effort.id for effort in efforts if _names(plain, effort.id) or _overlaps(words, effort)]


def named(message: str, efforts: Iterable[Effort]) -> list[Effort]:
    """The efforts whose id of several words a message has: `auth-bug`, "the auth bug".

    An id of a single word may be a word of any other topic.
    """
    plain = _plain(message)
    return [effort for effort in efforts if "-" in effort.id and _names(plain, effort.id)]


def mentions(message: str, effort: Effort) -> bool:
    """Whether a message has the id of an effort, also one of a single word."""
    return _names(_plain(message), effort.id)


def _plain(message: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", message.lower()))


def _names(plain: str, effort: str) -> bool:
    return re.search(rf"\b{re.escape(effort.replace('-', ' '))}\b", plain) is not None


def _overlaps(words: frozenset[str], effort: Effort) -> bool:
    own = keywords(f"{effort.title} {effort.summary or ''}")
    return len(words & own) >= OVERLAP
