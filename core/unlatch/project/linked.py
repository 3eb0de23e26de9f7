"""The links that a word names, and the increments with them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.errors import ConfigError, UnlatchError
from unlatch.increments.model.increment import Increment, Link
from unlatch.increments.records.links import same_item
from unlatch.project.trackers import Trackers

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def linked_to(
    trackers: Trackers, increments: Iterable[Increment], ref: ItemRef, *, offline: bool = False
) -> list[Increment]:
    """The increments linked to an item; without one, and not `offline`, by a `renamed_link`."""
    settings, every = trackers.settings(ref.tracker), list(increments)
    found = [one for one in every if links_to(one, ref, settings)]
    if found or offline:
        return found
    return [one for one in every if renamed_link(trackers, one, ref)]


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
        UnlatchError: as `Trackers.item`.
    """
    ref = trackers.item(word, ask_former=True)
    increments, _ = workspace.manager.read_all()
    return [(one, link) for one in increments if (link := renamed_link(trackers, one, ref))]


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


def _is_renamed(trackers: Trackers, one: ItemRef, other: ItemRef) -> bool:
    if one.target == other.target or _number(one) != _number(other):
        return False
    return any(
        trackers.allows(new) and trackers.former_names.present(old) == new.target
        for old, new in ((one, other), (other, one))
    )


def _number(ref: ItemRef) -> str:
    """The part of an id that stays when the target is renamed: SCRUM-28 has its project's key."""
    return ref.id.removeprefix(ref.target)


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
