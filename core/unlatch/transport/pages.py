"""Lists that come in pages, and end."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from unlatch.errors import Rejected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# A hundred thousand entries, at the usual hundred a page.
MOST_PAGES = 1000
MOST_SECONDS = 900.0


def each_page(clock: Callable[[], float] = time.monotonic) -> Iterator[int]:
    """The numbers of the pages that may be read of one list, from 0.

    Raises:
        Rejected: `answer-not-understood`, the tracker says for more than `MOST_PAGES`, or for
            longer than `MOST_SECONDS`, that there is a further one.
    """
    end = clock() + MOST_SECONDS
    for number in range(MOST_PAGES):
        if clock() > end:
            break
        yield number
    raise Rejected(
        "answer-not-understood",
        "the tracker's list does not end, or is longer than can be read",
        hint=f"it was read for {MOST_SECONDS / 60:.0f} minutes, or {MOST_PAGES} pages",
    )
