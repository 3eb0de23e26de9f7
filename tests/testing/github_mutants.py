"""Plugins that break one promise each."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, cast

from unlatch.errors import NotFound, Rejected, TrackerError, UnknownOutcome
from unlatch.spi import Access, Category, Examination, Goal, Remark, Span, plain
from unlatch_github.api.paths import issue_path
from unlatch_github.plugin import GithubPlugin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from unlatch.spi import Change, CommentRef, ItemRef, Listed, Outcome, PlannedRequest, Snapshot

_END, _BROKEN_END = "<!-- unlatch:end -->", "\\<!-- un\u200blatch:end --\\>"


class WipesTheBody(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        empty = replace(snapshot.private, body="")
        return super().write(replace(snapshot, private=empty), change)


class AppendsAnotherPart(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.draft is not None:
            body = (snapshot.private.body or "").replace("unlatch:begin", "begin")
            snapshot = replace(snapshot, private=replace(snapshot.private, body=body))
        return super().write(snapshot, change)


class SharesOnePart(GithubPlugin):
    """Replaces the part of another increment."""

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.draft is not None:
            change = replace(change, draft=replace(change.draft, increment="the-same"))
        return super().write(snapshot, change)


class PostsMarksOfPeople(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        outcome = super().write(snapshot, change)
        ref = snapshot.item.ref
        body = (self._client.read(ref).body or "").replace(_BROKEN_END, _END)
        self._client._ask("PATCH", issue_path(ref), {"body": body})
        return outcome


class LeavesTheTitle(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.draft is not None:
            draft = replace(change.draft, title=snapshot.item.title)
            change = replace(change, draft=draft)
        return super().write(snapshot, change)


class LeavesTheBody(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.draft is not None:
            change = replace(change, draft=replace(change.draft, body=()))
        return super().write(snapshot, change)


class RewritesTheSameText(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        item = replace(snapshot.item, title="")
        return super().write(
            replace(snapshot, private=replace(snapshot.private, item=item)), change
        )


class NeverSaysUnchanged(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        return replace(super().write(snapshot, change), unchanged=False)


class AlwaysSaysUnchanged(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        return replace(super().write(snapshot, change), unchanged=change.draft is not None)


class CreatesWithoutText(GithubPlugin):
    def create(self, change: Change) -> Outcome:
        assert change.draft is not None
        return super().create(replace(change, draft=replace(change.draft, body=())))


class CreatesWithoutLabels(GithubPlugin):
    def create(self, change: Change) -> Outcome:
        return super().create(replace(change, add_labels=()))


class RepeatsAnUpdate(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except UnknownOutcome as error:
            super().write(snapshot, change)
            raise error from None


class HidesAFailedUpdate(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except TrackerError as error:
            return cast("Outcome", error.done)


class WritesTheSameState(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        closed = replace(snapshot.item, category=Category.DONE)
        closed_snapshot = replace(snapshot.private, item=closed)
        return super().write(replace(snapshot, private=closed_snapshot), change)


class ReopensWithEachComment(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        return super().write(snapshot, replace(change, goal=change.goal or Goal.OPEN))


class PostsMarkersOfPeople(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        if change.comment is not None:
            words = Span(plain(change.comment), marker=True)
            change = replace(change, comment=((words,),))
        return super().write(snapshot, change)


class ReadsOneByOne(GithubPlugin):
    def read_many(
        self, refs: Sequence[ItemRef], change: Change | None = None
    ) -> Mapping[ItemRef, Snapshot | TrackerError]:
        return {ref: self.read(ref, change) for ref in refs}


class LeavesOutMissingItems(GithubPlugin):
    def read_many(
        self, refs: Sequence[ItemRef], change: Change | None = None
    ) -> Mapping[ItemRef, Snapshot | TrackerError]:
        found = super().read_many(refs, change)
        return {ref: one for ref, one in found.items() if not isinstance(one, NotFound)}


class ReadsManyWithoutLabels(GithubPlugin):
    def read_many(
        self, refs: Sequence[ItemRef], change: Change | None = None
    ) -> Mapping[ItemRef, Snapshot | TrackerError]:
        return {
            ref: one
            if isinstance(one, TrackerError)
            else replace(one, item=replace(one.item, labels=()))
            for ref, one in super().read_many(refs, change).items()
        }


class ListsOldestFirst(GithubPlugin):
    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        return reversed([*super().list_items(since)])


class ListsOldItemsOnly(GithubPlugin):
    """Takes `since` for the end of the list."""

    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        return super().list_items(None) if since is None else iter(())


class ListsWithoutMarkers(GithubPlugin):
    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        return (replace(one, ops=frozenset()) for one in super().list_items(since))


class TakesAMissingItemForARefusal(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        try:
            return super().read(ref, change)
        except NotFound as error:
            raise Rejected("rejected", error.message) from error


class ReadsLocalTimes(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        snapshot = super().read(ref, change)
        naive = datetime(2026, 1, 2)  # noqa: DTZ001
        return replace(snapshot, item=replace(snapshot.item, updated=naive))


class AbandonsAsCompleted(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        goal = Goal.COMPLETED if change.goal is Goal.NOT_PLANNED else change.goal
        return super().write(snapshot, replace(change, goal=goal))


class CompletesAsAbandoned(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        goal = Goal.NOT_PLANNED if change.goal is Goal.COMPLETED else change.goal
        return super().write(snapshot, replace(change, goal=goal))


class AlwaysMentions(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        return super().write(snapshot, replace(change, mentions=True))


class NeverMentions(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        return super().write(snapshot, replace(change, mentions=False))


class FindsTheNewestFirst(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return super().find_comments(ref, op)[::-1]


class FindsCommentsOfOthers(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return tuple(replace(one, own=False) for one in super().find_comments(ref, op))


class FindsCommentsAtLocalTimes(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        found = super().find_comments(ref, op)
        return tuple(replace(one, created=one.created.replace(tzinfo=None)) for one in found)


class TakesAQuoteForAComment(GithubPlugin):
    def find_ops(self, ref: ItemRef) -> tuple[str, ...]:
        return tuple(op for comment in self._client.comments(ref) for op in comment.ops)


class FindsNewOpsFirst(GithubPlugin):
    def find_ops(self, ref: ItemRef) -> tuple[str, ...]:
        return super().find_ops(ref)[::-1]


class WritesWhileReading(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        if change is not None:
            self._client.comment(ref, "Reading it for a change")
        return found


class PlansByWriting(GithubPlugin):
    def plan(self, snapshot: Snapshot | None, change: Change) -> tuple[PlannedRequest, ...]:
        if snapshot is not None:
            self.write(snapshot, change)
        return super().plan(snapshot, change)


class DeletesAllComments(GithubPlugin):
    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        for one in self._client.comments(ref):
            super().retract_comment(ref, replace(comment, id=str(one.id)))


class MissesADeletedComment(GithubPlugin):
    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        self._client.delete_comment(ref, comment)


class ExaminesByWriting(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        for ref in refs:
            self._client.comment(ref, "a test")
        return super().examine(refs)


class GrantsEverything(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        return Examination("octocat", (Access("octo/widgets", {"read": True, "reopen": True}),))


class ExaminesNothing(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        try:
            return super().examine(refs)
        except TrackerError:
            return Examination(None)


class GrantsNothing(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        return Examination("octocat", (Access("octo/widgets", {"read": None}),))


class NamesRightsOfItsOwn(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        return Examination("octocat", (Access("octo/widgets", {"issues:write": True}),))


class SeesErrorsEverywhere(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        return replace(
            super().examine(refs), remarks=(Remark("odd", "something is odd", is_error=True),)
        )


class SharesOneMarker(GithubPlugin):
    """Keeps the first change, for all threads."""

    _first: Change | None = None

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        self._first = self._first or change
        return super().write(snapshot, replace(change, op=self._first.op))


class Prints(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        print(f"writing to {snapshot.item.ref.url}")  # noqa: T201
        return super().write(snapshot, change)
