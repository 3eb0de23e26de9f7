"""What the words in messages and trailers mean: increments and linked items."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.patterns import pattern
from unlatch.project.trackers import Trackers
from unlatch.worklog.name_matching import Match

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from unlatch.increments.model.increment import Increment, Link
    from unlatch.project.workspace import Workspace

# Of a message; longer ones are generated.
_MOST = 100_000
# A folder's name; a Jira key; an address; what closes an item of GitHub, or names one of Azure
# DevOps.
_NAMES = pattern(
    r"(?<![\w/-])[0-9]{3,9}[A-Za-z]?-[\w.-]{1,200}(?<![.-])"
    r"|\b[A-Z][A-Z0-9_]{1,50}-[0-9]{1,9}\b"
    r"|https?://[^\s<>()\"']{1,500}(?<![.,;:])"
    r"|\bAB(?=#[0-9])|(?i:\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?[ \t]+)(?=[\w./-]{0,200}#)"
)
# What each name has; most messages have none of it, and this is ten times as fast.
_SIGN = pattern(r"[0-9][A-Za-z]?-[\w.]|-[0-9]|#[0-9]|://")
_ITEM = pattern(r"(?:[\w.-]{1,100}/[\w.-]{1,100})?#[0-9]{1,9}\b")


class Names:
    """The increments that a word names: by their own names, and by those of linked items."""

    def __init__(self, workspace: Workspace, increments: Iterable[Increment]) -> None:
        self._workspace, self._trackers = workspace, Trackers(workspace)
        self._ids = defaultdict[str, dict[str, None]](dict)
        for increment in increments:
            for name in (increment.id, *self._of_items(increment)):
                self._ids[name.casefold()][increment.id] = None

    def _of_items(self, increment: Increment) -> Iterator[str]:
        for link in increment.links:
            yield from filter(None, (link.url, link.key, self._full_name(link)))
            yield f"#{link.item}" if link.item.isdecimal() else link.item

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
        text = message[:_MOST]
        words = _words(text) if _SIGN.search(text) else ()
        return {name for word in words for name in self._ids.get(word, ())}


def _words(message: str) -> Iterator[str]:
    for match in _NAMES.finditer(message):
        if (item := _ITEM.match(message, match.end())) is not None:
            yield item[0].casefold()
        else:
            yield match[0].strip().casefold()
