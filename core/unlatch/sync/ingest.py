"""Process events that trackers send about their items.

An event is only a hint. The decisions come from the same comparison as in any sync, with the item
as its tracker describes it now; so an event that is late, repeated, out of order, forged or about
a change of ours does no harm.
"""

from collections.abc import Iterable
from dataclasses import replace

from unlatch.errors import UsageError
from unlatch.increments.model.increment import Increment
from unlatch.project.identity import LONGEST_NAME
from unlatch.project.linked import links_to, renamed_link
from unlatch.project.trackers import Trackers
from unlatch.spi import ItemEvent, ItemRef
from unlatch.sync.compare import Compared, remote_side
from unlatch.sync.plan import SyncPlan, make_plan
from unlatch.values import dataclass
from unlatch.worklog.text.neutral import without_controls, without_surrogates


@dataclass(frozen=True, slots=True)
class MatchedEvent:
    """An event, and the item and increments that it is about."""

    tracker: str  # the plugin's name
    event: ItemEvent
    ref: ItemRef | None = None  # None if the event is about no item, as its `note` says
    increments: tuple[Increment, ...] = ()  # those linked to the item


def match_event(
    trackers: Trackers, tracker: str, event: ItemEvent, everything: Iterable[Increment]
) -> MatchedEvent:
    """Find the item and the increments that an event is about."""
    if event.url is None:
        return MatchedEvent(tracker, event)
    settings = trackers.settings(tracker)
    ref = settings.recognise(event.url)
    if ref is None:
        raise UsageError(
            "url-unknown",
            "the event does not concern an item of the configured tracker",
            where=event.url,
            hint="the URL has to begin with the tracker's web_url",
        )
    trackers.check_target(ref)
    increments = tuple(
        increment
        for increment in everything
        if links_to(increment, ref, settings) or renamed_link(trackers, increment, ref)
    )
    return MatchedEvent(tracker, event, ref, increments)


def attribute_change(plan: SyncPlan, matched: MatchedEvent) -> SyncPlan:
    """Return the plan with the event's author as the one who changed the item.

    Only if the item is now in the state that the event describes, and the event is not older than
    the increment's completion. The tracker may name another account, as of a later change.
    """
    name = without_surrogates(without_controls(matched.event.by or ""))
    by = " ".join(name.split())[:LONGEST_NAME]
    if not by:
        return plan
    links = (
        _set_author(compared, by) if _explains(matched, compared) else compared
        for compared in plan.links
    )
    return make_plan(links, plan)


def _explains(matched: MatchedEvent, compared: Compared) -> bool:
    item, event = compared.seen.item, matched.event
    if item is None or matched.ref is None or event.category is None:
        return False
    if item.ref.url.casefold() != matched.ref.url.casefold():
        return False
    completed_at = compared.increment.completed_at
    is_late = completed_at is not None and event.at is not None and event.at < completed_at
    return not is_late and remote_side(event.category) is remote_side(item.category)


def _set_author(compared: Compared, name: str) -> Compared:
    item = compared.seen.item and replace(compared.seen.item, changed_by=name)
    return replace(compared, seen=replace(compared.seen, item=item))
