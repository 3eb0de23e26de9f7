"""The links of an increment: one for each item that its metadata.json names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from unlatch.increments.model.link import Link
from unlatch.increments.records.item_address import address_of, on_other_host
from unlatch.increments.records.link_places import places_of, trackers_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.spi.manifest import LinkShape
    from unlatch.spi.operation import Operation

    class _OnItem(Protocol):
        """An operation or an event; `item` is the item's address, else its id."""

        @property
        def tracker(self) -> str: ...
        @property
        def item(self) -> str: ...


T = TypeVar("T")


def read_links(data: Mapping[str, Any], shapes: Mapping[str, LinkShape]) -> tuple[Link, ...]:
    """The links of an increment, each item once, with the place of its block."""
    if not (named := trackers_in(data, shapes)):
        return ()
    # In the order of the file, in which people added them.
    ordered = (tracker for tracker in {**data, **shapes} if tracker in named)
    links = [
        link
        for tracker in ordered
        for link in _united([*places_of(data, tracker, shapes[tracker])])
    ]
    if isinstance(profile := data.get("githubProfile"), str):
        links = [_in_profile(link, profile) for link in links]
    return tuple(links)


def _in_profile(link: Link, profile: str) -> Link:
    is_bare = link.tracker == "github" and link.url is None and link.target is None
    return replace(link, target=profile) if is_bare else link


def _united(places: Sequence[Link]) -> Iterable[Link]:
    """One link for each item (`same_item`), with the facts of all its places."""
    if len(places) == 1:
        return places
    groups: list[list[Link]] = []
    # By address, which several hosts may have; by id; by id of items without any address.
    addressed: dict[str, list[list[Link]]] = {}
    first: dict[str, list[Link]] = {}
    bare: dict[str, list[Link]] = {}
    for place in places:
        address, item = address_of(place), _id(place)
        namesakes = addressed.setdefault(address, []) if address else []
        group = _on_host_of(place, namesakes) if address else first.get(item)
        if group is None and address:
            group = bare.pop(item, None)
        if group is None:
            group = []
            groups.append(group)
            if not address:
                bare[item] = group
        if address and group not in namesakes:
            namesakes.append(group)
        first.setdefault(item, group)
        group.append(place)
    return map(_one_of, groups)


def _on_host_of(place: Link, groups: Iterable[list[Link]]) -> list[Link] | None:
    """The links with a link's address that name no other host."""
    same = (group for group in groups if not any(on_other_host(place, other) for other in group))
    return next(same, None)


def _one_of(places: list[Link]) -> Link:
    """The link of an item: at the place with the base, else the first that can hold one."""
    if len(places) == 1:
        return places[0]
    stories = {place.story.casefold(): place.story for place in places if place.story}
    base = next((place for place in places if place.base), None)
    return replace(
        base or next((place for place in places if place.has_block), places[0]),
        item=places[0].item,
        url=next((place.url for place in places if place.url), None),
        target=next((place.target for place in places if place.target), None),
        # An item of several stories belongs to the increment as a whole.
        story=next(iter(stories.values())) if len(stories) == 1 else None,
    )


def same_item(first: Link, other: Link) -> bool:
    """Whether two links mean one item: by address where both have one, else by id."""
    if first.tracker != other.tracker:
        return False
    here, there = address_of(first), address_of(other)
    if here and there:
        return here == there and not on_other_host(first, other)
    return _id(first) == _id(other)


def identity(link: Link) -> tuple[str, str]:
    """A link's item for use as a key, in a project that has one host of each tracker.

    Of several hosts of GitHub, `same_item` tells the items apart.
    """
    return link.tracker, address_of(link) or _id(link)


class ByItem(Generic[T]):
    """Values by the items of links."""

    def __init__(self) -> None:
        self._by_identity: dict[tuple[str, str], list[tuple[Link, T]]] = {}

    def add(self, link: Link, value: T) -> None:
        self._by_identity.setdefault(identity(link), []).append((link, value))

    def on(self, link: Link) -> list[T]:
        """Those of a link's item, in the order in which they were added."""
        namesakes = self._by_identity.get(identity(link), ())
        return [value for other, value in namesakes if same_item(other, link)]


def _id(link: Link) -> str:
    """The id of a link's item in one spelling: people write Jira keys in upper or lower case."""
    return link.item.upper() if link.tracker == "jira" else link.item


def link_of(increment: Increment, subject: _OnItem) -> Link:
    """The link of an item in any spelling; a new one if it was unlinked."""
    for link in increment.links:
        if (link.tracker, link.key) == (subject.tracker, subject.item):
            return link
    wanted = _as_link(subject.tracker, subject.item)
    same = [link for link in increment.links if same_item(link, wanted)]
    # A number alone may belong to items in several places.
    return same[0] if same and (address_of(wanted) or len(same) == 1) else wanted


def _as_link(tracker: str, item: str) -> Link:
    """The link whose key is an operation's item."""
    if "://" in item:
        last = item.partition("#")[0].partition("?")[0].rstrip("/").rpartition("/")[2]
        return Link(tracker, last, item)
    target, _, number = item.rpartition("#")
    return Link(tracker, number, target=target) if "/" in target else Link(tracker, item)


def story_of(increment: Increment, operation: Operation) -> str | None:
    """The user story of an operation's item; None for the increment as a whole."""
    return operation.story or link_of(increment, operation).story
