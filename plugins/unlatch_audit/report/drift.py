"""Items that differ from their increments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.increments.records.links import link_of, same_item
from unlatch.spi.operation import Category
from unlatch.sync.compare import Verdict, local_side, remote_side
from unlatch.sync.plan import plan_sync
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace

# Links that a sync leaves as they are, or whose sides agree.
_IN_SYNC = (Verdict.NOTHING, Verdict.EXPECTED, Verdict.RECORD)


@dataclass(frozen=True, slots=True)
class DriftingItem:
    """An item that differs from its increment.

    Args:
        here: the increment's status.
        there: the item's state; None if it is not known.
        why: what differs, or why it is not known.
    """

    increment: str
    tracker: str
    item: str
    url: str | None
    here: str
    there: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Drift:
    """The items that differ.

    Args:
        links: the number of links.
        unknown: the number of those that were never compared, or could not be read now.
        is_online: whether the items were read now; else the records of the last sync count.
    """

    items: tuple[DriftingItem, ...]
    links: int
    unknown: int
    is_online: bool


def recorded_drift(increments: Sequence[Increment]) -> Drift:
    """Compare increments with their items as the last sync recorded these."""
    links = [(increment, link) for increment in increments for link in increment.links]
    unknown = sum(
        link.base is None and not _is_pending(increment, link) for increment, link in links
    )
    return Drift(tuple(_recorded(links)), len(links), unknown, is_online=False)


def _recorded(links: Sequence[tuple[Increment, Link]]) -> Iterator[DriftingItem]:
    for increment, link in links:
        base = link.base
        if base is None or _is_pending(increment, link) or base.remote not in set(Category):
            continue
        # A base whose sides differ was recorded on purpose.
        changed = base.local != increment.status
        if changed and local_side(increment.status) is not remote_side(Category(base.remote)):
            why = f"it was {base.local} at the last sync"
            yield _item(increment, link, base.state, why)


def _is_pending(increment: Increment, link: Link) -> bool:
    return any(same_item(link_of(increment, operation), link) for operation in increment.pending)


def _item(increment: Increment, link: Link, there: str | None, why: str) -> DriftingItem:
    return DriftingItem(
        increment.id, link.tracker, link.name, link.url, increment.status, there, why
    )


def present_drift(
    workspace: Workspace, trackers: Trackers, increments: Sequence[Increment]
) -> Drift:
    """Compare increments with their items as they are now."""
    plan = plan_sync(workspace, trackers, increments, increments, boxes=False)
    items = []
    for planned in plan.links:
        item, decision = planned.seen.item, planned.decision
        if planned.seen.error is None and decision and decision.verdict not in _IN_SYNC:
            there, why = item.state if item else None, decision.why or decision.verdict.value
            items.append(_item(planned.increment, planned.link, there, why))
    unread = sum(len(group.names) for group in plan.not_checked(pending=True))
    count = sum(len(increment.links) for increment in increments)
    return Drift(tuple(items), count, unread, is_online=True)
