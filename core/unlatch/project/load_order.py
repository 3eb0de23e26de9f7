"""The order in which trackers load their SDKs."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Seconds; the one before may look for a credential meanwhile, which starts a program.
_LONGEST = 2.0


class LoadOrder:
    """Lets a tracker load its SDK when the tracker before it has sent its first request.

    Python imports in one thread at a time. If all SDKs load together, all first requests leave
    late; in sequence, each tracker answers while the next SDK loads.
    """

    def __init__(self, names: Sequence[str] = (), *, longest: float = _LONGEST) -> None:
        self._longest = longest
        self._ended = {name: threading.Event() for name in names}
        self._before = {name: self._ended[before] for before, name in pairwise(names)}

    def wait(self, name: str) -> None:
        """Wait for the turn of a tracker, at most `longest` seconds."""
        if name in self._before:
            self._before[name].wait(self._longest)

    def end(self, name: str) -> None:
        """End the turn of a tracker that has sent a request, or will send none."""
        if name in self._ended:
            self._ended[name].set()
