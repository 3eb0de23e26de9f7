"""Labels that a tracker refused, by the events of an increment, and did not take since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.increments.records.links import identity, link_of
from unlatch.spi.change import Result
from unlatch.spi.operation import Kind, OperationKey
from unlatch.values import dataclass
from unlatch.worklog.disk.safe_open import read_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.increments.records.events import Delivered

# Only files that contain this word can contain a refusal; most contain none.
_LOG = "events.jsonl"  # as that of status_events, which is slow to load
_REFUSED = b'"labelsRefused"'
_WITH_LABELS = (Kind.REOPEN, Kind.CLOSE, Kind.UNDO)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Labels of one item that were refused.

    Args:
        first: the operation that was to change them together with the state.
        op: the last one that asked for them.
    """

    link: Link
    first: str
    op: str
    labels: tuple[str, ...]

    @property
    def key(self) -> OperationKey:
        """That of the last operation that asked for them."""
        return self.op, self.link.tracker, self.link.key


def find_refusals(increment: Increment) -> Sequence[Refusal]:
    """The refused labels of each item; none if the events cannot be read, which doctor reports."""
    refusals: dict[tuple[str, str], Refusal] = {}
    for event in _delivered(increment):
        if event.kind not in _WITH_LABELS:
            continue
        is_first = event.retries is None
        if is_first and event.result == Result.STATE_KEPT and not event.labels_refused:
            continue  # a comment alone
        link, first = link_of(increment, event), event.retries or event.op
        refusals[identity(link)] = Refusal(link, first, event.op, event.labels_refused)
    return [refusal for refusal in refusals.values() if refusal.labels]


def _delivered(increment: Increment) -> Sequence[Delivered]:
    try:
        if _REFUSED in read_file(increment.folder / _LOG):
            from unlatch.increments.records import events  # noqa: PLC0415  (slow to load)

            every = events.read_events(increment.folder)
            return [event for event in every if isinstance(event, events.Delivered)]
    except (OSError, StoreError):
        return ()
    return ()
