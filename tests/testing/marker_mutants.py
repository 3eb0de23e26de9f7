"""Plugins that break one promise each about comments and markers."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

import requests
from tests.testing.mutated import breaks

from unlatch.errors import TrackerError
from unlatch.spi import CommentRef, Span, defused, plain
from unlatch.testing.checks import REOPEN
from unlatch_github.plugin import GithubPlugin

if TYPE_CHECKING:
    from unlatch.spi import Change, ItemHistory, ItemRef, Outcome, RemoteItem, Snapshot

# Tests of the kit.
HOSTILE = "hostile_text_is_posted_and_does_nothing"
CROWD = "a_comment_is_found_in_a_crowd"
ORDER = "comments_of_one_operation_are_found_oldest_first"
STRANGER = "a_copied_marker_of_a_stranger_does_not_count"
RETRACT = "a_comment_can_be_taken_back"
CREATED = "a_created_item_is_found_again_by_its_marker"
THREADS = "threads_may_share_it_and_every_request_passes_the_transport"
_PAGE = 100
_ZONE = timedelta(hours=2)


@breaks(HOSTILE, "a marker in people's words is no marker")
class PostsMarkersOfPeople(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.comment is not None:
            words = Span(plain(change.comment), marker=True)
            change = replace(change, comment=((words,),))
        return super().write(snapshot, change)


@breaks(HOSTILE, "one write with a comment posts one, and reading or planning none; there are 2")
@breaks(
    "the_planned_requests_are_those_that_are_sent",
    "`read` sends no writing request",
    transition=REOPEN,
)
class WritesWhileReading(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        if change is not None:
            self._client.comment(ref, "Reading it for a change")
        return found


@breaks(HOSTILE, "control characters of people's words are not posted")
class PostsControlCharacters(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.comment is not None:
            words = Span(defused(plain(change.comment)), marker=True)  # no renderer changes it
            change = replace(change, comment=((words,),))
        return super().write(snapshot, change)


@breaks(HOSTILE, "people's words are posted, all and in order")
class DropsAddresses(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.comment is not None:
            words = Span(re.sub(r"https?://\S+", "", plain(change.comment)))
            change = replace(change, comment=((words,),))
        return super().write(snapshot, change)


@breaks(CROWD, "a comment that the plugin posted is its own")
class FindsCommentsOfOthers(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return tuple(replace(one, own=False) for one in super().find_comments(ref, op))


@breaks(CROWD, "`find_ops` returns the operations oldest first, or nothing")
class FindsNewOpsFirst(GithubPlugin):
    def find_ops(self, ref: ItemRef) -> tuple[str, ...]:
        return super().find_ops(ref)[::-1]


@breaks(ORDER, "`find_ops` returns the operation of each comment")
class FindsEachOpOnce(GithubPlugin):
    def find_ops(self, ref: ItemRef) -> tuple[str, ...]:
        return tuple(dict.fromkeys(super().find_ops(ref)))


@breaks(CROWD, "however many there are")
class ReadsTheFirstPageOfComments(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        first = [str(one.id) for one in islice(self._client.comments(ref), _PAGE)]
        return tuple(one for one in super().find_comments(ref, op) if one.id in first)


@breaks(CROWD, "the history has each comment with a marker")
class ShowsTheFirstPageOfComments(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        first = [str(one.id) for one in islice(self._client.comments(ref), _PAGE)]
        found = super().read_history(ref)
        return replace(found, comments=tuple(one for one in found.comments if one.id in first))


@breaks(ORDER, "comments are found oldest first")
class FindsTheNewestFirst(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return super().find_comments(ref, op)[::-1]


@breaks(ORDER, "the times of comments have a time zone")
class FindsCommentsAtLocalTimes(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        found = super().find_comments(ref, op)
        return tuple(replace(one, created=one.created.replace(tzinfo=None)) for one in found)


@breaks(ORDER, "the times of comments are in their own time zone")
class TakesLocalTimesForUtc(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        found = super().find_comments(ref, op)
        return tuple(replace(one, created=one.created + _ZONE) for one in found)


@breaks(ORDER, "the times of comments are the tracker's")
class FindsCommentsNow(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        found = super().find_comments(ref, op)
        return tuple(replace(one, created=datetime.now(UTC)) for one in found)


@breaks(STRANGER, "a stranger's comment does not count")
class TrustsEverybody(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        found = [one for one in self._client.comments(ref) if op in one.ops]
        return tuple(CommentRef(str(one.id), one.created) for one in found)


@breaks("a_quoted_marker_posted_nothing", "a quoted marker posted nothing")
@breaks(STRANGER, "a stranger's comment posted nothing")
class TakesEveryMarkerForAComment(GithubPlugin):
    def find_ops(self, ref: ItemRef) -> tuple[str, ...]:
        return tuple(op for one in self._client.comments(ref) for op in one.ops)


@breaks(STRANGER, "a stranger's comment does not count in the history")
class CountsStrangers(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        found = super().read_history(ref)
        return replace(found, comments=tuple(replace(one, counts=True) for one in found.comments))


@breaks(STRANGER, "a stranger's comment with a marker is in the history")
class HidesStrangers(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        found = super().read_history(ref)
        return replace(found, comments=tuple(one for one in found.comments if one.counts))


@breaks("people_are_mentioned_only_on_request", "a comment notifies nobody unasked")
class AlwaysMentions(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        return super().write(snapshot, replace(change, mentions=True))


@breaks("people_are_mentioned_only_on_request", "`Change.mentions` lets @names take effect")
class NeverMentions(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        return super().write(snapshot, replace(change, mentions=False))


@breaks(RETRACT, "only the comment with the marker is deleted")
class DeletesAllComments(GithubPlugin):
    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        for one in self._client.comments(ref):
            super().retract_comment(ref, replace(comment, id=str(one.id)))


@breaks(RETRACT, "deleting a comment that is gone is a success")
class MissesADeletedComment(GithubPlugin):
    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        self._client.delete_comment(ref, comment)


@breaks(RETRACT, "a comment that stays is Forbidden")
class HidesARefusedDeletion(GithubPlugin):
    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        try:
            super().retract_comment(ref, comment)
        except TrackerError:
            return


@breaks(CREATED, "the newest item with the marker is found")
class FindsTheOldestItem(GithubPlugin):
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        found = [one.ref for one in self.list_items(None) if op in one.ops]
        return self.read(found[-1]).item if found else None


@breaks(CREATED, "`find_created` shows the item as `read` does")
class FindsItemsWithOtherLabels(GithubPlugin):
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        found = super().find_created(op, since)
        return found and replace(found, labels=("found",))


@breaks(CREATED, "a created item is found by its marker")
class FindsOpenItemsAlone(GithubPlugin):
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        found = super().find_created(op, since)
        return found if found and found.category.is_open else None


@breaks(CREATED, "a created item is found by its marker, also with a wrong clock")
class Punctual(GithubPlugin):
    """Believes clocks."""

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        if any(op in listed.ops for listed in self.list_items(since)):
            return super().find_created(op, since)
        return None


@breaks(
    "an_item_of_a_stranger_with_a_copied_marker_does_not_count", "a stranger's item does not count"
)
class AdoptsItems(GithubPlugin):
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        target = self._settings.target
        assert target is not None
        for one in self._client.list_issues(target):
            if op in one.ops:
                return self.read(self._settings.ref(target, one.id)).item
        return None


@breaks(THREADS, "each comment has the marker of its own operation, and no other")
class SharesOneMarker(GithubPlugin):
    """Keeps the first change, for all threads."""

    _first: Change | None = None

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        self._first = self._first or change
        return super().write(snapshot, replace(change, op=self._first.op))


@breaks(THREADS, "history: every request passes the transport")
class SendsItself(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        requests.get(ref.url, timeout=5)
        return super().read_history(ref)
