"""Plugins that break one promise each about what they read, find, list and examine."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any

import requests
from tests.testing.mutated import Method, changed, each, fail, of

from unlatch.errors import Forbidden, NotFound, Rejected, TrackerError, Unauthorised
from unlatch.spi import (
    Access,
    CommentRef,
    Examination,
    ItemHistory,
    MarkedComment,
    Remark,
    StateChange,
    read_checks,
)
from unlatch.testing import FaultKind
from unlatch.testing.clone import REOPEN
from unlatch_ado.plugin import AdoPlugin
from unlatch_github.plugin import GithubPlugin
from unlatch_jira.plugin import JiraPlugin

# Tests of the kit.
AMONG = "items_are_found_among_many"
CLOSED_BY = "a_person_who_closed_an_item_is_named"
CREATED = "a_created_item_is_found_again_by_its_marker"
CROWD = "a_comment_is_found_in_a_crowd"
EDITED = "an_edited_comment_is_shown_as_it_is_now"
EXAMINATION = "an_examination_shows_rights_and_writes_nothing"
HOSTILE = "hostile_text_is_posted_and_does_nothing"
LIST = "items_are_listed_newest_first"
MEMBER = "a_comment_of_another_member_counts_and_is_not_own"
NAME = "a_person_has_one_name"
NO_ACCESS = "an_examination_without_access_shows_no_right"
ORDER = "comments_of_one_operation_are_found_oldest_first"
OWN = "own_changes_of_state_are_own"
PAST = "the_history_shows_comments_and_changes_of_state"
POSTED = "a_comment_is_found_as_it_was_posted"
READ = "many_items_are_read_as_one_is"
SEARCH = "a_search_that_fails_does_not_find_nothing"
SHOWN = "a_read_shows_the_item"
SINCE = "a_state_has_the_time_of_its_last_change"
STRANGER = "a_copied_marker_of_a_stranger_does_not_count"

PAGE, CUT = 100, 1_000
NAIVE = datetime(2026, 1, 2)  # noqa: DTZ001
ZONE, EARLIER = timedelta(hours=2), timedelta(minutes=5)


def first_page(plugin: Any, ref: Any) -> list[str]:
    return [str(comment.id) for comment in islice(plugin._client.comments(ref), PAGE)]


# One item

read = Method(GithubPlugin, "read")
read.returns(SHOWN, "the times of items have a time zone", of("item", updated=NAIVE))
read.returns(SHOWN, "the times of items have a time zone", of("item", created=NAIVE))
in_another_zone = of("item", updated=lambda item: item.updated.astimezone(UTC) + ZONE)
read.returns(SHOWN, "the times of items are in their own time zone", in_another_zone)
now = of("item", updated=lambda _: datetime.now(UTC))
read.returns(SHOWN, "the times of items are the tracker's", now)
by_assignee = of("item", changed_by=lambda i: i.changed_by if i.category.is_open else i.assignee)
read.returns(NAME, "an account has one name everywhere", by_assignee)
read.returns("the_assignee_is_named", "a read names the assignee", of("item", assignee=None))
by_merge = of("item", closed_by="pull request octo/widgets#12")
read.returns(CLOSED_BY, "no automation closed an item that a person closed", by_merge)
for name in (None, "octocat"):
    read.returns(CLOSED_BY, "who closed an item is its `changed_by`", of("item", changed_by=name))


def _boxes_of_people(found: Any) -> Any:
    boxes = read_checks((found.private.body or "").splitlines())
    return of("item", kept=lambda item: each(checks=boxes)(item.kept))(found)


BOXES = "check_boxes_are_read_back_as_people_leave_them"
read.returns(BOXES, "of those in the generated part alone", _boxes_of_people)


def _comments_while_reading(plugin: Any, right: Any, ref: Any, change: Any = None) -> Any:
    found = right(ref, change)
    if change is not None:
        plugin._client.comment(ref, "Reading it for a change")
    return found


TWICE = "one write with a comment posts one, and reading or planning none; there are 2"
PLANNED = "the_planned_requests_are_those_that_are_sent"
read.instead(HOSTILE, TWICE, _comments_while_reading)
read.instead(PLANNED, "`read` sends no writing request", _comments_while_reading, transition=REOPEN)


def _refused(error: Unauthorised) -> None:
    fail(Forbidden("forbidden", error.message))


for token, thing in (("refused", "read"), ("wrong", "token")):
    promise = f"a read with a {token} token raises Unauthorised, not Forbidden"
    read.fails(f"a_{token}_{thing}_is_unauthorised", promise, Unauthorised, _refused)
read.fails(
    "a_missing_item_is_not_found",
    "a missing item is NotFound",
    NotFound,
    lambda error: fail(Rejected("rejected", error.message)),
)

of_ado = Method(AdoPlugin, "read")
updated = of("item", state_since=lambda item: item.updated)
of_ado.returns(SINCE, "`state_since` stays while the state stays", updated)
right_now = of("item", state_since=lambda _: datetime.now(UTC))
of_ado.returns(SINCE, "`state_since` is the tracker's: two reads show the same", right_now)
local = of("item", state_since=lambda item: item.state_since.replace(tzinfo=None))
of_ado.returns(SINCE, "the times of states have a time zone", local)
earlier = of("item", state_since=lambda item: item.state_since - EARLIER)
of_ado.returns(SINCE, "`state_since` is the time of the last change of state", earlier)

# Comments and their markers

comments = Method(GithubPlugin, "find_comments")
comments.returns(CROWD, "a comment that the plugin posted is its own", each(own=False))
comments.returns(ORDER, "comments are found oldest first", lambda found: found[::-1])
local = each(created=lambda comment: comment.created.replace(tzinfo=None))
comments.returns(ORDER, "the times of comments have a time zone", local)
in_another_zone = each(created=lambda comment: comment.created + ZONE)
comments.returns(ORDER, "the times of comments are in their own time zone", in_another_zone)
now = each(created=lambda _: datetime.now(UTC))
comments.returns(ORDER, "the times of comments are the tracker's", now)
comments.returns(PAST, "a comment has a note in `find_comments` if its", each(note="a comment"))
comments.returns(POSTED, "`CommentRef.text` is the whole text", each(text=""))
UNTOUCHED = "a comment that nobody edited or answered is not `touched`"
comments.returns(POSTED, UNTOUCHED, each(touched=True))
VISIBLE = "a comment that everybody sees has no `visibility`"
comments.returns(POSTED, VISIBLE, each(visibility="everybody"))
comments.returns(EDITED, "a comment that was edited is `touched`", each(touched=False))
comments.fails(
    *(SEARCH, "`find_comments`: a search that fails raises its error", TrackerError, lambda _: ()),
    kind=FaultKind.FORBIDDEN,
)


def _of_the_first_page(plugin: Any, right: Any, ref: Any, op: str) -> Any:
    return tuple(comment for comment in right(ref, op) if comment.id in first_page(plugin, ref))


def _of_strangers(plugin: Any, _right: Any, ref: Any, op: str) -> Any:
    comments = [comment for comment in plugin._client.comments(ref) if op in comment.ops]
    return tuple(CommentRef(str(comment.id), comment.created) for comment in comments)


comments.instead(CROWD, "however many there are", _of_the_first_page)
comments.instead(STRANGER, "a stranger's comment does not count", _of_strangers)
cut = each(text=lambda comment: comment.text[:CUT])
Method(AdoPlugin, "find_comments").returns(POSTED, "`CommentRef.text` is the whole text", cut)
of_jira = Method(JiraPlugin, "find_comments")
PRESENT = "`CommentRef.text` is the present text of a comment"
of_jira.returns(EDITED, PRESENT, each(text="Reopened: before"))
COUNTS = "`find_comments`: a comment of another member counts"
of_jira.returns(MEMBER, f"{COUNTS}, and is not `own`", each(own=True))
of_jira.returns(MEMBER, COUNTS, lambda found: tuple(comment for comment in found if comment.own))
SOME = "a_comment_that_few_may_see_has_a_visibility"
of_jira.returns(SOME, "a comment that few may see has a `visibility`", each(visibility=""))

ops = Method(GithubPlugin, "find_ops")
IN_ORDER = "`find_ops` returns the operations oldest first, or nothing"
ops.returns(CROWD, IN_ORDER, lambda found: found[::-1])
ALL_OPS = "`find_ops` returns the operation of each comment"
ops.returns(ORDER, ALL_OPS, lambda found: tuple(dict.fromkeys(found)))
ops.fails(
    *(SEARCH, "`find_ops`: a search that fails raises its error", TrackerError, lambda _: ()),
    kind=FaultKind.FORBIDDEN,
)


def _every_marker(plugin: Any, _right: Any, ref: Any) -> Any:
    return tuple(op for comment in plugin._client.comments(ref) for op in comment.ops)


ops.instead("a_quoted_marker_posted_nothing", "a quoted marker posted nothing", _every_marker)
ops.instead(STRANGER, "a stranger's comment posted nothing", _every_marker)

# The past of an item

past = Method(GithubPlugin, "read_history")
newest_first = partial(changed, changes=lambda found: found.changes[::-1])
past.returns(PAST, "the changes of state are shown, oldest first", newest_first)
ends = of("comments", text=lambda comment: f"{comment.text[:CUT]} {comment.text[-CUT:]}")
past.returns(PAST, "the text of a comment is whole", ends)
twice = partial(changed, changes=lambda found: tuple(one for one in found.changes for _ in "12"))
past.returns(PAST, "each change of state is shown once", twice)
KNOWN_RIGHTS = "a comment has a note in `find_comments` if its"
past.returns(PAST, KNOWN_RIGHTS, of("comments", counts=None))
NOT_EDITED = "a comment that was not edited is not `edited`"
past.returns(PAST, NOT_EDITED, of("comments", edited=True))
past.returns(PAST, "the comments of the plugin count", of("comments", counts=False))
past.returns(EDITED, "a comment that was edited is `edited`", of("comments", edited=False))
NOW = "the history shows the present text of a comment"
past.returns(EDITED, NOW, of("comments", text="Reopened: before"))
NOT_COUNTED = "a stranger's comment does not count in the history"
past.returns(STRANGER, NOT_COUNTED, of("comments", counts=True))
counted = partial(changed, comments=lambda f: tuple(one for one in f.comments if one.counts))
past.returns(STRANGER, "a stranger's comment with a marker is in the history", counted)
ONE_NAME = "an account has one name everywhere: {'`MarkedComment.author`': 'octocat"
past.returns(NAME, f"{ONE_NAME}@", of("comments", author="octocat@example.com"))
past.returns(OWN, "a change of state by this account is `own`, or None", of("changes", own=False))
past.fails(
    *(SEARCH, "`read_history`: a search that fails raises its error", TrackerError),
    lambda _: ItemHistory((), ()),
    kind=FaultKind.FORBIDDEN,
)
past.fails(
    *("the_past_of_a_missing_item_is_not_found", "the past of a missing item is NotFound"),
    *(NotFound, lambda _: ItemHistory((), ())),
)


def _numbered(found: Any) -> Any:
    numbered = (replace(one, id=str(place)) for place, one in enumerate(found.comments))
    return replace(found, comments=tuple(numbered))


def _first_comments(plugin: Any, right: Any, ref: Any) -> Any:
    found, first = right(ref), first_page(plugin, ref)
    return replace(found, comments=tuple(one for one in found.comments if one.id in first))


def _all_comments(plugin: Any, right: Any, ref: Any) -> Any:
    marks = (MarkedComment(str(one.id), one.body) for one in plugin._client.comments(ref))
    return replace(right(ref), comments=tuple(marks))


def _updates_for_changes(plugin: Any, right: Any, ref: Any) -> Any:
    found, item = right(ref), plugin.read(ref).item
    updates = [StateChange(item.updated, item.state) for _ in item.labels]
    return replace(found, changes=(*found.changes, *updates))


def _lists_twice(plugin: Any, right: Any, ref: Any) -> Any:
    _ = [*plugin._client.comments(ref)]
    return right(ref)


def _sends_itself(_: Any, right: Any, ref: Any) -> Any:
    requests.get(ref.url, timeout=5)
    return right(ref)


past.returns(PAST, "a comment has the same id as in `find_comments`", _numbered)
past.instead(CROWD, "the history has each comment with a marker", _first_comments)
past.instead(PAST, "the comments with markers are shown", _all_comments)
past.instead(PAST, "`read_history` lists the comments once", _lists_twice)
past.instead(
    "other_changes_are_no_changes_of_state",
    "a change of labels, title or comments is no change of state",
    _updates_for_changes,
)
past.instead(
    "threads_may_share_it_and_every_request_passes_the_transport",
    "history: every request passes the transport",
    _sends_itself,
)
of_ado = Method(AdoPlugin, "read_history")
NOT_OWN = "the history: a comment of another member counts, and is not `own`"
of_ado.returns(MEMBER, NOT_OWN, of("comments", own=True))
OF_OTHERS = "a change of state by another person is not `own`"
of_ado.returns(CLOSED_BY, OF_OTHERS, of("changes", own=True))
of_jira = Method(JiraPlugin, "read_history")
AUTHOR = "the history names the author of a change of state"
of_jira.returns(CLOSED_BY, AUTHOR, of("changes", by="Octo Cat"))
OF_US = "a comment of this account is `own` in the history, or None"
of_jira.returns(OWN, OF_US, of("comments", own=False))
IS_OPEN = "`is_open` says whether a change opened or closed the item"
of_jira.returns(OWN, IS_OPEN, of("changes", is_open=True))


def _last_commenter(plugin: Any, right: Any, ref: Any) -> Any:
    posted = [comment.author.shown for comment in plugin._client.comments(ref.id)]
    return posted[-1] if posted else right(ref)


NO_CHANGE = "a comment does not change the author of the state"
Method(JiraPlugin, "find_author").instead(CLOSED_BY, NO_CHANGE, _last_commenter)

# Created items


def _oldest(plugin: Any, _right: Any, op: str, _since: Any) -> Any:
    matches = [listed.ref for listed in plugin.list_items(None) if op in listed.ops]
    return plugin.read(matches[-1]).item if matches else None


def _of_anybody(plugin: Any, _right: Any, op: str, _since: Any) -> Any:
    target, settings = plugin._settings.target, plugin._settings
    issues = (issue for issue in plugin._client.list_issues(target) if op in issue.ops)
    issue = next(issues, None)
    return issue and plugin.read(settings.ref(target, issue.id)).item


def _among(most: int | None) -> Any:
    def search(plugin: Any, right: Any, op: str, since: Any) -> Any:
        listed = islice(plugin.list_items(since), most)
        return right(op, since) if any(op in one.ops for one in listed) else None

    return search


items = Method(GithubPlugin, "find_created")
items.instead(CREATED, "the newest item with the marker is found", _oldest)
WRONG_CLOCK = "a created item is found by its marker, also with a wrong clock"
items.instead(CREATED, WRONG_CLOCK, _among(None))
items.instead(AMONG, "a created item is found among newer ones", _among(PAGE))
COPIED = "an_item_of_a_stranger_with_a_copied_marker_does_not_count"
items.instead(COPIED, "a stranger's item does not count", _of_anybody)
AS_READ = "`find_created` shows the item as `read` does"
items.returns(CREATED, AS_READ, lambda item: item and replace(item, labels=("found",)))
BY_MARKER = "a created item is found by its marker"
items.returns(CREATED, BY_MARKER, lambda item: item if item and item.category.is_open else None)
items.fails(
    *(SEARCH, "`find_created`: a search that fails raises its error", TrackerError, lambda _: None),
    kind=FaultKind.FORBIDDEN,
)

# Many items


def _lists_nothing(_: Any, right: Any, since: Any) -> Iterator[Any]:
    try:
        yield from right(since)
    except TrackerError:
        return


def _open_items(plugin: Any, right: Any, since: Any) -> Iterator[Any]:
    return (one for one in right(since) if plugin.read(one.ref).item.category.is_open)


lists = Method(GithubPlugin, "list_items")
NEWEST = "items are listed newest first"
lists.returns(LIST, NEWEST, lambda listed: reversed([*listed]))
lists.instead(LIST, NEWEST, lambda _, right, since: right(None) if since is None else iter(()))
lists.gets(LIST, NEWEST, lambda since: since and since.replace(tzinfo=UTC))
lists.instead(LIST, f"{NEWEST}, closed ones, too", _open_items)
lists.returns(AMONG, f"{NEWEST}, every page", lambda listed: islice(listed, PAGE))
lists.returns(AMONG, "a list reads a page when it is needed", lambda listed: iter([*listed]))
lists.instead(
    *(SEARCH, "`list_items`: a search that fails raises its error", _lists_nothing),
    kind=FaultKind.FORBIDDEN,
)
lists.returns(
    "a_list_shows_the_markers_of_bodies",
    "a list shows the operations whose markers a body has",
    lambda listed: (replace(one, ops=frozenset()) for one in listed),
)


def _found(result: Any) -> bool:
    return not isinstance(result, TrackerError)


def _one_by_one(plugin: Any, _right: Any, refs: Any, change: Any = None) -> Any:
    return {ref: plugin.read(ref, change) for ref in refs}


def _without_missing(results: Any) -> Any:
    return {ref: one for ref, one in results.items() if not isinstance(one, NotFound)}


def _without_labels(results: Any) -> Any:
    bare = of("item", labels=())
    return {ref: bare(one) if _found(one) else one for ref, one in results.items()}


def _missing_instead(_: Any, right: Any, refs: Any, change: Any = None) -> Any:
    try:
        return right(refs, change)
    except TrackerError as error:
        return {ref: NotFound("item-not-found", error.message) for ref in refs}


many = Method(GithubPlugin, "read_many")
many.instead(READ, "`read_many` reads many items in few requests", _one_by_one)
many.returns(READ, "a missing item has a result: NotFound", _without_missing)
many.returns(READ, "`read_many` shows each item as `read` does", _without_labels)
many.sees(AMONG, "`read_many` has no item for", lambda refs, *_: refs[:PAGE])
AHEAD = "items_are_read_ahead_with_all_that_their_writes_need"
Method(JiraPlugin, "read_many").instead(
    *(AHEAD, "a write of a snapshot of `read_many` needs no further request"),
    lambda _, right, refs, _change=None: right(refs),
)
Method(AdoPlugin, "read_many").instead(
    "many_items_that_cannot_be_read_are_not_missing",
    "`read_many` raises the error of a request, or gives it to each item",
    _missing_instead,
    kind=FaultKind.FORBIDDEN,
)

# Examinations


def _comments_first(plugin: Any, right: Any, refs: Any) -> Any:
    for ref in refs:
        plugin._client.comment(ref, "a test")
    return right(refs)


def _rights(**rights: bool | None) -> Any:
    return lambda *_: Examination("octocat", (Access("octo/widgets", rights),))


def _as_for_reading(place: Access) -> dict[str, bool | None]:
    return dict.fromkeys(place.rights, place.rights["read"])


examine = Method(GithubPlugin, "examine")
examine.instead(EXAMINATION, "an examination changes nothing", _comments_first)
RIGHTS = "an examination shows the rights of the credential"
examine.instead(EXAMINATION, RIGHTS, _rights(read=None))
NAMES = "the names of rights are those of `Access`"
examine.instead(EXAMINATION, NAMES, _rights(**{"issues:write": True}))
odd = (Remark("odd", "something is odd", is_error=True),)
examine.returns(EXAMINATION, "finds no error in settings that work", partial(changed, remarks=odd))
PLACES = "an examination names places as `ItemRef.target` does"
in_capitals = of("places", target=lambda place: place.target.upper())
examine.returns(EXAMINATION, PLACES, in_capitals)
REFUSED = "an examination with a refused token shows no right"
examine.instead(NO_ACCESS, REFUSED, _rights(read=True, reopen=True))
NOTHING = "an examination that determines nothing raises TrackerError"
examine.fails(NO_ACCESS, NOTHING, TrackerError, lambda _: Examination(None))
LACKS = "an_examination_grants_no_right_that_the_credential_lacks"
NO_RIGHT = "an examination shows no right that the credential lacks"
examine.returns(LACKS, NO_RIGHT, of("places", rights=_as_for_reading))
by_address = partial(changed, login="octocat@example.com")
examine.returns(NAME, f"{ONE_NAME}', ", by_address)
