"""Taking in what trackers tell of their items: whose business it is, and who did it.

A message is only a hint. What is done about it comes from the same comparison as in any sync, with
the item as its tracker describes it now; so one that is late, repeated, out of order, made up or
about our own change does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from unlatch.errors import ConfigError, UsageError
from unlatch.project.identity import LONGEST_NAME
from unlatch.project.registry import load
from unlatch.spi.text import without_controls, without_surrogates
from unlatch.sync.compare import side_there
from unlatch.sync.plan import planned

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from unlatch.increments.model.increment import Increment, Link
    from unlatch.project.registry import Registry
    from unlatch.project.trackers import Trackers
    from unlatch.spi import ItemEvent, ItemRef, Settings
    from unlatch.sync.compare import Compared
    from unlatch.sync.plan import SyncPlan

# Far above the largest issue that any tracker tells of.
LONGEST_MESSAGE = 5_000_000


@dataclass(frozen=True, slots=True)
class Heard:
    """A message, and what it is about.

    Args:
        tracker: the plugin's name.
        ref: the item; None where the event's `note` says why there is none to look at.
        increments: the increments that are linked to it.
    """

    tracker: str
    event: ItemEvent
    ref: ItemRef | None = None
    increments: tuple[Increment, ...] = ()


def sources(registry: Registry) -> tuple[str, ...]:
    """The kinds of messages that the installed plugins read."""
    return tuple(name for one in registry.manifests.values() for name in one.events)


def read_message(registry: Registry, source: str, path: Path) -> tuple[str, ItemEvent]:
    """The tracker that a message is about, and what it says.

    Raises:
        UsageError: `unknown-event-source`, `event-unreadable` or `event-not-understood`.
    """
    found = {
        n: (one.name, one.events[n]) for one in registry.manifests.values() for n in one.events
    }
    if source not in found:
        raise UsageError(
            "unknown-event-source",
            f"no plugin reads messages of the kind {source!r}",
            hint=f"known are {', '.join(found) or 'none'}",
        )
    tracker, target = found[source]
    try:
        event: ItemEvent = load(target)(_content(path))
    except ValueError as error:
        raise UsageError(
            "event-not-understood",
            f"this is no {source}: {error}",
            where=str(path),
            hint="in GitHub Actions the file is at $GITHUB_EVENT_PATH",
        ) from error
    return tracker, event


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            raw = file.read(LONGEST_MESSAGE + 1)
    except OSError as error:
        raise UsageError(
            "event-unreadable",
            f"the message cannot be read: {error.strerror}",
            where=str(path),
            hint="name the file that the CI system wrote",
        ) from error
    if len(raw) > LONGEST_MESSAGE:
        raise ValueError(f"it has more than {LONGEST_MESSAGE:,} bytes")
    return raw


def concerned(
    trackers: Trackers, tracker: str, event: ItemEvent, everything: Iterable[Increment]
) -> Heard:
    """Whose business a message is.

    Raises:
        UsageError: `target-not-allowed`, `url-unknown`, or the tracker is not configured.
    """
    if event.url is None:
        return Heard(tracker, event)
    settings = trackers.settings(tracker)
    ref = settings.recognise(event.url)
    if ref is None:
        raise UsageError(
            "url-unknown",
            "the message is about something that is no item of the configured tracker",
            where=event.url,
            hint="the address has to begin with the tracker's web_url",
        )
    trackers.check_target(ref)
    increments = tuple(
        one
        for one in everything
        if any(link.tracker == tracker and _is_at(settings, link, ref) for link in one.links)
    )
    return Heard(tracker, event, ref, increments)


def _is_at(settings: Settings, link: Link, ref: ItemRef) -> bool:
    try:
        located = settings.locate(link.item, link.url)
    except ConfigError:
        return False
    return located.url.casefold() == ref.url.casefold()


def attributed(plan: SyncPlan, heard: Heard) -> SyncPlan:
    """The plan, with whoever the message names as the one who changed the item.

    Only where the tracker itself does not say who it was, the item is now what the message says
    that it became, and the message is no older than what the increment knows.
    """
    by = _tidy(heard.event.by or "")
    if not by:
        return plan
    return planned(_by(one, by) if _explains(heard, one) else one for one in plan.links)


def _explains(heard: Heard, one: Compared) -> bool:
    item, event = one.seen.item, heard.event
    if item is None or heard.ref is None or event.category is None or item.changed_by:
        return False
    if item.ref.url.casefold() != heard.ref.url.casefold():
        return False
    known = one.increment.completed_at
    is_late = known is not None and event.at is not None and event.at < known
    return not is_late and side_there(event.category) is side_there(item.category)


def _by(one: Compared, name: str) -> Compared:
    item = one.seen.item and replace(one.seen.item, changed_by=name)
    return replace(one, seen=replace(one.seen, item=item))


def _tidy(name: str) -> str:
    return " ".join(without_surrogates(without_controls(name)).split())[:LONGEST_NAME]
