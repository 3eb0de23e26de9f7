"""What delivery needs to know about other increments with the same items, read once a run."""

from __future__ import annotations

import threading
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.increments.files.layout import METADATA
from unlatch.increments.model.increment import BrokenIncrement
from unlatch.increments.records.links import identity, link_of
from unlatch.increments.records.records import is_in_doubt
from unlatch.worklog.safe_open import read_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.increments.files.manager import MetadataManager
    from unlatch.increments.model.increment import Increment, Link

# Only files that hold this word can hold a note about an attempt; most hold none.
_NOTED = b'"attempt"'


@dataclass
class Neighbours:
    """Other increments that are linked to the same items.

    Args:
        manager: the increments.
    """

    manager: MetadataManager
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def needed_by(self, increment: Increment, link: Link) -> tuple[str, ...]:
        """The other unfinished increments that link to the same item.

        Which increments link to it is known from the beginning of the run; these few are read
        again, since another process may have resumed one of them meanwhile.
        """
        with self._lock:
            found = self._linked
        others = (name for name in found.get(identity(link), ()) if name != increment.id)
        return tuple(name for name in others if self._is_unfinished(name))

    def _is_unfinished(self, name: str) -> bool:
        with suppress(UnlatchError):
            return not self.manager.read(name).status.is_finished
        return False

    def needed_links(self, increment: Increment) -> tuple[tuple[Link, tuple[str, ...]], ...]:
        """The links whose items other unfinished increments need, with these increments' ids."""
        if not increment.links:
            return ()
        found = ((link, self.needed_by(increment, link)) for link in increment.links)
        return tuple((link, needed) for link, needed in found if needed)

    def is_in_doubt(self, increment: Increment, link: Link) -> bool:
        """Whether an operation of another increment may still take effect on the same item."""
        with self._lock:
            found = self._in_doubt
        return not found.get(identity(link), set()) <= {increment.id}

    @cached_property
    def _linked(self) -> Mapping[tuple[str, str], list[str]]:
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for one in self.manager.list():
            if not isinstance(one, BrokenIncrement):
                for link in one.links:
                    found[identity(link)].append(one.id)
        return found

    @cached_property
    def _in_doubt(self) -> Mapping[tuple[str, str], set[str]]:
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        for folder in self.manager.layout.folders():
            with suppress(OSError, UnlatchError):
                if _NOTED not in read_file(folder.path / METADATA):
                    continue
                one = self.manager.read(folder.name)
                for operation in filter(is_in_doubt, one.pending):
                    found[identity(link_of(one, operation))].add(one.id)
        return found
