"""Asking trackers about items, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from unlatch.engine.side_by_side import side_by_side
from unlatch.errors import UnlatchError, unexpected

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.domain.increment import Link
    from unlatch.domain.item import ItemRef, RemoteItem
    from unlatch.engine.trackers import Trackers


@dataclass(frozen=True, slots=True)
class Seen:
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


def look(trackers: Trackers, links: Iterable[Link], *, within: float | None = None) -> list[Seen]:
    """What the trackers say about the items of `links`, in that order.

    Args:
        within: seconds after which what has not come is left unknown.
    """
    links = list(links)
    seen = {link: Seen(link, link.key) for link in links}
    located = {}
    for link in links:
        try:
            ref = trackers.locate(link)
        except UnlatchError as error:
            seen[link] = Seen(link, link.key, error=error)
        else:
            name = trackers.settings(link.tracker).name(ref)
            seen[link] = Seen(link, name)
            located[link] = partial(_look, trackers, link, ref, name)
    seen |= dict(side_by_side(located, within=within))
    return [seen[link] for link in links]


def _look(trackers: Trackers, link: Link, ref: ItemRef, name: str) -> Seen:
    try:
        return Seen(link, name, trackers.open(link.tracker).get_issue_status(ref))
    except UnlatchError as error:
        return Seen(link, name, error=error)
    except Exception as error:  # noqa: BLE001  # a plugin's mistake must not hide the other items
        return Seen(link, name, error=unexpected(error))
