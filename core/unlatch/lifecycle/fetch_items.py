"""Read items from their trackers in parallel, and find when each was last synced."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import replace
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UnlatchError, unexpected
from unlatch.increments.records.links import identity, link_of
from unlatch.increments.records.unread_places import unknown_trackers, unread_places
from unlatch.project.registry import Registry, shapes_of
from unlatch.project.workspace import broken_links
from unlatch.spi import Capability
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.project.trackers import Trackers
    from unlatch.spi.item import ItemRef, RemoteItem


@dataclass(frozen=True, slots=True)
class ItemSnapshot:
    """A linked item in the tracker's present state.

    Args:
        name: the item's name for people.
        item: None if it could not be read, or its tracker did not answer in time.
        error: why it could not be read; None if its tracker did not answer in time.
        requests: those sent for it, if it is left as it is; else its delivery has them.
    """

    link: Link
    name: str
    item: RemoteItem | None = None
    error: UnlatchError | None = None
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Unread:
    """Items of one tracker that could not be read, for one cause."""

    tracker: str
    names: tuple[str, ...]
    error: UnlatchError  # the first item's


def group_unread(snapshots: Iterable[ItemSnapshot]) -> list[Unread]:
    """Group the items that could not be read by tracker and cause, each item once."""
    errors: dict[tuple[str, str, str], UnlatchError] = {}
    names: dict[tuple[str, str, str], dict[str, None]] = {}
    for snapshot in snapshots:
        if snapshot.error is not None:
            cause = (snapshot.link.tracker, snapshot.error.id, snapshot.error.message)
            errors.setdefault(cause, snapshot.error)
            names.setdefault(cause, {})[snapshot.name] = None
    return [Unread(cause[0], tuple(names[cause]), error) for cause, error in errors.items()]


def find_unread(increments: Iterable[Increment], registry: Registry) -> list[Unread]:
    """The places that seem to name items and are not read as links, by tracker."""
    shapes = shapes_of(registry.manifests).links
    names: dict[str, list[str]] = {}
    errors: dict[str, UnlatchError] = {}
    for increment in increments:
        for tracker, error in broken_links(increment, registry).items():
            errors[tracker] = error
            names.setdefault(tracker, []).append(increment.id)
        places = [
            (name, at)
            for name in shapes
            for at in unread_places(increment.data, name, shapes[name])
        ]
        places += [
            (str(at[-1]).casefold(), at)
            for at in unknown_trackers(increment.data, registry.targets)
        ]
        for tracker, path in places:
            errors.setdefault(
                tracker, _unread_error(tracker, increment.id, is_known=tracker in shapes)
            )
            names.setdefault(tracker, []).append(f"{increment.id}:/{'/'.join(map(str, path))}")
    return [Unread(tracker, tuple(unread), errors[tracker]) for tracker, unread in names.items()]


def _unread_error(tracker: str, increment: str, *, is_known: bool) -> StoreError:
    if is_known:
        message = "metadata.json names an item that unlatch cannot read"
        hint = (
            f"unlatch doctor {quote(increment)}; to replace it: unlatch link {quote(increment)} URL"
        )
    else:
        message = f"metadata.json names an item of {tracker}, for which no plugin is installed"
        hint = f'to exclude them, set direction = "off" in [sync.trackers.{_key(tracker)}]'
    return StoreError("link-unread", message, hint=hint)


def _key(name: str) -> str:
    """A key of TOML."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def fetch_items(
    trackers: Trackers, links: Iterable[Link], *, within: float | None = None, closely: bool = False
) -> list[ItemSnapshot]:
    """Read the items of `links`, in that order.

    Args:
        within: seconds to wait; an item without an answer stays unknown.
        closely: read all details (who moved an item, why it was closed), even if a simpler read is
            possible.
    """
    if not (links := list(links)):
        return []
    seen = {link: ItemSnapshot(link, link.key) for link in links}
    located: dict[str, dict[Link, ItemRef]] = {}
    for link in links:
        try:
            ref = trackers.locate(link)
            name = trackers.settings(link.tracker).name(ref)
        except UnlatchError as error:
            seen[link] = replace(seen[link], error=error)
        else:
            seen[link] = replace(seen[link], name=name)
            located.setdefault(link.tracker, {})[link] = ref
    tasks: dict[tuple[Link, ...], Callable[[], Mapping[Link, RemoteItem | UnlatchError]]] = {}
    for tracker, refs in located.items():
        reads_many = Capability.STATUS_OF_MANY in trackers.registry.manifest(tracker).capabilities
        at_once = reads_many and (closely or len(refs) > 1)
        for group in [refs] if at_once else [{link: ref} for link, ref in refs.items()]:
            tasks[tuple(group)] = partial(_read, trackers, tracker, group, at_once=at_once)
    from unlatch.worklog.parallel import run_parallel  # noqa: PLC0415  (slow to load)

    for _, answers in run_parallel(tasks, within=within):
        for link, answer in answers.items():
            if isinstance(answer, UnlatchError):
                seen[link] = replace(seen[link], error=answer)
            else:
                seen[link] = replace(seen[link], item=answer)
    return [seen[link] for link in links]


def last_synced(increment: Increment) -> Mapping[Link, datetime]:
    """The time of the last sync of each item: a change, or a comparison that found no difference.

    It comes from the events; without them it is unknown.
    """
    from unlatch.increments.records.events import (  # noqa: PLC0415  (slow to load)
        Delivered,
        Linked,
        Synced,
        read_events,
    )

    times: dict[tuple[str, str], datetime] = {}
    with suppress(StoreError):
        for event in read_events(increment.folder):
            if isinstance(event, Delivered | Linked | Synced):
                link = link_of(increment, event)
                if link.base or not isinstance(event, Linked):
                    times[identity(link)] = event.at
    return {link: times[identity(link)] for link in increment.links if identity(link) in times}


def _read(
    trackers: Trackers, tracker: str, refs: Mapping[Link, ItemRef], *, at_once: bool
) -> Mapping[Link, RemoteItem | UnlatchError]:
    error: UnlatchError
    try:
        plugin = trackers.open(tracker)
        with trackers.planning(next(iter(refs))):
            if not at_once:
                return {link: plugin.read(ref).item for link, ref in refs.items()}
            snapshots = plugin.read_many(list(dict.fromkeys(refs.values())))
        answers = {link: snapshots[ref] for link, ref in refs.items()}
        return {
            link: answer if isinstance(answer, UnlatchError) else answer.item
            for link, answer in answers.items()
        }
    except UnlatchError as refused:
        error = refused
    except Exception as mistake:  # noqa: BLE001  # a plugin's mistake must not hide the other items
        error = unexpected(mistake)
    return dict.fromkeys(refs, error)
