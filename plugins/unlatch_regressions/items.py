"""What the items of finished work say on their trackers, and what closed them there."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import CredentialMissing, UnlatchError, unexpected
from unlatch.increments.records.links import identity
from unlatch.spi import Background, Capability
from unlatch.values import dataclass
from unlatch.worklog.parallel import run_parallel

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.project.trackers import Trackers
    from unlatch.spi import ItemRef

# Of a text; GitHub and Jira take less, Azure DevOps more.
_MOST = 1_000_000


class NotAsked(UnlatchError):
    """Items whose trackers this command does not ask, or whose plugin cannot be asked."""


class PartlyRead(UnlatchError):
    """Items with more closes, or more commits, than are read."""


@dataclass(frozen=True, slots=True)
class Item:
    """A linked item, as its tracker describes it."""

    ref: ItemRef
    background: Background


@dataclass(frozen=True, slots=True)
class Unread:
    """Items of one tracker that were not read, or not whole, for one cause."""

    tracker: str
    names: tuple[str, ...]
    error: UnlatchError  # the first item's

    @property
    def is_failure(self) -> bool:
        """Whether they could not be read, where the command was able to ask."""
        return not isinstance(self.error, NotAsked | CredentialMissing | PartlyRead)


class LinkedItems:
    """The linked items of increments; each is read once, and many in one request.

    Args:
        offline: whether no tracker is asked.
    """

    def __init__(self, trackers: Trackers, *, offline: bool = False) -> None:
        self._trackers, self._offline = trackers, offline
        self._seen: dict[tuple[str, str], Item | UnlatchError] = {}
        self._names: dict[tuple[str, str], str] = {}

    def read(self, increments: Iterable[Increment]) -> Mapping[str, Sequence[Item]]:
        """The items of increments, by their ids, as far as they could be read."""
        increments = [*increments]
        self._fetch(link for increment in increments for link in increment.links)
        return {increment.id: [*self._items(increment)] for increment in increments}

    def is_whole(self, increment: Increment) -> bool:
        """Whether all its items were read."""
        return len(self._items(increment)) == len(increment.links)

    @property
    def unread(self) -> Sequence[Unread]:
        """Those that were to be read and could not be, or not whole, by tracker and cause."""
        errors: dict[tuple[str, str, str], UnlatchError] = {}
        names: dict[tuple[str, str, str], list[str]] = {}
        for item, answer in self._seen.items():
            error = _left_out(answer) if isinstance(answer, Item) else answer
            if error is not None:
                cause = (item[0], error.id, error.message)
                errors.setdefault(cause, error)
                names.setdefault(cause, []).append(self._names[item])
        return [Unread(cause[0], tuple(names[cause]), error) for cause, error in errors.items()]

    def _items(self, increment: Increment) -> Sequence[Item]:
        answers = (self._seen.get(identity(link)) for link in increment.links)
        return [answer for answer in answers if isinstance(answer, Item)]

    def _fetch(self, links: Iterable[Link]) -> None:
        located: dict[str, dict[tuple[str, str], ItemRef]] = {}
        for link in links:
            item = identity(link)
            if item in self._names:
                continue
            self._names[item] = link.key
            try:
                ref = self._locate(link)
                self._names[item] = self._trackers.settings(link.tracker).name(ref)
            except UnlatchError as error:
                self._seen[item] = error
            else:
                located.setdefault(link.tracker, {})[item] = ref
        tasks = {name: partial(self._ask, name, refs) for name, refs in located.items()}
        for _, answers in run_parallel(tasks):
            self._seen |= answers

    def _locate(self, link: Link) -> ItemRef:
        manifest = self._trackers.registry.manifest(link.tracker)
        if self._offline:
            raise NotAsked("items-not-asked", "--offline leaves the items out")
        if Capability.BACKGROUND not in manifest.capabilities:
            message = f"the plugin for {manifest.title} does not read what items say"
            raise NotAsked("items-not-asked", message)
        return self._trackers.locate(link)

    def _ask(
        self, tracker: str, refs: Mapping[tuple[str, str], ItemRef]
    ) -> Mapping[tuple[str, str], Item | UnlatchError]:
        try:
            answers = self._trackers.open(tracker).read_background([*dict.fromkeys(refs.values())])
            return {item: _item(ref, answers[ref]) for item, ref in refs.items()}
        except Exception as error:  # noqa: BLE001  # a plugin's mistake must not hide the others
            return dict.fromkeys(refs, unexpected(error))


def _left_out(item: Item) -> PartlyRead | None:
    """What is not known of an item that was read."""
    left_out = item.background.left_out
    return PartlyRead("item-partly-read", f"{left_out} were left out") if left_out else None


def _item(ref: ItemRef, answer: Background | UnlatchError) -> Item | UnlatchError:
    if isinstance(answer, UnlatchError):
        return answer
    if len(answer.text) > _MOST:
        message = f"its text has more than {_MOST:,} characters"
        return UnlatchError("item-too-long", message, where=ref.url, hint="shorten it")
    return Item(ref, answer)
