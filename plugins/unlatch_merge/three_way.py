"""Merge three versions of a JSON value.

A change on one side alone is taken. Where both sides changed a place differently, objects are
merged member by member; anything else is a clash, unless a rule merges it.
"""

import heapq
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from unlatch.worklog.json_text.edit import is_same
from unlatch_merge.outcome import ABSENT, Clash, Place, Side


class Versions(NamedTuple):
    """The values of one place in the common ancestor and on both sides, or `ABSENT`."""

    base: Any
    ours: Any
    theirs: Any

    def member(self, key: Any) -> "Versions":
        """The versions of a member; `ABSENT` where the value is not an object."""
        members = (
            version.get(key, ABSENT) if isinstance(version, dict) else ABSENT for version in self
        )
        return Versions(*members)

    @property
    def are_objects(self) -> bool:
        return isinstance(self.ours, dict) and isinstance(self.theirs, dict)


# Merges a value that both sides changed differently.
Rule = Callable[[Versions, Place], Any]


Order = Callable[[Any], Any]


class ThreeWay:
    """One merge; `take` is the side whose value is used in a clash."""

    def __init__(self, take: Side) -> None:
        self.take = take
        self.clashes: list[Clash] = []

    def value(self, versions: Versions, place: Place, *, rule: Rule | None = None) -> Any:
        """The merged value, or `ABSENT`."""
        base, ours, theirs = versions
        if is_same(ours, theirs) or is_same(base, theirs):
            return ours
        if is_same(base, ours):
            return theirs
        return (rule or self.merge_changes)(versions, place)

    def merge_changes(self, versions: Versions, place: Place) -> Any:
        """Merge two changes without a rule of their own."""
        return (self.members if versions.are_objects else self.clash)(versions, place)

    def clash(self, versions: Versions, place: Place) -> Any:
        """Note that a person has to decide; until then the chosen side's value is used."""
        self.clashes.append(Clash(place, versions.ours, versions.theirs))
        return versions.ours if self.take is Side.OURS else versions.theirs

    def members(
        self, versions: Versions, place: Place, *, rules: Mapping[str, Rule] | None = None
    ) -> dict[str, Any]:
        """Two objects, member by member, in our order."""
        merged: dict[str, Any] = {}
        for key in {**versions.ours, **versions.theirs}:
            rule = (rules or {}).get(key)
            value = self.value(versions.member(key), (*place, key), rule=rule)
            if value is not ABSENT:
                merged[key] = value
        return merged

    def records(
        self,
        versions: Versions,
        place: Place,
        *,
        rule: Rule,
        order: Callable[[Any], Any] | None = None,
    ) -> list[Any]:
        """Unite two lists of records; a record that either side removed is removed.

        Args:
            versions: each list's records by their identity.
            order: the sort key for records of different sides; ours first by default.
        """
        base, ours, theirs = versions
        by_key = {**theirs, **ours}
        # Each side's own order stays: a later record may depend on an earlier one.
        keys = heapq.merge(ours, theirs, key=lambda key: order(by_key[key]) if order else 0)
        merged = []
        for key in dict.fromkeys(keys):
            if key in ours and key in theirs:
                here = (*place, _named(key))
                merged.append(self.value(versions.member(key), here, rule=rule))
            elif key not in base:
                merged.append(by_key[key])
        return merged


def _named(key: object) -> str:
    return " ".join(map(str, key)) if isinstance(key, tuple) else str(key)
