"""The links that a word names, and the increments with them."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import ConfigError, UnlatchError
from unlatch.increments.model.link import Link
from unlatch.increments.records.item_address import address_of
from unlatch.increments.records.links import same_item
from unlatch.project.trackers import Trackers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace
    from unlatch.spi import ItemRef, Settings


def find_linked(workspace: Workspace, word: str) -> list[Increment]:
    """The increments with a link to the item that a word names, as `matching_links`.

    Raises:
        UnlatchError: no increment is linked to the address, and `Trackers.recognise` refuses it.
    """
    increments, _ = workspace.manager.read_all()
    matches = _matcher(workspace, word)
    linked = [increment for increment in increments if any(map(matches, increment.links))]
    if not linked and "://" in word:
        Trackers(workspace).recognise(word)
    return linked


def linked_to(
    trackers: Trackers, increments: Iterable[Increment], ref: ItemRef, *, offline: bool = False
) -> list[Increment]:
    """The increments linked to an item; without one, and not `offline`, by a `renamed_link`."""
    settings, every = trackers.settings(ref.tracker), list(increments)
    linked = [increment for increment in every if links_to(increment, ref, settings)]
    if linked or offline:
        return linked
    return [increment for increment in every if renamed_link(trackers, increment, ref)]


def name_in(trackers: Trackers, increment: Increment, ref: ItemRef) -> str:
    """The name of an increment's item that matches its link."""
    settings = trackers.settings(ref.tracker)
    is_renamed = not links_to(increment, ref, settings)
    link = renamed_link(trackers, increment, ref) if is_renamed else None
    return (link.url or link.key) if link else settings.name(ref)


def find_renamed(
    workspace: Workspace, trackers: Trackers, word: str
) -> list[tuple[Increment, Link]]:
    """The increments with a `renamed_link` to the item of a word.

    Raises:
        UnlatchError: a word names no item, or none of a configured place.
    """
    ref = trackers.item(word, ask_former=True)
    increments, _ = workspace.manager.read_all()
    return [
        (increment, link)
        for increment in increments
        if (link := renamed_link(trackers, increment, ref))
    ]


def renamed_link(trackers: Trackers, increment: Increment, ref: ItemRef) -> Link | None:
    """The link that has another name of the item's target, the former or the present one.

    A link with the number of the item in another target costs a request for each target.
    """
    for link in increment.links:
        if link.tracker == ref.tracker:
            with suppress(UnlatchError):
                if _is_renamed(trackers, trackers.place(link), ref):
                    return link
    return None


def _is_renamed(trackers: Trackers, first: ItemRef, other: ItemRef) -> bool:
    if first.target == other.target or _number(first) != _number(other):
        return False
    return any(
        trackers.allows(new) and trackers.former_names.present(old) == new.target
        for old, new in ((first, other), (other, first))
    )


def _number(ref: ItemRef) -> str:
    """The part of an id that stays when the target is renamed: SCRUM-28 has its project's key."""
    return ref.id.removeprefix(ref.target)


def links_to(increment: Increment, ref: ItemRef, settings: Settings) -> bool:
    """Whether an increment is linked to an item, by the settings of its tracker."""
    theirs = (link for link in increment.links if link.tracker == ref.tracker)
    return any(_is_at(settings, ref, link) for link in theirs)


def _is_at(settings: Settings, ref: ItemRef, link: Link) -> bool:
    try:
        return settings.locate(link.name, link.url).url.casefold() == ref.url.casefold()
    except ConfigError:
        return False


def matching_links(workspace: Workspace, increment: Increment, wanted: str) -> list[Link]:
    """The links that a word matches: an address, an item's id or name, or a tracker."""
    return [*filter(_matcher(workspace, wanted), increment.links)]


def _matcher(workspace: Workspace, wanted: str) -> Callable[[Link], bool]:
    if "://" in wanted:
        return partial(_has_address, url=wanted, places=_recognised(workspace, wanted))
    name = " ".join(wanted.split()).casefold()
    return partial(_has_name, Trackers(workspace), name=name)


def _recognised(workspace: Workspace, url: str) -> Mapping[str, Callable[[Link], bool]]:
    """For each tracker that knows an address, whether a link is to the item there."""
    with suppress(UnlatchError):
        settings, (refs, _) = workspace.settings, workspace.recognise(url)
        return {name: partial(_is_at, settings[name], ref) for name, ref in refs.items()}
    return {}


def _has_address(link: Link, *, url: str, places: Mapping[str, Callable[[Link], bool]]) -> bool:
    """Whether an address is that of a link's item: by that of the link, else by the settings.

    The id alone proves nothing: many places have an item with this number.
    """
    other = Link(link.tracker, link.item, url)
    if address_of(link) and same_item(link, other):
        return True
    return link.tracker in places and places[link.tracker](link)


def _has_name(trackers: Trackers, link: Link, name: str) -> bool:
    own = (link.item, link.key, link.tracker)
    if name.removeprefix("#") in map(str.casefold, own):
        return True
    with suppress(UnlatchError):  # the configuration does not define its place
        return name == trackers.settings(link.tracker).name(trackers.place(link)).casefold()
    return False
