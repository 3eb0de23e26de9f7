"""Which repositories a change concerns: those whose units may write to its place."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING

from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from unlatch_fleet.serve.events import Place


@dataclass(frozen=True, slots=True)
class Listed:
    """A repository of fleet.toml.

    Args:
        name: as in the database.
        own: its place on the tracker that it lies on, as tracker and target; None elsewhere.
        branch: that its units sync; None for the default one.
        targets: the places that its units may write to, by the tracker.
    """

    name: str
    own: tuple[str, str] | None
    branch: str | None
    targets: Mapping[str, Collection[str]]


class Directory:
    """Finds repositories by places. Names of places differ in more than case."""

    def __init__(self, repositories: Iterable[Listed]) -> None:
        self._at: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self._pushed: defaultdict[tuple[str, str], list[Listed]] = defaultdict(list)
        for listed in repositories:
            for tracker, targets in listed.targets.items():
                for target in targets:
                    self._at[tracker, target.casefold()].append(listed.name)
            if listed.own:
                tracker, name = listed.own
                self._pushed[tracker, name.casefold()].append(listed)

    def concerned(self, place: Place) -> list[str] | None:
        """The names of the repositories to sync; None for a place that is not listed."""
        key = place.tracker, place.target.casefold()
        if place.branch is not None:
            if (own := self._pushed.get(key)) is None:
                return None
            return [
                listed.name
                for listed in own
                if (listed.branch == place.branch if listed.branch else place.is_default)
            ]
        if not place.target.endswith("/"):
            return self._at.get(key)
        below = (
            ids
            for (tracker, target), ids in self._at.items()
            if tracker == place.tracker and target.startswith(key[1])
        )
        return list(dict.fromkeys(chain.from_iterable(below))) or None
