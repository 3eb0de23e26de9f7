"""Read what the trackers show of items, each item once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import Moved, UnlatchError, unexpected
from unlatch.increments.model.link import Link
from unlatch.increments.records.links import identity
from unlatch.spi import Capability, ItemHistory, MarkedComment, hidden
from unlatch.values import dataclass
from unlatch.worklog.parallel import run_parallel

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from unlatch.project.trackers import Trackers
    from unlatch.spi import RemoteItem

Identity = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a tracker shows of one item.

    Args:
        name: the item's name for people.
        history: None with an `error`, and from a plugin that cannot read histories.
        item: as it is now, where the plugin cannot read histories.
        comments: the comments with markers; of such a plugin without their texts.
        is_moved: whether the item was found at another place, where its past may be missing.
    """

    name: str
    comments: tuple[MarkedComment, ...] = ()
    history: ItemHistory | None = None
    item: RemoteItem | None = None
    error: UnlatchError | None = None
    is_moved: bool = False


def read_evidence(
    trackers: Trackers, links: Iterable[Link], ops: Iterable[tuple[Link, str]]
) -> Mapping[Identity, Evidence]:
    """Read items in parallel, with the comments of these operations."""
    places = {identity(link): link for link in links}
    wanted: dict[Identity, dict[str, None]] = {}
    for link, op in ops:
        wanted.setdefault(identity(link), {})[op] = None
    tasks = {
        key: partial(_read, trackers, link, wanted.get(key, {})) for key, link in places.items()
    }
    return dict(run_parallel(tasks, lane_of=lambda key: key[0]))


def _read(trackers: Trackers, link: Link, ops: Iterable[str]) -> Evidence:
    name = link.key
    try:
        ref = trackers.locate(link)
        name = trackers.settings(link.tracker).name(ref)
        return _read_item(trackers, link, name, ops, is_moved=False)
    except Moved as moved:
        if not moved.to:
            return Evidence(name, error=moved)
        try:
            there = Link(link.tracker, moved.to.rstrip("/").rpartition("/")[2], moved.to)
            return _read_item(trackers, there, name, ops, is_moved=True)
        except UnlatchError as error:
            return Evidence(name, error=error)
    except UnlatchError as error:
        return Evidence(name, error=error)
    except Exception as mistake:  # noqa: BLE001  # a plugin's mistake must not hide the other items
        return Evidence(name, error=unexpected(mistake))


def _read_item(
    trackers: Trackers, link: Link, name: str, ops: Iterable[str], *, is_moved: bool
) -> Evidence:
    plugin, ref = trackers.open(link.tracker), trackers.locate(link)
    if Capability.HISTORY in trackers.registry.manifest(link.tracker).capabilities:
        history = plugin.read_history(ref)
        return Evidence(name, history.comments, history, is_moved=is_moved)
    item = plugin.read(ref).item
    comments = (
        MarkedComment(comment.id, hidden(op))
        for op in ops
        for comment in plugin.find_comments(item.ref, op)
    )
    return Evidence(name, tuple(comments), item=item, is_moved=is_moved)
