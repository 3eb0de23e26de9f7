"""Plugins that break one promise each about the past of an item."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from unlatch.errors import NotFound
from unlatch.spi import ItemHistory, MarkedComment, StateChange
from unlatch_github.plugin import GithubPlugin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unlatch.spi import CommentRef, Examination, ItemRef

_CUT = 1_000
_PAGE = 100


def _with_each(found: ItemHistory, change: Callable[[MarkedComment], MarkedComment]) -> ItemHistory:
    return replace(found, comments=tuple(map(change, found.comments)))


class CutsTexts(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_each(
            super().read_history(ref),
            lambda one: replace(one, text=f"{one.text[:_CUT]} {one.text[-_CUT:]}"),
        )


class CountsComments(GithubPlugin):
    """Takes the place of a comment for its id."""

    def read_history(self, ref: ItemRef) -> ItemHistory:
        found = super().read_history(ref)
        comments = (replace(one, id=str(place)) for place, one in enumerate(found.comments))
        return replace(found, comments=tuple(comments))


class ShowsAllComments(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        found = super().read_history(ref)
        comments = (MarkedComment(str(one.id), one.body) for one in self._client.comments(ref))
        return replace(found, comments=tuple(comments))


class SeesEdits(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_each(super().read_history(ref), lambda one: replace(one, edited=True))


class TrustsNobody(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_each(super().read_history(ref), lambda one: replace(one, counts=False))


class HidesStrangers(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        found = super().read_history(ref)
        return replace(found, comments=tuple(one for one in found.comments if one.counts))


class TakesUpdatesForChanges(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        found, item = super().read_history(ref), self.read(ref).item
        assert item.updated is not None
        changes = [StateChange(item.updated, item.state) for _ in item.labels]
        return replace(found, changes=(*found.changes, *changes))


class ShowsEachChangeTwice(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        found = super().read_history(ref)
        return replace(found, changes=tuple(one for one in found.changes for _ in range(2)))


class ListsCommentsTwice(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        _ = [*self._client.comments(ref)]
        return super().read_history(ref)


class ShowsTheFirstPageOfComments(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        first = [str(one.id) for one in islice(self._client.comments(ref), _PAGE)]
        found = super().read_history(ref)
        return replace(found, comments=tuple(one for one in found.comments if one.id in first))


class KnowsNoRights(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_each(super().read_history(ref), lambda one: replace(one, counts=None))


class NotesEachComment(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        found = super().find_comments(ref, op)
        return tuple(replace(one, note=f"a comment of {ref.url}") for one in found)


class MissesNoItem(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        try:
            return super().read_history(ref)
        except NotFound:
            return ItemHistory((), ())


class NamesAuthorsByAddress(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_each(
            super().read_history(ref), lambda one: replace(one, author="octocat@example.com")
        )


class NamesItselfByAddress(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        return replace(super().examine(refs), login="octocat@example.com")
