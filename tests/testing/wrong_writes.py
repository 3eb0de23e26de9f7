"""Plugins that break one promise each about what they write, plan, approve and report."""

import re
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from tests.testing.mutated import Method, changed, fail, of, struck

from unlatch.errors import (
    Conflict,
    Forbidden,
    Limited,
    NotFound,
    Rejected,
    TrackerError,
    Unauthorised,
    UnknownOutcome,
)
from unlatch.spi import Category, Change, Goal, Outcome, Span, defused, plain
from unlatch.testing import FaultKind
from unlatch.testing.clone import CLOSE, KEPT, REOPEN
from unlatch_ado.api.models import WorkItem
from unlatch_ado.api.patch import Patch
from unlatch_ado.plugin import AdoPlugin
from unlatch_ado.writers import ValidatingWriter
from unlatch_github.api.paths import issue_path
from unlatch_github.plugin import GithubPlugin

# Tests of the kit.
ABANDONED = "abandoned_work_is_closed"
APPROVAL = "an_approval_that_fails_raises_its_error"
APPROVED = "an_approval_changes_nothing"
AROUND = "an_update_keeps_what_people_wrote_around_the_part"
CHANGE = "many_items_are_changed_at_once"
CREATE = "a_created_item_has_the_text_and_the_labels"
DELETION = "a_deletion_that_fails_has_the_class_of_its_cause"
HOSTILE = "hostile_text_is_posted_and_does_nothing"
IGNORED = "a_part_that_the_tracker_ignored_is_not_reported"
MENTIONS = "people_are_mentioned_only_on_request"
PARTS = "an_error_carries_the_parts_that_were_done"
PLAN = "the_planned_requests_are_those_that_are_sent"
REFUSED = "a_refused_write_of_many_items_changes_none"
RETRACT = "a_comment_can_be_taken_back"
REVISION = "a_revision_changes_with_the_item"
UNKNOWN_LABEL = "an_unknown_label_is_added_or_refused_with_a_change"
UPDATE = "an_update_sets_the_title_and_leaves_the_rest"
WRITE = "a_refused_write_has_the_class_of_its_cause"


def _raising(kind: type[TrackerError], id_: str) -> Any:
    return lambda error: fail(kind(id_, error.message))


def _draft(**facts: Any) -> Any:
    return lambda change: of("draft", **facts)(change) if change.draft else change


# What is written

write = Method(GithubPlugin, "write")


def _marking(words: Any) -> Any:
    def mark(change: Change) -> Change:
        if change.comment is None:
            return change
        return replace(change, comment=((words(plain(change.comment)),),))

    return mark


OF_PEOPLE = "a marker in people's words is no marker"
write.gets(HOSTILE, OF_PEOPLE, _marking(lambda text: Span(text, marker=True)))
CONTROL = "control characters of people's words are not posted"
write.gets(HOSTILE, CONTROL, _marking(lambda text: Span(defused(text), marker=True)))
IN_ORDER = "people's words are posted, all and in order"
write.gets(HOSTILE, IN_ORDER, _marking(lambda text: Span(re.sub(r"https?://\S+", "", text))))
write.gets(MENTIONS, "a comment notifies nobody unasked", partial(changed, mentions=True))
ON_REQUEST = "`Change.mentions` lets @names take effect"
write.gets(MENTIONS, ON_REQUEST, partial(changed, mentions=False))


def _goal(before: Goal | None, after: Goal) -> Any:
    return partial(changed, goal=lambda c: after if c.goal is before else c.goal)


DELIBERATE = "abandoned work is closed deliberately"
write.gets(ABANDONED, DELIBERATE, _goal(Goal.NOT_PLANNED, Goal.COMPLETED))
NOT_DELIBERATE = "completed work is not closed deliberately"
write.gets(ABANDONED, NOT_DELIBERATE, _goal(Goal.COMPLETED, Goal.NOT_PLANNED))
ALONE = "a comment alone leaves the state"
write.gets("a_comment_alone_leaves_the_state", ALONE, _goal(None, Goal.OPEN), is_open=False)

# Titles and bodies


def _with_draft(**facts: Any) -> Any:
    return lambda change: changed(change, **facts) if change.draft else change


def _body(edit: Any) -> Any:
    def see(snapshot: Any, change: Change) -> Any:
        body = edit(snapshot.private.body or "")
        return of("private", body=body)(snapshot) if change.draft else snapshot

    return see


def _untitled(snapshot: Any, _change: Change) -> Any:
    return of("private", item=lambda seen: replace(seen.item, title=""))(snapshot)


write.instead(
    *(UPDATE, "an update sets the title"),
    lambda _, right, seen, change: right(seen, _draft(title=seen.item.title)(change)),
)
write.instead(
    *(UPDATE, "an update sets the title"),  # of open items alone
    lambda _, right, seen, change: right(
        seen, change if seen.item.category.is_open else replace(change, draft=None)
    ),
)
write.gets(UPDATE, "in the body after an update", _draft(body=()))
write.sees(UPDATE, "an identical update writes nothing", _untitled)
SAYS = "the outcome of an identical update is `unchanged`"
write.returns(UPDATE, SAYS, partial(changed, unchanged=False))
write.instead(
    *(UPDATE, "an update that wrote something is not `unchanged`"),
    lambda _, right, seen, change: replace(right(seen, change), unchanged=change.draft is not None),
)
write.gets(UPDATE, "the outcome shows the title and the state", _with_draft(goal=Goal.OPEN))
write.gets(AROUND, "an update leaves the state", _with_draft(goal=Goal.COMPLETED))
write.gets(AROUND, "with the part of another increment", _draft(increment="the-same"))
FIRST = "after a first update: the texts in the body"
write.sees(AROUND, FIRST, lambda seen, _: of("private", body="")(seen))
ITS_PART = "an update replaces its part"
write.sees(AROUND, ITS_PART, _body(lambda text: text.replace("unlatch:begin", "begin")))
TO_THE_LETTER = "an update keeps what people wrote around its part, to the letter"
write.sees(AROUND, TO_THE_LETTER, _body(lambda text: re.sub(" +", " ", text)))
Method(AdoPlugin, "write").sees(
    "a_long_title_is_cut_alike_each_time_or_refused",
    "an identical update writes nothing, with a long title, too",
    lambda seen, change: (
        _untitled(seen, change)
        if change.draft and seen.private.item.title != change.draft.title
        else seen
    ),
)


def _broken_ends(plugin: Any, right: Any, snapshot: Any, change: Change) -> Any:
    outcome, ref = right(snapshot, change), snapshot.item.ref
    body = (plugin._client.read(ref).body or "").replace(
        "\\<!-- un\u200blatch:end --\\>", "<!-- unlatch:end -->"
    )
    plugin._client._ask("PATCH", issue_path(ref), {"body": body})
    return outcome


write.instead(
    "a_mark_in_peoples_words_ends_nothing",
    "an update replaces its whole part, with marks in people's words",
    _broken_ends,
)
write.fails(
    *("update_survives", "the title", TrackerError, lambda error: error.done),
    **struck(FaultKind.FORBIDDEN),
)


def _again(error: type[TrackerError], *, raises: bool) -> Any:
    def twice(_: Any, right: Any, *given: Any) -> Any:
        try:
            return right(*given)
        except error as failure:
            repeated = right(*given)
            return fail(failure) if raises else repeated

    return twice


LOST = struck(FaultKind.LOST_REPLY)
TWICE = "written after an unknown outcome"
write.instead("update_survives", TWICE, _again(UnknownOutcome, raises=True), **LOST)

create = Method(GithubPlugin, "create")
create.gets(CREATE, "in the body of a new item", _draft(body=()))
create.gets(CREATE, "the labels of a new item", partial(changed, add_labels=()))
create.gets(CREATE, "an update replaces the text of a create", _draft(increment="another"))
cut = _draft(body=lambda draft: ((Span(plain(draft.body)[:300]),),))
create.gets(CREATE, "in the body of a new item: the texts in the body", cut)

# Labels


def _known(change: Change) -> Change:
    known = (KEPT, "reopened", "completed")
    return replace(change, add_labels=tuple(one for one in change.add_labels if one in known))


def _ends(change: Change) -> Change:
    return change if change == _known(change) else fail(Rejected("tracker-rejected", "no label"))


def _leaves(_: Any, right: Any, snapshot: Any, change: Change) -> Any:
    if change == _known(change):
        return right(snapshot, change)
    refused = replace(_known(change), goal=None, comment=None)
    return replace(right(snapshot, refused), refused=change.add_labels)


def _asked_for(_: Any, right: Any, snapshot: Any, change: Change) -> Any:
    return of("after", labels=change.add_labels)(right(snapshot, _known(change)))


def _without_labels(snapshot: Any, _change: Change) -> Any:
    item = replace(snapshot.item, labels=())
    return replace(snapshot, item=item, private=replace(snapshot.private, item=item))


def _there(_: Any, right: Any, snapshot: Any, change: Change) -> Any:
    there = tuple(one for one in change.remove_labels if one in snapshot.item.labels)
    return right(snapshot, replace(change, remove_labels=there))


SAME = "a_label_in_another_case_is_the_same_where_the_manifest_says_so"
write.sees(SAME, "a label in another case is the same", _without_labels)
REMOVED = "a_label_in_another_case_is_removed_where_it_is_the_same"
write.instead(REMOVED, "the labels without one in another case", _there)
ADDED = "a label is added as it is, or `Outcome.refused` lists"
write.gets(UNKNOWN_LABEL, ADDED, _known)
small = partial(changed, add_labels=lambda c: tuple(one.lower() for one in c.add_labels))
write.gets(UNKNOWN_LABEL, "a label is added as it is", small)
write.gets(UNKNOWN_LABEL, "a label that is refused for good ends no write", _ends)
write.instead(UNKNOWN_LABEL, "a refused label keeps no other part from being done", _leaves)
write.instead(UNKNOWN_LABEL, "the outcome shows the labels of the item", _asked_for)
create.gets("an_unknown_label_is_added_or_refused_with_a_create", f"{ADDED} it", _known)

# What is reported

FORBIDDEN = {"kind": FaultKind.FORBIDDEN}


def _comment_first(_: Any, right: Any, snapshot: Any, change: Change) -> Any:
    said = right(snapshot, replace(change, goal=None, add_labels=(), remove_labels=()))
    try:
        rest = right(snapshot, replace(change, comment=None))
    except TrackerError as error:
        if error.done is not None:
            error.done = replace(error.done, commented=said.commented)
        raise
    return replace(rest, commented=said.commented, comment=said.comment)


def _boasts(_: Any, right: Any, snapshot: Any, change: Change) -> Any:
    outcome = right(snapshot, change)
    labels = tuple({*outcome.after.labels, *change.add_labels})
    return replace(of("after", labels=labels)(outcome), refused=())


def _silent(error: TrackerError) -> None:
    error.done = None
    fail(error)


def _as_a_set(plugin: Any, right: Any, snapshot: Any, change: Change) -> Any:
    outcome = right(snapshot, replace(change, add_labels=(), remove_labels=()))
    kept = [name for name in snapshot.item.labels if name not in change.remove_labels]
    labels = [*kept, *change.add_labels]
    plugin._client._ask("PATCH", issue_path(snapshot.item.ref), {"labels": labels})
    return of("after", labels=tuple(labels))(outcome)


def _without_a_comment(_: Any, right: Any, snapshot: Any, change: Change) -> Any:
    try:
        return right(snapshot, change)
    except UnknownOutcome:
        return replace(right(snapshot, replace(change, comment=None)), commented=True)


def _read_back(plugin: Any, right: Any, snapshot: Any, change: Change) -> Any:
    return replace(right(snapshot, change), after=plugin.read(snapshot.item.ref).item)


write.sees(
    "where_nothing_is_to_be_done_nothing_is_written",
    "a change without differences writes nothing",
    lambda seen, _: of("private", item=replace(seen.item, category=Category.DONE))(seen),
)
write.instead(PARTS, "the comment comes after the state", _comment_first, **FORBIDDEN)
write.instead(PARTS, "the reported labels", _boasts, **FORBIDDEN)
write.instead(IGNORED, "the reported labels", _boasts, transition=CLOSE)
NO_PARTS = "the error does not carry the parts"
write.fails(PARTS, NO_PARTS, TrackerError, _silent, kind=FaultKind.DROPPED)
trusting = of("after", category=Category.TODO)
write.returns(IGNORED, "the reported state", trusting, transition=REOPEN)
write.instead(
    "a_read_that_fails_after_a_write_leaves_its_effect_unknown",
    "a write with a refused read after it raises UnknownOutcome, not Forbidden",
    _read_back,
)


class _OneRevision(AdoPlugin):
    def write(self, snapshot: Any, change: Change) -> Outcome:
        outcome: Outcome = of("after", revision="1")(super().write(snapshot, change))
        return outcome


one_revision = of("item", revision="1")
Method(_OneRevision, "read").returns(REVISION, "a revision changes with the item", one_revision)

# Faults

find_comments = Method(GithubPlugin, "find_comments")
find_comments.returns("reopen_survives", "2 comments", lambda _: (), **LOST)
again = _again(UnknownOutcome, raises=False)
write.instead("reopen_survives", "2 comments", again, **LOST)
dropped, interrupted = struck(FaultKind.DROPPED), struck(FaultKind.INTERRUPTED)
write.instead("reopen_survives", "0 comments", _without_a_comment, **dropped)
write.instead("reopen_survives", "the labels", _as_a_set, **interrupted)
vague, cut_off = _raising(Rejected, "rejected"), struck(FaultKind.TRUNCATED)
write.fails("reopen_survives", "untrue error", UnknownOutcome, vague, **cut_off)
find_created = Method(GithubPlugin, "find_created")
find_created.returns("create_survives", "2 items were made", lambda _: None, **LOST)
create.instead("create_survives", "2 items were made", again, **LOST)
write.fails(
    *(WRITE, "a write with 401-midway raises Unauthorised, not Forbidden", Unauthorised),
    _raising(Forbidden, "forbidden"),
    kind=FaultKind.UNAUTHORISED,
)
write.fails(
    *(WRITE, "a write with 429-seconds raises Limited, not Conflict", Limited),
    _raising(Conflict, "conflict"),
    kind=FaultKind.LIMITED,
)
write.fails(
    "a_write_without_the_right_to_it_waits_for_a_person",
    "a write without the right to it: Forbidden, NotFound or Rejected, not Unauthorised",
    NotFound,
    _raising(Unauthorised, "unauthorized"),
)

# Comments that are deleted

retract = Method(GithubPlugin, "retract_comment")
deleted: set[str] = set()


def _all_of_them(plugin: Any, right: Any, ref: Any, comment: Any) -> None:
    for other in plugin._client.comments(ref):
        right(ref, replace(comment, id=str(other.id)))


def _once(_: Any, right: Any, ref: Any, comment: Any) -> None:
    if comment.id not in deleted:
        deleted.add(comment.id)  # also where it fails
        right(ref, comment)


retract.instead(RETRACT, "only the comment with the marker is deleted", _all_of_them)
retract.instead(
    *(RETRACT, "deleting a comment that is gone is a success"),
    lambda plugin, _right, ref, comment: plugin._client.delete_comment(ref, comment),
)
retract.fails(RETRACT, "a comment that stays is Forbidden", TrackerError, lambda _: None)
for error, fault in ((UnknownOutcome, FaultKind.LOST_REPLY), (Limited, FaultKind.LIMITED)):
    promise = f"a deletion with {fault} raises {error.__name__}, not None"
    retract.fails(DELETION, promise, error, lambda _: None, kind=fault)
ONCE_MORE = "a deletion that failed can be repeated"
retract.instead(DELETION, ONCE_MORE, _once, kind=FaultKind.FAILED_BEFORE)


class SharesOneMarker(GithubPlugin):
    """Keeps the first change, for all threads."""

    _first: Change | None = None

    def write(self, snapshot: Any, change: Change) -> Outcome:
        self._first = self._first or change
        return super().write(snapshot, replace(change, op=self._first.op))


Method(SharesOneMarker, "write").gets(
    "threads_may_share_it_and_every_request_passes_the_transport",
    "each comment has the marker of its own operation, and no other",
    lambda change: change,
)

# Plans and approvals


class _ImpatientWriter(ValidatingWriter):
    """Takes an approval for a write, which is not asked for again."""

    def change(self, item: WorkItem, patch: Patch) -> WorkItem:
        api = self._client._api
        with api.understood(writing=True):
            api.update_work_item(api.document(patch.steps()), int(item.id), validate_only=True)
        return item


def _writes(plugin: Any, right: Any, snapshot: Any, change: Change) -> Any:
    if snapshot is not None:
        plugin.write(snapshot, change)
    return right(snapshot, change)


def _approves_half(plugin: Any, _right: Any, snapshot: Any, change: Change) -> None:
    with suppress(UnknownOutcome):
        plugin._write(snapshot, change, _ImpatientWriter(plugin._client, plugin._settings))


plan = Method(GithubPlugin, "plan")
plan.instead(PLAN, "`plan` sends no writing request", _writes, transition=REOPEN)
LISTS, fewer = "`plan` lists the requests of `read` and `write`", lambda planned: planned[:-1]
plan.returns(PLAN, LISTS, fewer, transition=REOPEN)
plan.returns("the_planned_requests_of_an_update_are_those_that_are_sent", LISTS, fewer)
OF_CREATE = "`plan` lists the requests of `create`"
plan.returns("a_planned_create_lists_the_writing_requests", OF_CREATE, fewer)

approve = Method(AdoPlugin, "approve")
approve.instead(
    *(APPROVED, "an approval changes nothing"),
    lambda plugin, _right, snapshot, change: snapshot and plugin.write(snapshot, change),
)
approve.instead(APPROVED, "an approval asks the tracker", lambda *_: None)
approve.instead(
    *("a_create_is_approved_without_an_item", "an approval creates nothing"),
    lambda plugin, _right, _snapshot, change: plugin.create(change),
)
for fault, kind in ((FaultKind.REFLECTED, Rejected), (FaultKind.FORBIDDEN, Forbidden)):
    promise = f"an approval with {fault} raises {kind.__name__}, not None"
    approve.fails(APPROVAL, promise, TrackerError, lambda _: None, kind=fault)
RAISES = "an approval with lost-reply raises its error"
approve.instead(APPROVAL, RAISES, _approves_half, kind=FaultKind.LOST_REPLY)
approve.instead(
    *(APPROVAL, "an approval asks the tracker"),
    lambda _, right, seen, change: None if seen is None else right(seen, change),
    **FORBIDDEN,
)

# Many items

write_many = Method(AdoPlugin, "write_many")
ONE_REQUEST = "`write_many` changes its items with one request"
write_many.instead(CHANGE, ONE_REQUEST, lambda self, _, wanted: [self.write(*w) for w in wanted])
write_many.instead(CHANGE, ONE_REQUEST, lambda _self, _, wanted: [None for _ in wanted])
write_many.returns(CHANGE, "the results of `write_many` are in order", lambda many: many[::-1])
write_many.returns(CHANGE, "`write_many` returns a result for each change", lambda many: many[1:])


def _hidden(results: Any) -> Any:
    return [changed(one, commented=False) if isinstance(one, Outcome) else one for one in results]


def _half(_: Any, right: Any, wanted: Any) -> Any:
    right([(seen, replace(change, comment=None)) for seen, change in wanted])
    return [None for _ in wanted]


def _overwrites(plugin: Any, right: Any, wanted: Any) -> Any:
    return right([(plugin.read(seen.item.ref, change), change) for seen, change in wanted])


def _in_place_of_errors(result: Any) -> Any:
    def write_all(_: Any, right: Any, wanted: Any) -> Any:
        try:
            return right(wanted)
        except TrackerError:
            return [result(snapshot) for snapshot, _ in wanted]

    return write_all


write_many.returns(CHANGE, "the outcome shows the item afterwards", _hidden)
write_many.instead(CHANGE, "`write_many` changes an item completely or not at all", _half)
write_many.instead(
    "an_item_that_changed_meanwhile_is_not_written_with_others",
    "an item that changed meanwhile: Conflict",
    _overwrites,
)
write_many.instead(
    "a_lost_answer_about_many_items_is_unknown",
    "after a lost answer each result is UnknownOutcome",
    _in_place_of_errors(lambda _: None),
    kind=FaultKind.LOST_REPLY,
)
write_many.fails(
    *(REFUSED, "`write_many` with 401-midway raises Unauthorised, not UnknownOutcome"),
    *(TrackerError, _raising(UnknownOutcome, "unknown-outcome")),
    kind=FaultKind.UNAUTHORISED,
)
write_many.instead(
    *(REFUSED, "changed with others: the item's state"),
    _in_place_of_errors(lambda snapshot: Outcome(snapshot.item, commented=True)),
    **FORBIDDEN,
)
