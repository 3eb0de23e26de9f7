"""What the words in messages and trailers mean: increments, linked items, the own repository."""

from __future__ import annotations

import re
from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from unlatch.errors import UnlatchError
from unlatch.patterns import pattern
from unlatch.project.trackers import Trackers
from unlatch.worklog.name_matching import Match

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.project.workspace import Workspace

# AB#12 is a work item of Azure DevOps, in commits on GitHub.
_AZURE = "ado"
# Of a message; longer ones are generated.
_MOST = 100_000
# What stands around a word, but is in no name. Bytes are translated three times as fast as texts.
_AROUND = bytes.maketrans(b",;()[]<>\"'`", b" " * 11)
# https://github.com/octo/widgets.git, git@github.com:octo/widgets, and with ssh:// before it.
_REMOTE = pattern(
    r"(?:\w+://)?(?:[^@/\s]+@)?(?P<host>[\w.-]+(?::[0-9]+(?=/))?)[:/](?P<path>[^\s:]+)"
)
# What closes an item of GitHub or Azure DevOps.
_CLOSED = pattern(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?[ \t]+"
    r"((?:[\w.-]{1,100}/[\w.-]{1,100})?#[0-9]{1,9})\b",
    re.IGNORECASE,
)
# What most names have, and most messages do not: ten times as fast as their words, and another
# five times since all that it looks for begins with one of three characters.
_SIGN = pattern(r"[-#:](?:(?<=[0-9]-)[\w.]|(?<=[0-9][A-Za-z]-)[\w.]|(?<=[-#])[0-9]|(?<=:)//)")


class Names:
    """The increments that a word names: by their own names, and by those of linked items."""

    def __init__(self, workspace: Workspace, increments: Iterable[Increment]) -> None:
        self._workspace, self._trackers = workspace, Trackers(workspace)
        self._ids = defaultdict[str, dict[str, None]](dict)
        for increment in increments:
            for name in (increment.id, *self._of_items(increment)):
                self._ids[name.casefold()][increment.id] = None
        self._have_signs = all(map(_SIGN.search, self._ids))
        self._words = {_encoded(name): name for name in self._ids}
        # Anyone may mention a number.
        self._numbers = frozenset(name for name in self._ids if _is_number(name))

    def _of_items(self, increment: Increment) -> Iterator[str]:
        for link in increment.links:
            yield from filter(None, (link.url, link.key, self._full_name(link)))
            yield f"#{link.item}" if link.item.isdecimal() else link.item
            if link.tracker == _AZURE:
                yield f"AB#{link.item}"

    def _full_name(self, link: Link) -> str | None:
        with suppress(UnlatchError):  # the configuration does not define its place
            return self._trackers.settings(link.tracker).name(self._trackers.place(link))
        return None

    def named(self, word: str) -> Sequence[str]:
        """The ids of the increments that a word names: 7, 0007-search, #4, SCRUM-28, an address."""
        if (ids := self._ids.get(word.casefold())) is not None:
            return tuple(ids)
        how, folders = self._workspace.manager.collection.match(word, up_to=Match.OTHER_CASE)
        return () if how is None else tuple(folder.name for folder in folders)

    def in_message(self, message: str) -> set[str]:
        """The ids of the increments whose work a message says that it is."""
        if self._have_signs and not _SIGN.search(message, 0, _MOST):
            return set()
        known = self._words.keys() & _words_in(message)
        words = {self._words[word] for word in known}
        if not words.isdisjoint(self._numbers):
            closed = {match[1].casefold() for match in _CLOSED.finditer(message[:_MOST])}
            words = (words - self._numbers) | (words & closed)
        return {name for word in words for name in self._ids[word]}


class OwnRepository(NamedTuple):
    """Where the project's repository is, by git's remote origin and by the configuration.

    Args:
        names: in lower case, as octo/widgets.
        places: addresses within it.
    """

    names: frozenset[str] = frozenset()
    places: tuple[str, ...] = ()

    @classmethod
    def of(cls, workspace: Workspace, trackers: Trackers, remote: str) -> OwnRepository:
        targets = (settings.target for settings in workspace.settings.values())
        names = [target for target in targets if target]
        places = [*_item_addresses(workspace, trackers)]
        if match := _REMOTE.fullmatch(remote):
            path = match["path"].rstrip("/").removesuffix(".git").strip("/")
            names.append("/".join(path.split("/")[-2:]))
            places.append(f"https://{match['host']}/{path}/-")
        return cls(frozenset(map(str.casefold, names)), tuple(places))


def _item_addresses(workspace: Workspace, trackers: Trackers) -> Iterator[str]:
    for name in workspace.settings:
        with suppress(UnlatchError):  # items of this tracker have no place of their own
            yield trackers.settings(name).locate("1", None).url


def _words_in(message: str) -> set[bytes]:
    """The words of a message, in lower case and without punctuation around them."""
    text = _encoded(message[:_MOST].casefold()).translate(_AROUND) + b"\n"
    # A full stop ends a sentence; others are in addresses.
    for end in (b".", b":"):
        text = text.replace(end + b" ", b" ").replace(end + b"\n", b"\n")
    return set(text.split())


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _is_number(name: str) -> bool:
    """Whether a name is #4, or octo/widgets#4."""
    return "#" in name and not name.startswith("ab#")
