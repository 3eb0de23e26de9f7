"""Plugins that break one promise each about many items at once."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING

from tests.testing.mutated import breaks

from unlatch.errors import NotFound, TrackerError, UnknownOutcome
from unlatch.spi import Outcome
from unlatch.testing import FaultKind
from unlatch_ado.plugin import AdoPlugin
from unlatch_github.plugin import GithubPlugin
from unlatch_jira.plugin import JiraPlugin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.testing.mutated import Refs, Results, Snapshots, Wanted

    from unlatch.spi import Change, Listed, RemoteItem

# Tests of the kit.
READ = "many_items_are_read_as_one_is"
LIST = "items_are_listed_newest_first"
AMONG = "items_are_found_among_many"
CHANGE = "many_items_are_changed_at_once"
REFUSED = "a_refused_write_of_many_items_changes_none"
_PAGE = 100


@breaks(READ, "`read_many` reads many items in few requests")
class ReadsOneByOne(GithubPlugin):
    def read_many(self, refs: Refs, change: Change | None = None) -> Snapshots:
        return {ref: self.read(ref, change) for ref in refs}


@breaks(READ, "a missing item has a result: NotFound")
class LeavesOutMissingItems(GithubPlugin):
    def read_many(self, refs: Refs, change: Change | None = None) -> Snapshots:
        found = super().read_many(refs, change)
        return {ref: one for ref, one in found.items() if not isinstance(one, NotFound)}


@breaks(READ, "`read_many` shows each item as `read` does")
class ReadsManyWithoutLabels(GithubPlugin):
    def read_many(self, refs: Refs, change: Change | None = None) -> Snapshots:
        return {
            ref: one
            if isinstance(one, TrackerError)
            else replace(one, item=replace(one.item, labels=()))
            for ref, one in super().read_many(refs, change).items()
        }


@breaks(
    "items_are_read_ahead_with_all_that_their_writes_need",
    "a write of a snapshot of `read_many` needs no further request",
)
class ReadsAheadInPart(JiraPlugin):
    def read_many(self, refs: Refs, change: Change | None = None) -> Snapshots:
        return super().read_many(refs)


@breaks(LIST, "items are listed newest first")
class ListsOldestFirst(GithubPlugin):
    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        return reversed([*super().list_items(since)])


@breaks(LIST, "items are listed newest first")
class ListsOldItemsOnly(GithubPlugin):
    """Takes `since` for the end of the list."""

    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        return super().list_items(None) if since is None else iter(())


@breaks(LIST, "items are listed newest first")
class TakesTheDayWithoutItsZone(GithubPlugin):
    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        return super().list_items(since and since.replace(tzinfo=UTC))


@breaks(LIST, "items are listed newest first, closed ones, too")
class ListsOpenItems(GithubPlugin):
    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        for one in super().list_items(since):
            if self.read(one.ref).item.category.is_open:
                yield one


@breaks(AMONG, "items are listed newest first, every page")
class ListsThePageOfToday(GithubPlugin):
    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        return islice(super().list_items(since), _PAGE)


@breaks(AMONG, "a list reads a page when it is needed")
class ListsAllAtOnce(GithubPlugin):
    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        return iter([*super().list_items(since)])


@breaks(AMONG, "a created item is found among newer ones")
class FindsRecentItemsAlone(GithubPlugin):
    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        recent = islice(self.list_items(since), _PAGE)
        return super().find_created(op, since) if any(op in one.ops for one in recent) else None


@breaks(AMONG, "`read_many` has no item for")
class ReadsAHundred(GithubPlugin):
    def read_many(self, refs: Refs, change: Change | None = None) -> Snapshots:
        return super().read_many(refs[:_PAGE], change)


@breaks(
    "a_list_shows_the_markers_of_bodies", "a list shows the operations whose markers a body has"
)
class ListsWithoutMarkers(GithubPlugin):
    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        return (replace(one, ops=frozenset()) for one in super().list_items(since))


@breaks(CHANGE, "`write_many` changes its items with one request")
class ChangesOneByOne(AdoPlugin):
    def write_many(self, wanted: Wanted) -> Results:
        return [self.write(snapshot, change) for snapshot, change in wanted]


@breaks(CHANGE, "`write_many` changes its items with one request")
class ChangesNothing(AdoPlugin):
    def write_many(self, wanted: Wanted) -> Results:
        return [None for _ in wanted]


@breaks(CHANGE, "the results of `write_many` are in order")
class MixesResultsUp(AdoPlugin):
    def write_many(self, wanted: Wanted) -> Results:
        return [*super().write_many(wanted)][::-1]


@breaks(CHANGE, "`write_many` returns a result for each change")
class LeavesResultsOut(AdoPlugin):
    def write_many(self, wanted: Wanted) -> Results:
        return [*super().write_many(wanted)][1:]


@breaks(CHANGE, "the outcome shows the item afterwards")
class HidesComments(AdoPlugin):
    def write_many(self, wanted: Wanted) -> Results:
        return [
            replace(one, commented=False) if isinstance(one, Outcome) else one
            for one in super().write_many(wanted)
        ]


@breaks(CHANGE, "`write_many` changes an item completely or not at all")
class ChangesHalf(AdoPlugin):
    """Sets the state with the others, and leaves the comment to a write of its own."""

    def write_many(self, wanted: Wanted) -> Results:
        super().write_many([(one, replace(change, comment=None)) for one, change in wanted])
        return [None for _ in wanted]


@breaks(
    "an_item_that_changed_meanwhile_is_not_written_with_others",
    "an item that changed meanwhile: Conflict",
)
class OverwritesOthers(AdoPlugin):
    """Takes the newest revision in place of that of the snapshot."""

    def write_many(self, wanted: Wanted) -> Results:
        return super().write_many(
            [(self.read(one.item.ref, change), change) for one, change in wanted]
        )


@breaks(
    "a_lost_answer_about_many_items_is_unknown",
    "after a lost answer each result is UnknownOutcome",
    kind=FaultKind.LOST_REPLY,
)
class TakesALostAnswerForARefusal(AdoPlugin):
    def write_many(self, wanted: Wanted) -> Results:
        try:
            return super().write_many(wanted)
        except TrackerError:
            return [None for _ in wanted]


@breaks(
    REFUSED,
    "`write_many` with 401-midway raises Unauthorised, not UnknownOutcome",
    kind=FaultKind.UNAUTHORISED,
)
class TakesARefusalForALostAnswer(AdoPlugin):
    def write_many(self, wanted: Wanted) -> Results:
        try:
            return super().write_many(wanted)
        except TrackerError as error:
            raise UnknownOutcome("unknown-outcome", error.message) from error


@breaks(REFUSED, "changed with others: the item's state", kind=FaultKind.FORBIDDEN)
class ReportsARefusedWrite(AdoPlugin):
    def write_many(self, wanted: Wanted) -> Results:
        try:
            return super().write_many(wanted)
        except TrackerError:
            return [Outcome(snapshot.item, commented=True) for snapshot, _ in wanted]
