"""The links that a word names, and the increments with them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.errors import ConfigError, UnlatchError
from unlatch.increments.model.increment import Increment, Link
from unlatch.increments.records.links import same_item
from unlatch.project.trackers import Trackers

if TYPE_CHECKING:
    from unlatch.project.workspace import Workspace
    from unlatch.spi import ItemRef, Settings


def find_linked(workspace: Workspace, word: str) -> list[Increment]:
    """The increments with a link to the item that a word names, as `matching_links`.

    Raises:
        UnlatchError: no increment is linked to the address, and `Trackers.recognise` refuses it.
    """
    increments, _ = workspace.manager.read_all()
    found = [one for one in increments if matching_links(workspace, one, word)]
    if found or "://" not in word:
        return found
    trackers = Trackers(workspace)
    ref = trackers.recognise(word)
    settings = trackers.settings(ref.tracker)
    return [one for one in increments if links_to(one, ref, settings)]


def links_to(increment: Increment, ref: ItemRef, settings: Settings) -> bool:
    """Whether an increment is linked to an item, by the settings of its tracker."""
    theirs = (link for link in increment.links if link.tracker == ref.tracker)
    return any(_is_at(settings, link, ref) for link in theirs)


def _is_at(settings: Settings, link: Link, ref: ItemRef) -> bool:
    try:
        return settings.locate(link.name, link.url).url.casefold() == ref.url.casefold()
    except ConfigError:
        return False


def matching_links(workspace: Workspace, increment: Increment, wanted: str) -> list[Link]:
    """The links that a word matches: an address, an item's id or name, or a tracker."""
    if "://" in wanted:
        return [
            one for one in increment.links if same_item(one, Link(one.tracker, one.item, wanted))
        ]
    trackers, name = Trackers(workspace), " ".join(wanted.split()).casefold()
    return [link for link in increment.links if _has_name(trackers, link, name)]


def _has_name(trackers: Trackers, link: Link, name: str) -> bool:
    own = (link.item, link.key, link.tracker)
    if name.removeprefix("#") in map(str.casefold, own):
        return True
    with suppress(UnlatchError):  # the configuration does not define its place
        return name == trackers.settings(link.tracker).name(trackers.place(link)).casefold()
    return False
