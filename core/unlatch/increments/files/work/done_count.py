"""The number of done marks in an increment's documents, to see later if there are more.

A reopen counts them, and must not wait for the parsers of tasks and criteria.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unlatch.increments.files.paths import SPEC, TASKS
from unlatch.increments.files.reading import read_document
from unlatch.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.increments.model.increment import Increment

# A ticked box, a sign, or a status in words: `- [x]`, `### T-001 ✅`, `**Status**: completed`.
_DONE = pattern(
    r"\[[xX]\]|[\u2705\u2611\u2714]|^(?:[^\S\r\n]|[>*-])*+status\W{1,6}(?:completed?|done)\b",
    re.IGNORECASE | re.MULTILINE,
)


def count_done(increment: Increment) -> int:
    """The done marks in the documents, with the amendments that are not written yet."""
    return sum(len(_DONE.findall(text)) for text in _texts(increment))


def _texts(increment: Increment) -> Iterable[str]:
    if increment.unit is None and not increment.unwritten:
        return [read_document(increment.folder / name) or "" for name in (SPEC, TASKS)]
    from unlatch.increments.files.work.amendments import texts_of  # noqa: PLC0415  (slow to load)

    return texts_of(increment).values()
