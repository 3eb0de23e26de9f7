"""Plugins that break one promise each about requests that fail."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from tests.testing.mutated import breaks

from unlatch.errors import (
    Conflict,
    Forbidden,
    Limited,
    NotFound,
    TrackerError,
    Unauthorised,
    UnknownOutcome,
)
from unlatch.spi import ItemHistory
from unlatch.testing import FaultKind
from unlatch_ado.plugin import AdoPlugin
from unlatch_github.plugin import GithubPlugin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from tests.testing.mutated import Refs, Snapshots

    from unlatch.spi import Change, CommentRef, ItemRef, Listed, Outcome, RemoteItem, Snapshot

# Tests of the kit.
DELETION = "a_deletion_that_fails_has_the_class_of_its_cause"
WRITE = "a_refused_write_has_the_class_of_its_cause"
fails_to_search = partial(
    breaks, "a_search_that_fails_does_not_find_nothing", kind=FaultKind.FORBIDDEN
)


@fails_to_search("`find_comments`: a search that fails raises its error")
class FindsNoComment(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        try:
            return super().find_comments(ref, op)
        except TrackerError:
            return ()


@fails_to_search("`find_ops`: a search that fails raises its error")
class FindsNoOp(GithubPlugin):
    def find_ops(self, ref: ItemRef) -> tuple[str, ...]:
        try:
            return super().find_ops(ref)
        except TrackerError:
            return ()


@fails_to_search("`find_created`: a search that fails raises its error")
class FindsNoItem(GithubPlugin):
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        try:
            return super().find_created(op, since)
        except TrackerError:
            return None


@fails_to_search("`read_history`: a search that fails raises its error")
class FindsNoPast(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        try:
            return super().read_history(ref)
        except TrackerError:
            return ItemHistory((), ())


@fails_to_search("`list_items`: a search that fails raises its error")
class ListsNothing(GithubPlugin):
    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        try:
            yield from super().list_items(since)
        except TrackerError:
            return


@breaks(
    "many_items_that_cannot_be_read_are_not_missing",
    "`read_many` raises the error of a request, or gives it to each item",
    kind=FaultKind.FORBIDDEN,
)
class MissesUnreadItems(AdoPlugin):
    def read_many(self, refs: Refs, change: Change | None = None) -> Snapshots:
        try:
            return super().read_many(refs, change)
        except TrackerError as error:
            return {ref: NotFound("item-not-found", error.message) for ref in refs}


@breaks(
    WRITE, "a write with 401-midway raises Unauthorised, not Forbidden", kind=FaultKind.UNAUTHORISED
)
@breaks(
    "a_refused_read_is_unauthorised",
    "a read with a refused token raises Unauthorised, not Forbidden",
)
@breaks(
    "a_wrong_token_is_unauthorised", "a read with a wrong token raises Unauthorised, not Forbidden"
)
class TakesARefusedTokenForAMissingRight(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        try:
            return super().read(ref, change)
        except Unauthorised as error:
            raise Forbidden("forbidden", error.message) from error

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except Unauthorised as error:
            raise Forbidden("forbidden", error.message) from error


@breaks(WRITE, "a write with 429-seconds raises Limited, not Conflict", kind=FaultKind.LIMITED)
class TakesALimitForAConflict(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except Limited as error:
            raise Conflict("conflict", error.message) from error


@breaks(
    DELETION,
    "a deletion with lost-reply raises UnknownOutcome, not None",
    kind=FaultKind.LOST_REPLY,
)
class HidesALostDeletion(GithubPlugin):
    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        with suppress(UnknownOutcome):
            super().retract_comment(ref, comment)


@breaks(DELETION, "a deletion with 429-seconds raises Limited, not None", kind=FaultKind.LIMITED)
class TakesALimitForADeletion(GithubPlugin):
    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        with suppress(Limited):
            super().retract_comment(ref, comment)


@breaks(DELETION, "a deletion that failed can be repeated", kind=FaultKind.FAILED_BEFORE)
class DeletesOnce(GithubPlugin):
    """Remembers what it deleted, also where it failed."""

    _deleted: ClassVar[set[str]] = set()

    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        if comment.id not in self._deleted:
            self._deleted.add(comment.id)
            super().retract_comment(ref, comment)


@breaks(
    "a_write_without_the_right_to_it_waits_for_a_person",
    "a write without the right to it: Forbidden, NotFound or Rejected, not Unauthorised",
)
class TakesAMissingRightForARefusedToken(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except NotFound as error:
            raise Unauthorised("unauthorized", error.message) from error


@breaks(
    "a_read_that_fails_after_a_write_leaves_its_effect_unknown",
    "a write with a refused read after it raises UnknownOutcome, not Forbidden",
)
class ReportsTheFailedRead(GithubPlugin):
    """Reads an issue back, and raises the error of that read."""

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        outcome = super().write(snapshot, change)
        return replace(outcome, after=self.read(snapshot.item.ref).item)
