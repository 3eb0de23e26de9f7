"""Propose items for increments that have no link to a tracker; nothing is linked."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from dataclasses import replace
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UnlatchError, unexpected
from unlatch.increments.records.events import Delivered, read_events
from unlatch.lifecycle.linking.mentioned import mentioned_items
from unlatch.spi import Capability
from unlatch.spi.operation import Kind
from unlatch.values import dataclass
from unlatch.worklog.parallel import run_parallel

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from unlatch.increments.model.increment import BrokenIncrement, Increment
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch.spi.item import Listed

# Ten pages of the slowest tracker; beyond that, users must name addresses.
MOST_LISTED = 1000


class Ground(StrEnum):
    """Why an item is proposed."""

    MARKER = "marker"
    MENTION = "mention"
    TITLE = "title"
    WORDS = "words"  # of the title, without punctuation


_EVIDENCE = {
    Ground.MARKER: "created for this increment",
    Ground.MENTION: "named in its documents",
    Ground.TITLE: "the same title",
    Ground.WORDS: "the same words as",
}


@dataclass(frozen=True, slots=True)
class Proposal:
    """The items on one tracker that may belong to an increment.

    Args:
        items: one, or several to choose from.
        contested: whether another increment also matches one of them.
        titles: the increment's title and id, which were compared.
    """

    increment: Increment
    tracker: str
    ground: Ground
    items: tuple[Listed, ...]
    contested: bool = False
    titles: tuple[str, ...] = ()

    def evidence(self, item: Listed) -> str:
        """Why an item is proposed, in words for people."""
        if self.ground is not Ground.WORDS:
            return _EVIDENCE[self.ground]
        words = words_of_title(item.title)
        mine = next((title for title in self.titles if words_of_title(title) == words), "")
        return f'{_EVIDENCE[self.ground]} "{mine}"'

    @property
    def is_clear(self) -> bool:
        """Whether there is only one candidate."""
        return len(self.items) == 1 and not self.contested


@dataclass(frozen=True, slots=True)
class Suggestions:
    """The proposals.

    Args:
        listed: the number of items that each tracker listed.
        lacking: the number of increments without an item, by tracker.
        errors: the errors of trackers that could not be read.
    """

    proposals: tuple[Proposal, ...]
    listed: Mapping[str, int]
    lacking: Mapping[str, int]
    errors: Mapping[str, UnlatchError]
    broken: Sequence[BrokenIncrement]


def suggest_links(
    workspace: Workspace, trackers: Trackers, wanted: Sequence[str] = ()
) -> Suggestions:
    """Propose items for increments without an item on a tracker.

    Items linked to other increments are not proposed by title.

    Args:
        wanted: increments by name; empty for all outside the archive.
    """
    everything, broken = workspace.manager.read_all()
    increments = [increment for increment in everything if not increment.archived]
    if wanted:
        named = map(workspace.manager.read, wanted)
        increments = list({increment.id: increment for increment in named}.values())
    manifest = trackers.registry.manifest
    names = [
        tracker
        for tracker in workspace.settings
        if Capability.LIST in manifest(tracker).capabilities
    ]
    lacking = {
        name: [
            increment
            for increment in increments
            if all(link.tracker != name for link in increment.links)
        ]
        for name in names
    }
    answers = dict(
        run_parallel({name: partial(_list, trackers, name) for name in names if lacking[name]})
    )
    errors = {name: answer for name, answer in answers.items() if isinstance(answer, UnlatchError)}
    listed = {name: answer for name in names if isinstance(answer := answers.get(name), list)}
    taken = {_address(link.url) for increment in everything for link in increment.links if link.url}
    said = {name: mentioned_items(trackers, name, lacking[name], listed[name]) for name in listed}
    proposals = [
        proposal
        for name in listed
        for proposal in _proposals(name, lacking[name], listed[name], taken, said[name])
    ]
    return Suggestions(
        tuple(proposals),
        {name: len(items) for name, items in listed.items()},
        {name: len(increments_without) for name, increments_without in lacking.items()},
        errors,
        broken,
    )


def _list(trackers: Trackers, name: str) -> list[Listed] | UnlatchError:
    try:
        return list(islice(trackers.open(name).list_items(None), MOST_LISTED))
    except UnlatchError as error:
        return error
    except Exception as error:  # noqa: BLE001  # a plugin's mistake must not hide the others
        return unexpected(error)


def _proposals(
    tracker: str,
    increments: list[Increment],
    listed: list[Listed],
    taken: set[str],
    named: Mapping[str, Sequence[Listed]],
) -> list[Proposal]:
    by_op: dict[str, list[Listed]] = defaultdict(list)
    by_title: dict[str, list[Listed]] = defaultdict(list)
    by_words: dict[str, list[Listed]] = defaultdict(list)
    for item in listed:
        for op in item.ops:
            by_op[op].append(item)
        if _address(item.ref.url) not in taken:
            by_title[_folded(item.title)].append(item)
            by_words[words_of_title(item.title)].append(item)
    proposals: list[Proposal] = []
    for increment in increments:
        marked = [item for op in _creations(increment) for item in by_op.get(op, ())]
        mentioned = [item for item in named[increment.id] if _address(item.ref.url) not in taken]
        titles = tuple(filter(str.strip, (increment.title, increment.id)))
        candidates = {
            Ground.MARKER: marked,
            Ground.MENTION: mentioned,
            Ground.TITLE: _matching(by_title, map(_folded, titles)),
            Ground.WORDS: _matching(by_words, map(words_of_title, titles)),
        }
        ground = next((candidate for candidate, items in candidates.items() if items), None)
        if ground is not None:
            items = tuple(dict.fromkeys(candidates[ground]))
            proposals.append(Proposal(increment, tracker, ground, items, titles=titles))
    # A title or a mention that fits two increments proves neither.
    claims = Counter(item.ref.url for proposal in proposals for item in proposal.items)
    return [
        replace(proposal, contested=proposal.ground is not Ground.MARKER)
        if any(claims[item.ref.url] > 1 for item in proposal.items)
        else proposal
        for proposal in proposals
    ]


def _creations(increment: Increment) -> list[str]:
    """The operations that created items for an increment, from its files."""
    operations = [operation.op for operation in increment.pending if operation.kind is Kind.CREATE]
    try:
        events = read_events(increment.folder)
    except StoreError:
        return operations
    created = (
        event for event in events if isinstance(event, Delivered) and event.kind == Kind.CREATE
    )
    return operations + [event.op for event in created]


def _matching(by_text: Mapping[str, list[Listed]], wanted: Iterable[str]) -> list[Listed]:
    return [item for text in dict.fromkeys(wanted) for item in by_text.get(text, ())]


def _folded(title: str) -> str:
    """A title whose spaces, case and forms of characters (full width, ligatures) do not count."""
    return " ".join(unicodedata.normalize("NFKC", title).casefold().split())


def words_of_title(title: str) -> str:
    """The words of a title in any script, without punctuation; without any, the whole title.

    C, C++ and C# are different words.
    """
    folded = unicodedata.normalize("NFKC", _folded(title))
    kept: list[str] = []
    for character in folded:
        kind = unicodedata.category(character)
        if kind == "Cf":
            continue  # it only joins characters
        is_inside = kept[-1:] not in ([], [" "]) and (kind[0] == "M" or character in "+#")
        kept.append(character if kind[0] in "LN" or is_inside else " ")
    return " ".join("".join(kept).split()) or folded


def _address(url: str) -> str:
    return url.rstrip("/").casefold()
