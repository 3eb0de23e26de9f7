"""Proposing items for increments that are tied to none on a tracker."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UnlatchError, unexpected
from unlatch.increments.records.events import Delivered, read_events
from unlatch.spi import Capability
from unlatch.spi.operation import Kind
from unlatch.worklog.parallel import run_parallel

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch.spi.item import Listed

# Ten pages of the slowest tracker; whoever has more items names their addresses.
MOST_LISTED = 1000


class Ground(StrEnum):
    """What an item is proposed for."""

    MARKER = "marker"
    TITLE = "title"


@dataclass(frozen=True, slots=True)
class Proposal:
    """The items that may be an increment's on one tracker.

    Args:
        items: one, or several between which somebody has to choose.
        contested: whether such an item is as likely another increment's.
    """

    increment: Increment
    tracker: str
    ground: Ground
    items: tuple[Listed, ...]
    contested: bool = False

    @property
    def is_clear(self) -> bool:
        """Whether there is nothing to choose."""
        return len(self.items) == 1 and not self.contested


@dataclass(frozen=True, slots=True)
class Suggestions:
    """What is proposed.

    Args:
        listed: how many items each tracker listed.
        lacking: how many increments have no item, by tracker.
        errors: why trackers could not be asked.
    """

    proposals: tuple[Proposal, ...]
    listed: Mapping[str, int]
    lacking: Mapping[str, int]
    errors: Mapping[str, UnlatchError]


def suggest_links(
    workspace: Workspace,
    trackers: Trackers,
    increments: Sequence[Increment],
    everything: Iterable[Increment],
) -> Suggestions:
    """Propose items for those of `increments` that have none on a tracker; ties nothing.

    Args:
        everything: all increments of the project, whose items are not proposed by their titles.
    """
    names = [
        name
        for name in workspace.settings
        if Capability.LIST in trackers.registry.manifest(name).capabilities
    ]
    lacking = {name: [one for one in increments if not _has_item(one, name)] for name in names}
    asked = {name: partial(_list, trackers, name) for name in names if lacking[name]}
    taken = {_address(link.url) for one in everything for link in one.links if link.url}
    listed: dict[str, list[Listed]] = {}
    errors: dict[str, UnlatchError] = {}
    for name, found in run_parallel(asked):
        if isinstance(found, UnlatchError):
            errors[name] = found
        else:
            listed[name] = found
    proposals = [
        proposal
        for name in names
        if name in listed
        for proposal in _proposals(name, lacking[name], listed[name], taken)
    ]
    return Suggestions(
        tuple(proposals),
        {name: len(listed[name]) for name in names if name in listed},
        {name: len(lacking[name]) for name in names},
        errors,
    )


def _has_item(increment: Increment, tracker: str) -> bool:
    return any(link.tracker == tracker for link in increment.links)


def _list(trackers: Trackers, name: str) -> list[Listed] | UnlatchError:
    try:
        return list(islice(trackers.open(name).list_items(None), MOST_LISTED))
    except UnlatchError as error:
        return error
    except Exception as error:  # noqa: BLE001  # a plugin's mistake must not hide the others
        return unexpected(error)


def _proposals(
    tracker: str, increments: list[Increment], listed: list[Listed], taken: set[str]
) -> list[Proposal]:
    by_op: dict[str, list[Listed]] = defaultdict(list)
    by_title: dict[str, list[Listed]] = defaultdict(list)
    for item in listed:
        for op in item.ops:
            by_op[op].append(item)
        if _address(item.ref.url) not in taken:
            by_title[_folded(item.title)].append(item)
    found: list[Proposal] = []
    for increment in increments:
        marked = [item for op in _made(increment) for item in by_op.get(op, ())]
        titled = [item for title in _titles(increment) for item in by_title.get(title, ())]
        if items := tuple(dict.fromkeys(marked or titled)):
            ground = Ground.MARKER if marked else Ground.TITLE
            found.append(Proposal(increment, tracker, ground, items))
    return _contested(found)


def _contested(found: list[Proposal]) -> list[Proposal]:
    """Where two increments are proposed one item by its title, neither is to be believed."""
    claims: dict[str, int] = defaultdict(int)
    for proposal in found:
        for item in proposal.items:
            claims[item.ref.url] += 1
    return [
        replace(one, contested=True)
        if one.ground is Ground.TITLE and any(claims[item.ref.url] > 1 for item in one.items)
        else one
        for one in found
    ]


def _made(increment: Increment) -> list[str]:
    """The operations by which items were made for an increment, as its files tell."""
    made = [one.op for one in increment.pending if one.kind is Kind.CREATE]
    try:
        events = read_events(increment.folder)
    except StoreError:
        return made
    created = (one for one in events if isinstance(one, Delivered) and one.kind == Kind.CREATE)
    return made + [one.op for one in created]


def _titles(increment: Increment) -> list[str]:
    said = (increment.title, increment.id)
    return list(dict.fromkeys(_folded(title) for title in said if title.strip()))


def _folded(title: str) -> str:
    return " ".join(title.split()).casefold()


def _address(url: str) -> str:
    return url.rstrip("/").casefold()
