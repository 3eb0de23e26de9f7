"""Plugins that break one promise each about changes that the tracker checks, or takes together."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import TrackerError, UnknownOutcome
from unlatch.spi import Outcome
from unlatch_ado.plugin import AdoPlugin
from unlatch_ado.writers import ValidatingWriter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.spi import Change, ItemRef, Snapshot
    from unlatch_ado.api.models import WorkItem
    from unlatch_ado.api.patch import Patch


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


class TakesARefusalForALostAnswer(AdoPlugin):
    def write_many(
        self, wanted: Sequence[tuple[Snapshot, Change]]
    ) -> Sequence[Outcome | TrackerError | None]:
        try:
            return super().write_many(wanted)
        except TrackerError as error:
            raise UnknownOutcome("unknown-outcome", error.message) from error


class ReportsARefusedWrite(AdoPlugin):
    def write_many(
        self, wanted: Sequence[tuple[Snapshot, Change]]
    ) -> Sequence[Outcome | TrackerError | None]:
        try:
            return super().write_many(wanted)
        except TrackerError:
            return [Outcome(snapshot.item, commented=True) for snapshot, _ in wanted]


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


class ApprovesNewItems(AdoPlugin):
    def approve(self, snapshot: Snapshot | None, change: Change) -> None:
        if snapshot is not None:
            super().approve(snapshot, change)


class _ImpatientWriter(ValidatingWriter):
    """Takes an approval for a write, which is not asked for again."""

    def change(self, item: WorkItem, patch: Patch) -> WorkItem:
        api = self._client._api
        with api.understood(writing=True):
            api.update_work_item(api.document(patch.steps()), int(item.id), validate_only=True)
        return item


class ApprovesWithoutAnAnswer(AdoPlugin):
    def approve(self, snapshot: Snapshot | None, change: Change) -> None:
        with suppress(UnknownOutcome):
            self._write(snapshot, change, _ImpatientWriter(self._client, self._settings))


class ShowsOneRevision(AdoPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        snapshot = super().read(ref, change)
        return replace(snapshot, item=replace(snapshot.item, revision="1"))

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        outcome = super().write(snapshot, change)
        return replace(outcome, after=replace(outcome.after, revision="1"))
