"""Plugins that name other people than the tracker does, or say something else of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.spi import Access, Examination
from unlatch_github.plugin import GithubPlugin
from unlatch_jira.plugin import JiraPlugin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.spi import Change, CommentRef, ItemHistory, ItemRef, Snapshot


class HidesTheAssignee(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        return replace(found, item=replace(found.item, assignee=None))


class HidesWhoClosedIt(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        return replace(found, item=replace(found.item, changed_by=None))


class TakesTheAssigneeForTheAuthor(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        return replace(found, item=replace(found.item, changed_by="octocat"))


class NamesTheAssigneeOfClosedItems(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        item = found.item
        name = item.changed_by if item.category.is_open else item.assignee
        return replace(found, item=replace(item, changed_by=name))


class TakesAPersonForAMerge(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        return replace(found, item=replace(found.item, closed_by="pull request octo/widgets#12"))


class TakesACommentForAChange(JiraPlugin):
    """Names the last person who did anything."""

    def find_author(self, ref: ItemRef) -> str | None:
        posted = [one.author.shown for one in self._client.comments(ref.id)]
        return posted[-1] if posted else super().find_author(ref)


class OwnsAllComments(JiraPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return tuple(replace(one, own=True) for one in super().find_comments(ref, op))


class CountsItsOwnComments(JiraPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return tuple(one for one in super().find_comments(ref, op) if one.own)


class SeesNoEdits(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        found = super().read_history(ref)
        comments = tuple(replace(one, edited=False) for one in found.comments)
        return replace(found, comments=comments)


class NamesItselfInTheHistory(JiraPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        found = super().read_history(ref)
        return replace(found, changes=tuple(replace(one, by="Octo Cat") for one in found.changes))


class TakesReadingForWriting(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        found = super().examine(refs)
        granted = tuple(
            Access(place.target, dict.fromkeys(place.rights, place.rights["read"]))
            for place in found.places
        )
        return replace(found, places=granted)
