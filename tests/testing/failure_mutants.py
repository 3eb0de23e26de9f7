"""Plugins that break one promise each about requests that fail."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

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
from unlatch_ado.plugin import AdoPlugin
from unlatch_github.plugin import GithubPlugin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from unlatch.spi import Change, CommentRef, ItemRef, Listed, Outcome, RemoteItem, Snapshot


class FindsNoComment(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        try:
            return super().find_comments(ref, op)
        except TrackerError:
            return ()


class FindsNoOp(GithubPlugin):
    def find_ops(self, ref: ItemRef) -> tuple[str, ...]:
        try:
            return super().find_ops(ref)
        except TrackerError:
            return ()


class FindsNoItem(GithubPlugin):
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        try:
            return super().find_created(op, since)
        except TrackerError:
            return None


class FindsNoPast(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        try:
            return super().read_history(ref)
        except TrackerError:
            return ItemHistory((), ())


class ListsNothing(GithubPlugin):
    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        try:
            yield from super().list_items(since)
        except TrackerError:
            return


class MissesUnreadItems(AdoPlugin):
    def read_many(
        self, refs: Sequence[ItemRef], change: Change | None = None
    ) -> Mapping[ItemRef, Snapshot | TrackerError]:
        try:
            return super().read_many(refs, change)
        except TrackerError as error:
            return {ref: NotFound("item-not-found", error.message) for ref in refs}


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


class TakesAMissingRightForARefusedToken(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except NotFound as error:
            raise Unauthorised("unauthorized", error.message) from error


class TakesALimitForAConflict(GithubPlugin):
    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        try:
            return super().write(snapshot, change)
        except Limited as error:
            raise Conflict("conflict", error.message) from error


class HidesALostDeletion(GithubPlugin):
    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        with suppress(UnknownOutcome):
            super().retract_comment(ref, comment)


class TakesALimitForADeletion(GithubPlugin):
    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        with suppress(Limited):
            super().retract_comment(ref, comment)


class DeletesOnce(GithubPlugin):
    """Remembers what it deleted, also where it failed."""

    _deleted: ClassVar[set[str]] = set()

    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        if comment.id not in self._deleted:
            self._deleted.add(comment.id)
            super().retract_comment(ref, comment)


class ReportsTheFailedRead(GithubPlugin):
    """Reads an issue back, and raises the error of that read."""

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        outcome = super().write(snapshot, change)
        return replace(outcome, after=self.read(snapshot.item.ref).item)
