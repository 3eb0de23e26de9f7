"""Plugins that read less, or something else, than the interface promises."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

import requests

from unlatch.errors import TrackerError
from unlatch.spi import CommentRef
from unlatch_github.plugin import GithubPlugin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from unlatch.spi import (
        Change,
        Examination,
        ItemHistory,
        ItemRef,
        Listed,
        Outcome,
        RemoteItem,
        Snapshot,
    )

_PAGE = 100
_ZONE = timedelta(hours=2)


class ReadsTheFirstPageOfComments(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        first = [str(one.id) for one in islice(self._client.comments(ref), _PAGE)]
        return tuple(one for one in super().find_comments(ref, op) if one.id in first)


class TakesLocalTimesForUtc(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        found = super().find_comments(ref, op)
        return tuple(replace(one, created=one.created + _ZONE) for one in found)


class ReadsItemsInAnotherZone(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        assert found.item.updated is not None
        updated = found.item.updated.astimezone(UTC) + _ZONE
        return replace(found, item=replace(found.item, updated=updated))


class TrustsEverybody(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        found = [one for one in self._client.comments(ref) if op in one.ops]
        return tuple(CommentRef(str(one.id), one.created) for one in found)


class AdoptsItems(GithubPlugin):
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        target = self._settings.target
        assert target is not None
        for one in self._client.list_issues(target):
            if op in one.ops:
                return self.read(self._settings.ref(target, one.id)).item
        return None


class DeliversForStrangers(GithubPlugin):
    def find_ops(self, ref: ItemRef) -> tuple[str, ...]:
        return tuple(op for one in self._client.comments(ref) for op in one.ops)


class CountsStrangers(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        found = super().read_history(ref)
        return replace(found, comments=tuple(replace(one, counts=True) for one in found.comments))


class ShowsNewChangesFirst(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        found = super().read_history(ref)
        return replace(found, changes=found.changes[::-1])


class SendsItself(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        requests.get(ref.url, timeout=5)
        return super().read_history(ref)


class HidesARefusedDeletion(GithubPlugin):
    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        try:
            super().retract_comment(ref, comment)
        except TrackerError:
            return


class CommentsFirst(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        said = super().write(snapshot, replace(change, goal=None, add_labels=(), remove_labels=()))
        try:
            rest = super().write(snapshot, replace(change, comment=None))
        except TrackerError as error:
            if error.done is not None:
                error.done = replace(error.done, commented=said.commented)
            raise
        return replace(rest, commented=said.commented, comment=said.comment)


class CreatesWithoutMarks(GithubPlugin):
    def create(self, change: Change) -> Outcome:
        assert change.draft is not None
        return super().create(replace(change, draft=replace(change.draft, increment="another")))


class ComparesLabelsByCase(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        item = replace(snapshot.item, labels=())
        seen = replace(snapshot, item=item, private=replace(snapshot.private, item=item))
        return super().write(seen, change)


class ListsThePageOfToday(GithubPlugin):
    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        return islice(super().list_items(since), _PAGE)


class TakesTheDayWithoutItsZone(GithubPlugin):
    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        return super().list_items(since and since.replace(tzinfo=UTC))


class ListsAllAtOnce(GithubPlugin):
    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        return iter([*super().list_items(since)])


class FindsRecentItemsAlone(GithubPlugin):
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        recent = islice(self.list_items(since), _PAGE)
        return super().find_created(op, since) if any(op in one.ops for one in recent) else None


class ReadsAHundred(GithubPlugin):
    def read_many(
        self, refs: Sequence[ItemRef], change: Change | None = None
    ) -> Mapping[ItemRef, Snapshot | TrackerError]:
        return super().read_many(refs[:_PAGE], change)


class ReadsItemsNow(GithubPlugin):
    """Takes the time of a read for that of the last change."""

    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        return replace(found, item=replace(found.item, updated=datetime.now(UTC)))


class FindsCommentsNow(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        found = super().find_comments(ref, op)
        return tuple(replace(one, created=datetime.now(UTC)) for one in found)


class FindsTheOldestItem(GithubPlugin):
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        found = [one.ref for one in self.list_items(None) if op in one.ops]
        return self.read(found[-1]).item if found else None


class FindsItemsWithOtherLabels(GithubPlugin):
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        found = super().find_created(op, since)
        return found and replace(found, labels=("found",))


class ListsOpenItems(GithubPlugin):
    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        for one in super().list_items(since):
            if self.read(one.ref).item.category.is_open:
                yield one


class RemovesLabelsByCase(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        there = tuple(one for one in change.remove_labels if one in snapshot.item.labels)
        return super().write(snapshot, replace(change, remove_labels=there))


class NamesPlacesInCapitals(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        found = super().examine(refs)
        places = tuple(replace(one, target=one.target.upper()) for one in found.places)
        return replace(found, places=places)
