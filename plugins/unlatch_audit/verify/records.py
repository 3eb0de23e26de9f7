"""Compare metadata.json and events.jsonl with each other."""

from collections.abc import Iterator, Mapping, Sequence

from unlatch.increments.model.increment import Increment
from unlatch.increments.model.reopens import ReopenEntry, SyncedItem
from unlatch.increments.model.status import read_status
from unlatch.increments.records.events import Delivered, Reopened, Undone
from unlatch.increments.records.links import link_of, same_item
from unlatch.increments.records.reopens import write_effect
from unlatch.spi.text import one_line
from unlatch.worklog.event_log import Event
from unlatch.worklog.times import stamp
from unlatch_audit.verify.claims import is_origin_of
from unlatch_audit.verify.results import Check, Part, Verdict, differs

_SHOWN = 60
_FIX = "; unlatch doctor --fix adds it"


def check_entry(increment: Increment, entry: ReopenEntry, events: Sequence[Event]) -> list[Check]:
    """Check an entry of reopenHistory against the events; one check that is OK if all agree."""
    checks = [*_check_reopened(entry, events), *_check_undone(entry, events)]
    checks += _check_items(increment, entry, events)
    return checks or [Check(Part.RECORD, Verdict.OK)]


def _check_reopened(entry: ReopenEntry, events: Sequence[Event]) -> Iterator[Check]:
    if entry.is_foreign:
        return
    own = [event for event in events if event.id == entry.id]
    # Two checkouts may have made it; the entry is that of one of them.
    own.sort(key=lambda event: (event.at, event.by) != (entry.reopened_at, entry.reopened_by))
    event = next(iter(own), None)
    if not isinstance(event, Reopened):
        yield _differs("event-missing", f"events.jsonl has no event of this reopen{_FIX}")
        return
    pairs = {
        "time": (stamp(entry.reopened_at), stamp(event.at)),
        "person": (entry.reopened_by, event.by),
        "reason": (entry.reason, event.reason),
        "category": (entry.category, event.category),
        "scope": (entry.scope_change, event.change),
        "status": (entry.previous_status.value, read_status(event.origin) or event.origin),
        "forced": (", ".join(entry.forced), ", ".join(event.forced)),
    }
    for name, (here, there) in pairs.items():
        if here != there:
            texts = f"{_short(here)} in metadata.json, {_short(there)} in events.jsonl"
            yield _differs(f"{name}-differs", f"{name}: {texts}")


def _check_undone(entry: ReopenEntry, events: Sequence[Event]) -> Iterator[Check]:
    undone = [event for event in events if isinstance(event, Undone)]
    undos = [event for event in undone if event.id == entry.revert or event.reopen == entry.id]
    if entry.reverted_at is not None and not undos:
        text = f"metadata.json says undone; events.jsonl has no such event{_FIX}"
        yield _differs("undo-missing", text)
    if entry.reverted_at is None and undos:
        yield _differs("undo-missing", "events.jsonl says undone; metadata.json does not")
    times = {event.at for event in undos}
    if entry.reverted_at is not None and undos and entry.reverted_at not in times:
        here, there = stamp(entry.reverted_at), stamp(undos[-1].at)
        texts = f"undone at {here} in metadata.json, at {there} in events.jsonl"
        yield _differs("undo-differs", texts)


def _check_items(
    increment: Increment, entry: ReopenEntry, events: Sequence[Event]
) -> Iterator[Check]:
    delivered = [
        delivery
        for delivery in events
        if isinstance(delivery, Delivered) and delivery.op == entry.id
    ]
    links = {delivery.id: link_of(increment, delivery) for delivery in delivered}
    for delivery in delivered:
        if not any(same_item(links[delivery.id], synced.link) for synced in entry.synced_to):
            text = f"events.jsonl has the delivery to {delivery.item}; reopenHistory does not"
            yield _differs("item-missing", text)
    for synced in entry.synced_to:
        own = [delivery for delivery in delivered if same_item(links[delivery.id], synced.link)]
        if not own and not is_origin_of(entry, synced.link):
            text = f"reopenHistory names {synced.link.key}; events.jsonl has no delivery to it"
            yield _differs("delivery-missing", text)
        if (
            own
            and synced.after is not None
            and not any(_is_same(synced, delivery) for delivery in own)
        ):
            text = f"the states or labels of {synced.link.key} differ between the two files"
            yield _differs("item-differs", text)


def _is_same(synced: SyncedItem, event: Delivered) -> bool:
    return write_effect(synced) == write_effect(event)


def orphans(increment: Increment, events: Sequence[Event]) -> Mapping[str, tuple[Event, Check]]:
    """The events of reopens and undos that reopenHistory does not have, by operation."""
    ids = {entry.id for entry in increment.reopens}
    reverts = {entry.revert for entry in increment.reopens}
    by_id: dict[str, tuple[Event, Check]] = {}
    for event in events:
        if isinstance(event, Reopened) and event.id not in ids:
            text = "events.jsonl has this reopen; reopenHistory does not"
            by_id[event.id] = event, _differs("entry-missing", text)
        elif isinstance(event, Undone) and event.id not in reverts and event.reopen not in ids:
            text = f"events.jsonl has the undo of {event.reopen}; reopenHistory does not"
            by_id[event.id] = event, _differs("entry-missing", text)
    return by_id


def _differs(id: str, message: str) -> Check:
    return differs(Part.RECORD, id, message)


def _short(text: str | None) -> str:
    if not text:
        return "none"
    line = one_line(text)
    return f"{line[:_SHOWN]!r}..." if len(line) > _SHOWN else repr(line)
