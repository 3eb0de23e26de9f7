"""Tests of the past of an item: its comments with markers, and its changes of state."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from unlatch.errors import NotFound
from unlatch.spi import Capability, Change, Goal, ops_in
from unlatch.testing.actions import (
    LONG,
    apply,
    check_time,
    comment_text,
    draft,
    error_of,
    missing_words,
    offered,
    only_comment,
    require,
    words_in,
)
from unlatch.testing.clone import KEPT
from unlatch.worklog.ids import new_ulid

if TYPE_CHECKING:
    from unlatch.spi import CommentRef, ItemRef
    from unlatch.testing.harness import Fixture


# Trackers that have whole seconds round the times of one change apart.
_RESOLUTION = timedelta(seconds=2)


class History:
    """`read_history`, compared with what happened."""

    def test_the_history_shows_comments_and_changes_of_state(self, fixture: Fixture) -> None:
        require(fixture, Capability.HISTORY)
        require(fixture, Capability.REOPEN)
        require(fixture, Capability.CLOSE)
        item, ops = fixture.make(is_open=True), [new_ulid(), new_ulid()]
        before = fixture.plugin.read_history(item).changes
        fixture.harness.add_comments(item.id, ["of a person"])
        texts = {Goal.COMPLETED: f"because completed {LONG}", Goal.OPEN: f"because open {LONG}"}
        states = [
            apply(fixture, item, Change(op, goal, comment_text(texts[goal]))).after.state
            for op, goal in zip(ops, texts, strict=True)
        ]
        fixture.proxy.clear()
        history = fixture.plugin.read_history(item)
        asked = [sent.request for sent in fixture.proxy.sent]
        assert [{op} for op in ops] == [ops_in(comment.text) for comment in history.comments], (
            "the comments with markers are shown, oldest first, and no others"
        )
        for comment, text in zip(history.comments, texts.values(), strict=True):
            assert missing_words(text, comment.text) == [], "the text of a comment is whole"
        posted = [comment for op in ops for comment in fixture.plugin.find_comments(item, op)]
        assert [comment.id for comment in posted] == [comment.id for comment in history.comments], (
            "a comment has the same id as in `find_comments`"
        )
        noted = [comment.note is not None for comment in posted]
        assert noted == [comment.counts is None for comment in history.comments], (
            "a comment has a note in `find_comments` if its `counts` is None, and no other has one"
        )
        edited = [comment.edited for comment in history.comments if comment.edited]
        assert edited == [], "a comment that was not edited is not `edited`"
        counts = [comment.counts for comment in history.comments if comment.counts is False]
        assert counts == [], "the comments of the plugin count"
        since = history.changes[len(before) :] if history.is_whole else history.changes
        seen = iter([change.state for change in since])
        assert [state for state in states if state not in seen] == [], (
            "the changes of state are shown, oldest first, by the names that items have"
        )
        if history.is_whole:
            pairs = pairwise(change.state for change in history.changes)
            repeated = [state for state, after in pairs if state == after]
            assert repeated == [], f"each change of state is shown once; repeated: {repeated}"
        times = [change.at for change in history.changes]
        for time in times:
            check_time(time, "the times of changes")
        assert sorted(times) == times, "the changes of state are shown, oldest first"
        again = [request.target for request in asked if asked.count(request) > 1]
        assert again == [], f"`read_history` lists the comments once; requests sent twice: {again}"

    def test_own_changes_of_state_are_own(self, fixture: Fixture) -> None:
        require(fixture, Capability.HISTORY)
        require(fixture, Capability.REOPEN)
        require(fixture, Capability.CLOSE)
        item = fixture.make(is_open=True)
        for goal in (Goal.COMPLETED, Goal.OPEN):
            apply(fixture, item, Change(new_ulid(), goal, comment_text("done")))
        history = fixture.plugin.read_history(item)
        last = history.changes[-2:]
        assert False not in [change.own for change in last], (
            "a change of state by this account is `own`, or None"
        )
        assert False not in [comment.own for comment in history.comments], (
            "a comment of this account is `own` in the history, or None"
        )
        opened = [change.is_open for change in last]
        assert opened in ([False, True], [None, None]), (
            "`is_open` says whether a change opened or closed the item, or is None"
        )

    def test_a_state_has_the_time_of_its_last_change(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item = fixture.make(is_open=True)
        goals = [Goal.COMPLETED, Goal.OPEN] if fixture.can(Capability.CLOSE) else [Goal.OPEN]
        for goal in goals:
            apply(fixture, item, Change(new_ulid(), goal))
            since = fixture.plugin.read(item).item.state_since
            if since is None:
                continue
            check_time(since, "the times of states")
            again = fixture.open().read(item).item.state_since
            assert since == again, "`state_since` is the tracker's: two reads show the same"
            if fixture.can(Capability.HISTORY):
                changed = fixture.plugin.read_history(item).changes[-1].at
                assert abs(changed - since) < _RESOLUTION, (
                    "`state_since` is the time of the last change of state"
                )
            apply(fixture, item, Change(new_ulid(), comment=comment_text("of something else")))
            after = fixture.plugin.read(item).item.state_since
            assert since == after, "`state_since` stays while the state stays"

    def test_other_changes_are_no_changes_of_state(self, fixture: Fixture) -> None:
        require(fixture, Capability.HISTORY)
        require(fixture, Capability.REOPEN)
        item = fixture.make(is_open=True, labels=(KEPT,))
        before = fixture.plugin.read_history(item).changes
        add, remove = fixture.labels("reopened"), fixture.labels(KEPT)
        apply(fixture, item, Change(new_ulid(), None, comment_text("done"), add, remove))
        if fixture.can(Capability.LABELS):
            fixture.harness.add_label(item.id, "mine")
        if fixture.can(Capability.UPDATE):
            apply(fixture, item, Change(new_ulid(), draft=draft(fixture.title(), "A body")))
        after = fixture.plugin.read_history(item).changes
        assert before == after, "a change of labels, title or comments is no change of state"

    def test_the_past_of_a_missing_item_is_not_found(self, fixture: Fixture) -> None:
        require(fixture, Capability.HISTORY)
        missing = fixture.ref(fixture.harness.missing)
        error = error_of(lambda: fixture.plugin.read_history(missing))
        assert isinstance(error, NotFound), "the past of a missing item is NotFound"

    def test_a_person_has_one_name(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item = fixture.make(is_open=False)
        with suppress(NotImplementedError):
            fixture.harness.assign(item.id)
        apply(fixture, item, Change(new_ulid(), Goal.OPEN, comment_text("done")))
        check_names(fixture, item)
        if fixture.can(Capability.CLOSE):
            apply(fixture, item, Change(new_ulid(), Goal.COMPLETED))
            check_names(fixture, item)


def check_names(fixture: Fixture, item: ItemRef) -> None:
    """Check the names of the plugin's own account, which changed the state last."""
    names = {
        "`find_author`": fixture.plugin.find_author(item),
        "`RemoteItem.changed_by`": fixture.plugin.read(item).item.changed_by,
    }
    if fixture.can(Capability.HISTORY):
        history = fixture.plugin.read_history(item)
        names["`MarkedComment.author`"] = history.comments[-1].author
        names["`StateChange.by`"] = history.changes[-1].by
    if fixture.can(Capability.EXAMINE):
        names["`Examination.login`"] = fixture.plugin.examine([item]).login
    given = {where: name for where, name in names.items() if name is not None}
    assert len({*given.values()}) <= 1, f"an account has one name everywhere: {given}"


class Comments:
    """Texts, edits, authors and visibility of the comments with markers."""

    def test_a_comment_is_found_as_it_was_posted(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item, op, text = fixture.make(is_open=True), new_ulid(), f"done {LONG}"
        apply(fixture, item, Change(op, comment=comment_text(text)))
        comment = _only_found(fixture, item, op)
        assert missing_words(text, comment.text) == [], "`CommentRef.text` is the whole text"
        assert not comment.touched, "a comment that nobody edited or answered is not `touched`"
        assert comment.visibility == "", "a comment that everybody sees has no `visibility`"

    def test_an_edited_comment_is_shown_as_it_is_now(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item, op = fixture.make(is_open=True), new_ulid()
        apply(fixture, item, Change(op, comment=comment_text("before")))
        offered(
            lambda: fixture.harness.edit_comments(item.id, "before", "afterwards"),
            "the harness edits no comment",
        )
        comment = _only_found(fixture, item, op)
        texts = {"`CommentRef.text` is": comment.text}
        if fixture.can(Capability.HISTORY):
            comments = fixture.plugin.read_history(item).comments
            assert len(comments) == 1, "the history has the one comment with a marker"
            texts["the history shows"] = comments[0].text
            edited = comments[0].edited
            assert edited is not False, "a comment that was edited is `edited`, or None"
            assert comment.touched or not edited, "a comment that was edited is `touched`"
        for where, text in texts.items():
            words = words_in(text)
            now = "afterwards" in words and "before" not in words
            assert now, f"{where} the present text of a comment"

    def test_a_comment_of_another_member_counts_and_is_not_own(self, fixture: Fixture) -> None:
        require(fixture, Capability.REOPEN)
        item, op = fixture.make(is_open=True), new_ulid()
        apply(fixture, item, Change(op, comment=comment_text("done")))
        ours = only_comment(fixture, item)
        offered(
            lambda: fixture.harness.add_comment_of_a_member(item.id, ours),
            "the harness has no other member",
        )
        by_method = {
            "`find_comments`": [comment.own for comment in fixture.plugin.find_comments(item, op)]
        }
        if fixture.can(Capability.HISTORY):
            comments = fixture.plugin.read_history(item).comments
            by_method["the history"] = [comment.own for comment in comments]
        for where, own in by_method.items():
            assert own in ([True, False], [True, None], [None, False], [None, None]), (
                f"{where}: a comment of another member counts, and is not `own`"
            )

    def test_a_comment_that_few_may_see_has_a_visibility(self, fixture: Fixture) -> None:
        require(fixture, Capability.RETRACT)
        item, op = fixture.make(is_open=True), new_ulid()
        apply(fixture, item, Change(op, comment=comment_text("done")))
        ours = only_comment(fixture, item)
        offered(
            lambda: fixture.harness.add_restricted_comment(item.id, ours),
            "the harness restricts no comment",
        )
        everybody = [comment.visibility == "" for comment in fixture.plugin.find_comments(item, op)]
        assert everybody == [True, False], "a comment that few may see has a `visibility`"


def _only_found(fixture: Fixture, item: ItemRef, op: str) -> CommentRef:
    comments = fixture.plugin.find_comments(item, op)
    assert len(comments) == 1, "a comment is found by its marker"
    return comments[0]
