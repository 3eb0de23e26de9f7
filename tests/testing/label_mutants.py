"""Plugins that break one promise each about labels that the tracker does not know."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import Rejected
from unlatch.testing.checks import KEPT
from unlatch_github.plugin import GithubPlugin

if TYPE_CHECKING:
    from unlatch.spi import Change, Outcome, Snapshot

_KNOWN = (KEPT, "reopened", "completed")


def _known(change: Change) -> Change:
    return replace(change, add_labels=tuple(one for one in change.add_labels if one in _KNOWN))


class ForgetsUnknownLabels(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        return super().write(snapshot, _known(change))


class CreatesWithKnownLabels(GithubPlugin):
    def create(self, change: Change) -> Outcome:
        return super().create(_known(change))


class EndsAtAnUnknownLabel(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change != _known(change):
            raise Rejected("tracker-rejected", "no such label")
        return super().write(snapshot, change)


class LeavesAnItemWithAnUnknownLabel(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change == _known(change):
            return super().write(snapshot, change)
        refused = replace(_known(change), goal=None, comment=None)
        return replace(super().write(snapshot, refused), refused=change.add_labels)


class WritesLabelsInSmallLetters(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        small = tuple(one.lower() for one in change.add_labels)
        return super().write(snapshot, replace(change, add_labels=small))


class ShowsLabelsThatItAskedFor(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        outcome = super().write(snapshot, _known(change))
        return replace(outcome, after=replace(outcome.after, labels=change.add_labels))
