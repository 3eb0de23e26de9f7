"""Plugins that break one promise each about changes that the tracker checks, or takes together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import TrackerError
from unlatch.spi import Outcome
from unlatch_ado.plugin import AdoPlugin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.spi import Change, ItemRef, Snapshot


class ChangesOneByOne(AdoPlugin):
    def write_many(
        self, wanted: Sequence[tuple[Snapshot, Change]]
    ) -> Sequence[Outcome | TrackerError | None]:
        return [self.write(snapshot, change) for snapshot, change in wanted]


class ChangesNothing(AdoPlugin):
    def write_many(
        self, wanted: Sequence[tuple[Snapshot, Change]]
    ) -> Sequence[Outcome | TrackerError | None]:
        return [None for _ in wanted]


class MixesResultsUp(AdoPlugin):
    def write_many(
        self, wanted: Sequence[tuple[Snapshot, Change]]
    ) -> Sequence[Outcome | TrackerError | None]:
        return [*super().write_many(wanted)][::-1]


class LeavesResultsOut(AdoPlugin):
    def write_many(
        self, wanted: Sequence[tuple[Snapshot, Change]]
    ) -> Sequence[Outcome | TrackerError | None]:
        return [*super().write_many(wanted)][1:]


class HidesComments(AdoPlugin):
    def write_many(
        self, wanted: Sequence[tuple[Snapshot, Change]]
    ) -> Sequence[Outcome | TrackerError | None]:
        return [
            replace(one, commented=False) if isinstance(one, Outcome) else one
            for one in super().write_many(wanted)
        ]


class ChangesHalf(AdoPlugin):
    """Sets the state with the others, and leaves the comment to a write of its own."""

    def write_many(
        self, wanted: Sequence[tuple[Snapshot, Change]]
    ) -> Sequence[Outcome | TrackerError | None]:
        super().write_many([(one, replace(change, comment=None)) for one, change in wanted])
        return [None for _ in wanted]


class OverwritesOthers(AdoPlugin):
    """Takes the newest revision in place of that of the snapshot."""

    def write_many(
        self, wanted: Sequence[tuple[Snapshot, Change]]
    ) -> Sequence[Outcome | TrackerError | None]:
        return super().write_many(
            [(self.read(one.item.ref, change), change) for one, change in wanted]
        )


class TakesALostAnswerForARefusal(AdoPlugin):
    def write_many(
        self, wanted: Sequence[tuple[Snapshot, Change]]
    ) -> Sequence[Outcome | TrackerError | None]:
        try:
            return super().write_many(wanted)
        except TrackerError:
            return [None for _ in wanted]


class ApprovesByWriting(AdoPlugin):
    def approve(self, snapshot: Snapshot | None, change: Change) -> None:
        if snapshot is not None:
            self.write(snapshot, change)


class ApprovesByCreating(AdoPlugin):
    def approve(self, snapshot: Snapshot | None, change: Change) -> None:
        self.create(change)


class ApprovesUnasked(AdoPlugin):
    def approve(self, snapshot: Snapshot | None, change: Change) -> None:
        return


class ApprovesEverything(AdoPlugin):
    def approve(self, snapshot: Snapshot | None, change: Change) -> None:
        try:
            super().approve(snapshot, change)
        except TrackerError:
            return


class ShowsOneRevision(AdoPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        snapshot = super().read(ref, change)
        return replace(snapshot, item=replace(snapshot.item, revision="1"))

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        outcome = super().write(snapshot, change)
        return replace(outcome, after=replace(outcome.after, revision="1"))
