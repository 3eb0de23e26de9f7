"""A tracker without labels: GitHub's plugin, with the labels hidden and refused."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from unlatch.errors import TrackerError
from unlatch.spi import Capability, Change, ItemRef, Outcome, PlannedRequest, RemoteItem, Snapshot
from unlatch_github import manifest as github
from unlatch_github.plugin import GithubPlugin

manifest = replace(
    github,
    plugin="tests.conformance.without_labels:WithoutLabels",
    capabilities=github.capabilities - {Capability.LABELS},
)


class WithoutLabels(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        return _bare(super().read(ref, _refuse_labels(change)))

    def read_many(
        self, refs: Sequence[ItemRef], change: Change | None = None
    ) -> Mapping[ItemRef, Snapshot | TrackerError]:
        found = super().read_many(refs, _refuse_labels(change))
        return {
            ref: one if isinstance(one, TrackerError) else _bare(one) for ref, one in found.items()
        }

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        _refuse_labels(change)
        try:
            outcome = super().write(snapshot, change)
        except TrackerError as error:
            if error.done is not None:
                error.done = replace(error.done, after=_without(error.done.after))
            raise
        return replace(outcome, after=_without(outcome.after))

    def create(self, change: Change) -> Outcome:
        outcome = super().create(_refuse_labels(change) or change)
        return replace(outcome, after=_without(outcome.after))

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        found = super().find_created(op, since)
        return found and _without(found)

    def plan(self, snapshot: Snapshot | None, change: Change) -> tuple[PlannedRequest, ...]:
        return super().plan(snapshot, _refuse_labels(change) or change)


def _refuse_labels(change: Change | None) -> Change | None:
    if change is not None and (change.add_labels or change.remove_labels):
        raise AssertionError(f"a tracker without labels is asked for them: {change}")
    return change


def _bare(snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, item=_without(snapshot.item))


def _without(item: RemoteItem) -> RemoteItem:
    return replace(item, labels=())
