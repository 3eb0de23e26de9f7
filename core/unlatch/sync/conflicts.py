"""Links of one increment that pull it apart, decided about together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.increments.model.sync_policy import OnConflict
from unlatch.sync.compare import (
    Decision,
    Side,
    Verdict,
    conflict_winner,
    pushed,
    side_of,
    side_there,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from unlatch.increments.model.increment import Link
    from unlatch.sync.compare import Compared


def agreed(group: list[Compared]) -> list[Compared]:
    """The links of one increment, each decided about alone, with decisions that go together.

    An increment has one status, so it cannot follow one item and be followed by another.
    """
    pulling = [one for one in group if one.verdict is Verdict.PULL]
    pushing = [one for one in group if one.verdict is Verdict.PUSH]
    if not pulling:
        return group
    if op := _reopened_elsewhere(group):
        # These may be the items that it followed, which are told nothing.
        why = f"reopened on another branch ({op}), which brings it along"
        return _decided(group, _all(pulling, Decision(Verdict.EXPECTED, why)))
    if len(sides_of(pulling)) == 1 and not pushing:
        return group
    side = conflict_winner(one.policy for one in (*pulling, *pushing))
    if side is OnConflict.LOCAL:
        here = side_of(pulling[0].increment.status)
        return _decided(group, {one.link: pushed(here, one.policy, one.given) for one in pulling})
    if side is OnConflict.REMOTE:
        # These items are where the increment goes already.
        return _decided(group, _all(pushing, Decision(Verdict.NOTHING)))
    why = "both sides have changed" if pushing else "its items have changed"
    return _decided(group, _all(pulling, Decision(Verdict.CONFLICT, f"{why}, and differently")))


def sides_of(links: Iterable[Compared]) -> set[Side]:
    """What the states of these items amount to."""
    return {side_there(one.seen.item.category) for one in links if one.seen.item}


def _reopened_elsewhere(group: Iterable[Compared]) -> str | None:
    found = (one.given.reopened_elsewhere for one in group if one.verdict is Verdict.EXPECTED)
    return next(filter(None, found), None)


def _all(links: Iterable[Compared], decision: Decision) -> dict[Link, Decision]:
    return {one.link: decision for one in links}


def _decided(group: list[Compared], decisions: Mapping[Link, Decision]) -> list[Compared]:
    return [replace(one, decision=decisions.get(one.link, one.decision)) for one in group]
