"""Link items to increments, by their browser addresses or by creating them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import ConfigError, UsageError
from unlatch.increments.files.linking import link as store_link
from unlatch.increments.files.linking import unlink
from unlatch.increments.model.increment import Base, Increment, Link
from unlatch.increments.model.status import Status
from unlatch.increments.records.links import same_item
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.project.trackers import Trackers
from unlatch.spi import Capability, Manifest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.project.workspace import Workspace
    from unlatch.spi import ItemRef, Settings


def fetch_urls(trackers: Trackers, urls: Sequence[str]) -> list[ItemSnapshot]:
    """Read the items at browser addresses; all of them must be there.

    Raises:
        UsageError: an address is not an item's, or is outside the configured targets.
        TrackerError: an item cannot be read.
    """
    refs = [trackers.recognise(url) for url in urls]
    seen = fetch_items(trackers, [Link(ref.tracker, ref.id, ref.url) for ref in refs])
    for one in seen:
        if one.error is not None:
            raise one.error
    return seen


def link_items(
    workspace: Workspace, wanted: str, seen: Sequence[ItemSnapshot], *, by: str
) -> Increment:
    """Link items that were read to an increment; nothing is posted.

    The base is stored where both sides are in sync, so that a later comparison can tell which
    side moved.

    Raises:
        StoreError: the increment's files cannot be written.
    """
    manager = workspace.manager
    increment = manager.read(wanted)
    links = [based_link(increment, one) for one in seen]
    return store_link(manager, increment.id, links, by=by)


def unlink_item(workspace: Workspace, wanted: str, item: str, *, by: str) -> tuple[Link, int]:
    """Unlink an item; the link, and the number of pending operations that are dropped with it.

    Raises:
        UsageError: `unknown-link` or `ambiguous-link`.
        StoreError: the increment's files cannot be written.
    """
    increment = workspace.manager.read(wanted)
    link = find_link(increment, item)
    unlink(workspace.manager, increment.id, link, by=by)
    key = (link.tracker, link.key)
    return link, sum((one.tracker, one.item) == key for one in increment.pending)


def based_link(increment: Increment | None, seen: ItemSnapshot) -> Link:
    """The link to an item that was read, with its base if both sides are in sync.

    `increment` is None for one that is about to be created.
    """
    item = seen.item
    if item is None:
        return seen.link
    status = increment.status if increment else Status.PLANNING
    is_in_sync = item.category.is_open is not status.is_finished
    base = Base(status.value, item.category.value, item.state) if is_in_sync else None
    return Link(item.ref.tracker, item.ref.id, item.ref.url, base)


def find_link(increment: Increment, wanted: str) -> Link:
    """The link of an increment that an address, an item's id or a tracker's name means.

    Raises:
        UsageError: `unknown-link` or `ambiguous-link`.
    """
    url = wanted if "://" in wanted else None
    found = [
        link
        for link in increment.links
        if (url and same_item(link, Link(link.tracker, link.item, url)))
        or wanted in (link.item, link.key, link.tracker)
    ]
    if len(found) == 1:
        return found[0]
    keys = ", ".join(link.key for link in (found or increment.links)) or "none"
    known = "may be any of" if found else "is none of"
    raise UsageError(
        "ambiguous-link" if found else "unknown-link",
        f"{wanted!r} {known} the links of {increment.id}: {keys}",
        hint=f"unlatch show {increment.id}",
    )


def increments_at(workspace: Workspace, url: str) -> list[Increment]:
    """The increments with a link to the item at an address; raises as `Trackers.recognise`."""
    trackers = Trackers(workspace)
    ref = trackers.recognise(url)
    settings = trackers.settings(ref.tracker)
    increments, _ = workspace.manager.read_all()
    return [one for one in increments if links_to(one, ref, settings)]


def links_to(increment: Increment, ref: ItemRef, settings: Settings) -> bool:
    """Whether an increment has a link to an item, by the settings of its tracker."""
    theirs = (link for link in increment.links if link.tracker == ref.tracker)
    return any(_is_at(settings, link, ref) for link in theirs)


def _is_at(settings: Settings, link: Link, ref: ItemRef) -> bool:
    try:
        return settings.locate(link.item, link.url).url.casefold() == ref.url.casefold()
    except ConfigError:
        return False


def create_target(trackers: Trackers, tracker: str) -> str:
    """Where new items of a tracker go.

    Raises:
        UsageError: `not-supported`, or `target-missing`.
        UnlatchError: the tracker is not configured.
    """
    manifest = trackers.registry.manifest(tracker)
    check_capability(manifest, Capability.CREATE)
    target = trackers.settings(tracker).target
    if target is None:
        raise UsageError(
            "target-missing",
            f"nothing says where a new {manifest.noun} goes",
            hint=f"name it in [trackers.{tracker}] in .unlatch/config.toml",
        )
    return target


def check_capability(manifest: Manifest, capability: Capability) -> None:
    """Refuse a capability that a plugin does not declare.

    Raises:
        UsageError: `not-supported`.
    """
    if capability not in manifest.capabilities:
        raise UsageError(
            "not-supported",
            f"the plugin for {manifest.title} cannot {capability.value} a {manifest.noun}",
            hint="unlatch plugins",
        )
