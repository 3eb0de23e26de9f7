"""Plugins that break one promise each about the facts of a comment."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.testing.mutated import breaks

from unlatch_ado.plugin import AdoPlugin
from unlatch_github.plugin import GithubPlugin
from unlatch_jira.plugin import JiraPlugin

if TYPE_CHECKING:
    from unlatch.spi import CommentRef, ItemHistory, ItemRef

# Tests of the kit.
POSTED = "a_comment_is_found_as_it_was_posted"
EDITED = "an_edited_comment_is_shown_as_it_is_now"
MEMBER = "a_comment_of_another_member_counts_and_is_not_own"
RESTRICTED = "a_comment_that_few_may_see_has_a_visibility"
_CUT = 1_000


def _each(found: tuple[CommentRef, ...], **facts: Any) -> tuple[CommentRef, ...]:
    return tuple(replace(one, **facts) for one in found)


def _with_each(found: ItemHistory, **facts: Any) -> ItemHistory:
    return replace(found, comments=tuple(replace(one, **facts) for one in found.comments))


@breaks(POSTED, "`CommentRef.text` is the whole text")
class FindsNoTexts(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return _each(super().find_comments(ref, op), text="")


@breaks(POSTED, "`CommentRef.text` is the whole text")
class FindsTheBeginningsOfTexts(AdoPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        found = super().find_comments(ref, op)
        return tuple(replace(one, text=one.text[:_CUT]) for one in found)


@breaks(POSTED, "a comment that nobody edited or answered is not `touched`")
class FindsAllTouched(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return _each(super().find_comments(ref, op), touched=True)


@breaks(POSTED, "a comment that everybody sees has no `visibility`")
class FindsAllRestricted(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return _each(super().find_comments(ref, op), visibility="everybody")


@breaks(EDITED, "a comment that was edited is `touched`")
class FindsNoneTouched(GithubPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return _each(super().find_comments(ref, op), touched=False)


@breaks(EDITED, "`CommentRef.text` is the present text of a comment")
class FindsTheFirstText(JiraPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return _each(super().find_comments(ref, op), text="Reopened: before")


@breaks(EDITED, "a comment that was edited is `edited`")
class SeesNoEdits(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_each(super().read_history(ref), edited=False)


@breaks(EDITED, "the history shows the present text of a comment")
class ShowsTheFirstText(GithubPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_each(super().read_history(ref), text="Reopened: before")


@breaks(MEMBER, "`find_comments`: a comment of another member counts, and is not `own`")
class OwnsAllComments(JiraPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return _each(super().find_comments(ref, op), own=True)


@breaks(MEMBER, "`find_comments`: a comment of another member counts")
class CountsItsOwnComments(JiraPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return tuple(one for one in super().find_comments(ref, op) if one.own)


@breaks(MEMBER, "the history: a comment of another member counts, and is not `own`")
class OwnsAllCommentsOfTheHistory(AdoPlugin):
    def read_history(self, ref: ItemRef) -> ItemHistory:
        return _with_each(super().read_history(ref), own=True)


@breaks(RESTRICTED, "a comment that few may see has a `visibility`")
class ShowsNoVisibility(JiraPlugin):
    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        return _each(super().find_comments(ref, op), visibility="")
