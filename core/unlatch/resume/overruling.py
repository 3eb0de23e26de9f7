"""Words of a person that overrule a decision of an agent before them."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

# The beginnings of such words.
_OVERRULING = re.compile(
    r"\W*(?:no(?:[,.!:;]|\W*$)(?! (?:thanks|thank|problem|worries|need))"
    r"|not\b(?! (?:sure|bad|yet|now|necessar))"
    r"|(?:do not|don['\u2019]?t) (?!forget|worry|hesitate|bother|mind|know|see|understand|think|you"
    r"|i |we )"
    r"|instead\b|actually\b)",
    re.IGNORECASE,
)
OVERRULED = "(overruled)"


def is_overruling(words: str) -> bool:
    """Whether the words of a person begin by overruling what was said before them."""
    return bool(_OVERRULING.match(words))


def overruled(entries: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """The places of an agent's lines in a log, and the words after them that overrule these."""
    return {
        at: str(after["content"])
        for at, (line, after) in enumerate(pairwise(entries))
        if (line.get("role"), after.get("role")) == ("assistant", "user")
        and is_overruling(str(after.get("content")))
    }
