"""Asking trackers about items, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError, unexpected
from unlatch.spi import Capability, Snapshot
from unlatch.worklog.parallel import run_parallel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from unlatch.errors import TrackerError
    from unlatch.increments.model.increment import Link
    from unlatch.project.trackers import Trackers
    from unlatch.spi import SyncPlugin
    from unlatch.spi.item import ItemRef, RemoteItem


@dataclass(frozen=True, slots=True)
class ItemSnapshot:
    """What is known of a linked item.

    Args:
        link: the link.
        name: how people call the item.
        item: what its tracker said; None if it could not be asked or did not answer in time.
        error: why it could not be asked; None if it merely did not answer in time.
    """

    link: Link
    name: str
    item: RemoteItem | None = None
    error: UnlatchError | None = None


def fetch_items(
    trackers: Trackers,
    links: Iterable[Link],
    *,
    within: float | None = None,
    closely: bool = False,
) -> list[ItemSnapshot]:
    """What the trackers say about the items of `links`, in that order.

    Args:
        within: seconds after which what has not come is left unknown.
        closely: ask in the way that tells most (who moved an item, what closed it), also where a
            single item could be read more simply.
    """
    links = list(links)
    seen = {link: ItemSnapshot(link, link.key) for link in links}
    located: dict[str, dict[Link, _Place]] = {}
    for link in links:
        try:
            ref = trackers.locate(link)
        except UnlatchError as error:
            seen[link] = ItemSnapshot(link, link.key, error=error)
        else:
            name = trackers.settings(link.tracker).name(ref)
            seen[link] = ItemSnapshot(link, name)
            located.setdefault(link.tracker, {})[link] = _Place(ref, name)
    tasks: dict[tuple[Link, ...], Callable[[], list[ItemSnapshot]]] = {}
    for tracker, places in located.items():
        at_once = Capability.STATUS_OF_MANY in trackers.registry.manifest(tracker).capabilities
        groups = (
            [places]
            if at_once and (closely or len(places) > 1)
            else [{one: places[one]} for one in places]
        )
        tasks |= {
            tuple(group): partial(_look, trackers, tracker, group, closely=closely)
            for group in groups
        }
    for _, found in run_parallel(tasks, within=within):
        seen |= {one.link: one for one in found}
    return [seen[link] for link in links]


def _look(
    trackers: Trackers, tracker: str, places: Mapping[Link, _Place], *, closely: bool
) -> list[ItemSnapshot]:
    many = Capability.STATUS_OF_MANY in trackers.registry.manifest(tracker).capabilities
    singly = not many or (len(places) == 1 and not closely)
    try:
        refs = [place.ref for place in places.values()]
        found = _asked(trackers.open(tracker), refs, singly=singly)
    except UnlatchError as error:
        return [ItemSnapshot(link, place.name, error=error) for link, place in places.items()]
    except Exception as error:  # noqa: BLE001  # a plugin's mistake must not hide the other items
        told = unexpected(error)
        return [ItemSnapshot(link, place.name, error=told) for link, place in places.items()]
    return [_seen(link, place, found[place.ref]) for link, place in places.items()]


def _asked(
    plugin: SyncPlugin, refs: list[ItemRef], *, singly: bool
) -> Mapping[ItemRef, Snapshot | TrackerError]:
    if singly:
        return {refs[0]: plugin.read(refs[0])}
    return plugin.read_many(list(dict.fromkeys(refs)))


def _seen(link: Link, place: _Place, found: Snapshot | TrackerError) -> ItemSnapshot:
    if isinstance(found, UnlatchError):
        return ItemSnapshot(link, place.name, error=found)
    return ItemSnapshot(link, place.name, found.item)


@dataclass(frozen=True, slots=True)
class _Place:
    ref: ItemRef
    name: str
