"""Plugins that break one promise each about the past of an item, and its people."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.testing.mutated import breaks

from unlatch.errors import NotFound
from unlatch.spi import ItemHistory, MarkedComment, StateChange
from unlatch_ado.plugin import AdoPlugin
from unlatch_github.plugin import GithubPlugin
from unlatch_jira.plugin import JiraPlugin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unlatch.spi import Change, CommentRef, Examination, ItemRef, RemoteItem, Snapshot

# Tests of the kit.
OWN = "own_changes_of_state_are_own"
SINCE = "a_state_has_the_time_of_its_last_change"
PAST = "the_history_shows_comments_and_changes_of_state"
NAME = "a_person_has_one_name"
CLOSED_BY = "a_person_who_closed_an_item_is_named"
_CUT = 1_000
_EARLIER = timedelta(minutes=5)


def _with_each(found: ItemHistory, change: Callable[[MarkedComment], MarkedComment]) -> ItemHistory:
    return replace(found, comments=tuple(map(change, found.comments)))


@breaks(PAST, "the changes of state are shown, oldest first")
class ShowsNewChangesFirst(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        found = super().read_history(ref)
        return replace(found, changes=found.changes[::-1])


@breaks(PAST, "the text of a comment is whole")
class CutsTexts(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_each(
            super().read_history(ref),
            lambda one: replace(one, text=f"{one.text[:_CUT]} {one.text[-_CUT:]}"),
        )


@breaks(PAST, "a comment has the same id as in `find_comments`")
class CountsComments(GithubPlugin):
    """Takes the place of a comment for its id."""

    def read_history(self, ref: ItemRef) -> ItemHistory:
        found = super().read_history(ref)
        comments = (replace(one, id=str(place)) for place, one in enumerate(found.comments))
        return replace(found, comments=tuple(comments))


@breaks(PAST, "the comments with markers are shown")
class ShowsAllComments(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        found = super().read_history(ref)
        comments = (MarkedComment(str(one.id), one.body) for one in self._client.comments(ref))
        return replace(found, comments=tuple(comments))


@breaks(PAST, "`read_history` lists the comments once")
class ListsCommentsTwice(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        _ = [*self._client.comments(ref)]
        return super().read_history(ref)


@breaks(PAST, "each change of state is shown once")
class ShowsEachChangeTwice(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        found = super().read_history(ref)
        return replace(found, changes=tuple(one for one in found.changes for _ in range(2)))


@breaks(PAST, "a comment has a note in `find_comments` if its")
class KnowsNoRights(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_each(super().read_history(ref), lambda one: replace(one, counts=None))


@breaks(PAST, "a comment has a note in `find_comments` if its")
class NotesEachComment(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        found = super().find_comments(ref, op)
        return tuple(replace(one, note=f"a comment of {ref.url}") for one in found)


@breaks(PAST, "a comment that was not edited is not `edited`")
class SeesEdits(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_each(super().read_history(ref), lambda one: replace(one, edited=True))


@breaks(PAST, "the comments of the plugin count")
class TrustsNobody(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_each(super().read_history(ref), lambda one: replace(one, counts=False))


@breaks(
    "other_changes_are_no_changes_of_state",
    "a change of labels, title or comments is no change of state",
)
class TakesUpdatesForChanges(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        found, item = super().read_history(ref), self.read(ref).item
        assert item.updated is not None
        changes = [StateChange(item.updated, item.state) for _ in item.labels]
        return replace(found, changes=(*found.changes, *changes))


@breaks("the_past_of_a_missing_item_is_not_found", "the past of a missing item is NotFound")
class MissesNoItem(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        try:
            return super().read_history(ref)
        except NotFound:
            return ItemHistory((), ())


@breaks(NAME, "an account has one name everywhere: {'`MarkedComment.author`': 'octocat@")
class NamesAuthorsByAddress(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_each(
            super().read_history(ref), lambda one: replace(one, author="octocat@example.com")
        )


@breaks(NAME, "an account has one name everywhere: {'`MarkedComment.author`': 'octocat', ")
class NamesItselfByAddress(GithubPlugin):
    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        return replace(super().examine(refs), login="octocat@example.com")


@breaks(NAME, "an account has one name everywhere")
class NamesTheAssigneeOfClosedItems(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        item = found.item
        name = item.changed_by if item.category.is_open else item.assignee
        return replace(found, item=replace(item, changed_by=name))


@breaks("the_assignee_is_named", "a read names the assignee")
class HidesTheAssignee(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        return replace(found, item=replace(found.item, assignee=None))


@breaks(CLOSED_BY, "no automation closed an item that a person closed")
class TakesAPersonForAMerge(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        return replace(found, item=replace(found.item, closed_by="pull request octo/widgets#12"))


@breaks(CLOSED_BY, "who closed an item is its `changed_by`")
class HidesWhoClosedIt(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        return replace(found, item=replace(found.item, changed_by=None))


@breaks(CLOSED_BY, "who closed an item is its `changed_by`")
class TakesTheAssigneeForTheAuthor(GithubPlugin):
    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        return replace(found, item=replace(found.item, changed_by="octocat"))


@breaks(CLOSED_BY, "a comment does not change the author of the state")
class TakesACommentForAChange(JiraPlugin):
    """Names the last person who did anything."""

    def find_author(self, ref: ItemRef) -> str | None:
        posted = [one.author.shown for one in self._client.comments(ref.id)]
        return posted[-1] if posted else super().find_author(ref)


@breaks(CLOSED_BY, "the history names the author of a change of state")
class NamesItselfInTheHistory(JiraPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        found = super().read_history(ref)
        return replace(found, changes=tuple(replace(one, by="Octo Cat") for one in found.changes))


def _with_changes(found: ItemHistory, **facts: Any) -> ItemHistory:
    return replace(found, changes=tuple(replace(one, **facts) for one in found.changes))


@breaks(OWN, "a change of state by this account is `own`, or None")
class OwnsNoChanges(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_changes(super().read_history(ref), own=False)


@breaks(CLOSED_BY, "a change of state by another person is not `own`")
class OwnsAllChanges(AdoPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_changes(super().read_history(ref), own=True)


@breaks(OWN, "a comment of this account is `own` in the history, or None")
class OwnsNoComments(JiraPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_each(super().read_history(ref), lambda one: replace(one, own=False))


@breaks(OWN, "`is_open` says whether a change opened or closed the item")
class TakesEachChangeForAReopen(JiraPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_changes(super().read_history(ref), is_open=True)


class _OtherTimes(AdoPlugin):
    """Shows another time since which the state is as it is."""

    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        found = super().read(ref, change)
        return replace(found, item=replace(found.item, state_since=self.since(found.item)))

    def since(self, item: RemoteItem) -> datetime | None:
        raise NotImplementedError


@breaks(SINCE, "`state_since` stays while the state stays")
class TakesUpdatesForStates(_OtherTimes):
    def since(self, item: RemoteItem) -> datetime | None:
        return item.updated


@breaks(SINCE, "`state_since` is the tracker's: two reads show the same")
class FindsStatesNow(_OtherTimes):
    def since(self, item: RemoteItem) -> datetime | None:
        return datetime.now(UTC)


@breaks(SINCE, "the times of states have a time zone")
class FindsStatesAtLocalTimes(_OtherTimes):
    def since(self, item: RemoteItem) -> datetime | None:
        assert item.state_since is not None
        return item.state_since.replace(tzinfo=None)


@breaks(SINCE, "`state_since` is the time of the last change of state")
class FindsStatesEarlier(_OtherTimes):
    def since(self, item: RemoteItem) -> datetime | None:
        assert item.state_since is not None
        return item.state_since - _EARLIER
