"""Plugins that break one promise each about states, reports and faults."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tests.testing.mutated import breaks

from unlatch.errors import NotFound, Rejected, TrackerError, UnknownOutcome
from unlatch.spi import Category, Goal
from unlatch.testing import FaultKind
from unlatch.testing.checks import CLOSE, REOPEN
from unlatch_ado.plugin import AdoPlugin
from unlatch_github.api.paths import issue_path
from unlatch_github.plugin import GithubPlugin

if TYPE_CHECKING:
    from unlatch.spi import Change, CommentRef, ItemRef, Outcome, RemoteItem, Snapshot

# Tests of the kit.
PARTS = "an_error_carries_the_parts_that_were_done"
SHOWN = "a_read_shows_the_item"
IGNORED = "a_part_that_the_tracker_ignored_is_not_reported"
_ZONE = timedelta(hours=2)


@breaks(SHOWN, "the times of items have a time zone")
class ReadsLocalTimes(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        snapshot = super().read(ref, change)
        naive = datetime(2026, 1, 2)  # noqa: DTZ001
        return replace(snapshot, item=replace(snapshot.item, updated=naive))


@breaks(SHOWN, "the times of items are in their own time zone")
class ReadsItemsInAnotherZone(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        assert found.item.updated is not None
        updated = found.item.updated.astimezone(UTC) + _ZONE
        return replace(found, item=replace(found.item, updated=updated))


@breaks(SHOWN, "the times of items have a time zone")
class ShowsTheCreationAtALocalTime(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        naive = datetime(2026, 1, 2)  # noqa: DTZ001
        return replace(found, item=replace(found.item, created=naive))


@breaks(SHOWN, "the times of items are the tracker's")
class ReadsItemsNow(GithubPlugin):
    """Takes the time of a read for that of the last change."""

    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        return replace(found, item=replace(found.item, updated=datetime.now(UTC)))


@breaks("a_missing_item_is_not_found", "a missing item is NotFound")
class TakesAMissingItemForARefusal(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        try:
            return super().read(ref, change)
        except NotFound as error:
            raise Rejected("rejected", error.message) from error


@breaks("a_revision_changes_with_the_item", "a revision changes with the item")
class ShowsOneRevision(AdoPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        snapshot = super().read(ref, change)
        return replace(snapshot, item=replace(snapshot.item, revision="1"))

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        outcome = super().write(snapshot, change)
        return replace(outcome, after=replace(outcome.after, revision="1"))


@breaks("abandoned_work_is_closed", "abandoned work is closed deliberately")
class AbandonsAsCompleted(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        goal = Goal.COMPLETED if change.goal is Goal.NOT_PLANNED else change.goal
        return super().write(snapshot, replace(change, goal=goal))


@breaks("abandoned_work_is_closed", "completed work is not closed deliberately")
class CompletesAsAbandoned(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        goal = Goal.NOT_PLANNED if change.goal is Goal.COMPLETED else change.goal
        return super().write(snapshot, replace(change, goal=goal))


@breaks("a_comment_alone_leaves_the_state", "a comment alone leaves the state", is_open=False)
class ReopensWithEachComment(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        return super().write(snapshot, replace(change, goal=change.goal or Goal.OPEN))


@breaks(
    "where_nothing_is_to_be_done_nothing_is_written", "a change without differences writes nothing"
)
class WritesTheSameState(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        closed = replace(snapshot.item, category=Category.DONE)
        closed_snapshot = replace(snapshot.private, item=closed)
        return super().write(replace(snapshot, private=closed_snapshot), change)


@breaks(PARTS, "the comment comes after the state", kind=FaultKind.FORBIDDEN)
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


@breaks(PARTS, "the reported labels", kind=FaultKind.FORBIDDEN)
@breaks(IGNORED, "the reported labels", transition=CLOSE)
class Boastful(GithubPlugin):
    """Reports the labels that were asked for."""

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        outcome = super().write(snapshot, change)
        labels = tuple({*outcome.after.labels, *change.add_labels})
        return replace(outcome, after=replace(outcome.after, labels=labels), refused=())


@breaks(PARTS, "the error does not carry the parts", kind=FaultKind.DROPPED)
class Silent(GithubPlugin):
    """Does not say which parts were done."""

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except TrackerError as error:
            error.done = None
            raise


@breaks(IGNORED, "the reported state", transition=REOPEN)
class Trusting(GithubPlugin):
    """Reports the state that was asked for."""

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        outcome = super().write(snapshot, change)
        return replace(outcome, after=replace(outcome.after, category=Category.TODO))


@breaks("reopen_survives", "2 comments", fault=FaultKind.LOST_REPLY)
class Forgetful(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return ()


@breaks("reopen_survives", "2 comments", fault=FaultKind.LOST_REPLY)
class Hurried(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except UnknownOutcome:
            return super().write(snapshot, change)


@breaks("reopen_survives", "0 comments", fault=FaultKind.DROPPED)
class Hopeful(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except UnknownOutcome:
            outcome = super().write(snapshot, replace(change, comment=None))
            return replace(outcome, commented=True)


@breaks("reopen_survives", "the labels", fault=FaultKind.INTERRUPTED)
class Possessive(GithubPlugin):
    """Writes labels as a set."""

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        rest = replace(change, add_labels=(), remove_labels=())
        outcome = super().write(snapshot, rest)
        kept = [name for name in snapshot.item.labels if name not in change.remove_labels]
        labels = [*kept, *change.add_labels]
        self._client._ask("PATCH", issue_path(snapshot.item.ref), {"labels": labels})
        return replace(outcome, after=replace(outcome.after, labels=tuple(labels)))


@breaks("reopen_survives", "untrue error", fault=FaultKind.TRUNCATED)
class Vague(GithubPlugin):
    """Says that everything was refused."""

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except UnknownOutcome as error:
            raise Rejected("rejected", error.message) from error


@breaks("create_survives", "2 items were made", fault=FaultKind.LOST_REPLY)
class Doubling(GithubPlugin):
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        return None


@breaks("create_survives", "2 items were made", fault=FaultKind.LOST_REPLY)
class Insistent(GithubPlugin):
    def create(self, change: Change) -> Outcome:
        try:
            return super().create(change)
        except UnknownOutcome:
            return super().create(change)
