"""Which increment a name means that other work recorded some time ago."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from unlatch.increments.files.former import recorded_ids
from unlatch.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Collection

    from unlatch.project.workspace import Workspace

_NAME = pattern(r"(?P<number>[0-9]{1,9})(?:-(?P<words>.+))?")
# The words of a new increment whose title has no Latin letters.
_NEUTRAL = "increment"


class References:
    """Tells which increment a recorded name means now.

    That is the increment of this name; else the only one that had it as its id; else the only one
    with the same words and another number: it was renumbered; else that with the same number: it
    was renamed.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._folders = [*workspace.manager.collection.folders()]
        self._names = {folder.name for folder in self._folders}
        self._by_words: dict[str, list[str]] = defaultdict(list)
        self._by_number: dict[int, list[str]] = defaultdict(list)
        for name in self._names:
            number, words = _parts(name)
            self._by_words[words].append(name)
            self._by_number[number].append(name)

    def means(self, name: str | None, increment: str) -> bool:
        """Whether a recorded name can mean an increment."""
        return bool(name) and (name == increment or increment in self._meant(name or ""))

    def find(self, name: str) -> str | None:
        """The increment that a recorded name means now; None if there is none, or several."""
        names = self._meant(name)
        return next(iter(names)) if len(names) == 1 else None

    def _meant(self, name: str) -> Collection[str]:
        if name in self._names:
            return (name,)
        if len(renamed := self._by_id.get(name, ())) == 1:
            return renamed
        number, words = _parts(name)
        renumbered = self._by_words.get(words, ()) if words not in ("", _NEUTRAL) else ()
        if len(renumbered) == 1:
            return renumbered
        return self._by_number.get(number, ()) if number >= 0 else ()

    @cached_property
    def _by_id(self) -> dict[str, list[str]]:
        """The names of the folders, by the ids in metadata.json; read if a name is not found."""
        names_by_id: dict[str, list[str]] = defaultdict(list)
        for folder in self._folders:
            for id_ in recorded_ids(folder.path):
                names_by_id[id_].append(folder.name)
        return names_by_id


def _parts(name: str) -> tuple[int, str]:
    """The number and the words of a name; -1 and none without a number."""
    match = _NAME.fullmatch(name)
    return (int(match["number"]), match["words"] or "") if match else (-1, "")
