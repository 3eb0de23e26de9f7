"""Roundup's issues as unlatch's operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.domain.marker import defused
from unlatch.domain.text import without_controls
from unlatch.errors import Conflict, Rejected
from unlatch.spi import (
    Change,
    CommentRef,
    Draft,
    ItemRef,
    Outcome,
    PlannedRequest,
    RemoteItem,
    Result,
    SyncPlugin,
    is_held_closed,
    ops_in,
    plain,
    result_of,
    visible,
)
from unlatch_roundup.client import Client, data_url, issue_url
from unlatch_roundup.steps import Steps, steps

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from unlatch.domain.text import Text
    from unlatch.transport import Transport
    from unlatch_roundup.client import Found
    from unlatch_roundup.settings import RoundupSettings


class RoundupPlugin(SyncPlugin):
    """One tracker.

    A comment is made as a message first, which nobody sees; then status, keywords and message go
    into the issue in one request, which Roundup takes only if the issue is as it was read.
    """

    def __init__(self, settings: RoundupSettings, transport: Transport) -> None:
        self._settings = settings
        self._client = Client(settings, transport)

    def get_issue_status(self, ref: ItemRef) -> RemoteItem:
        """Read an issue."""
        return self._client.read(ref).item

    def reopen_issue(self, ref: ItemRef, change: Change) -> Outcome:
        """Reopen an issue, comment, relabel."""
        return self._change(ref, change)

    def close_issue(self, ref: ItemRef, change: Change) -> Outcome:
        """Close an issue, comment, relabel."""
        return self._change(ref, change)

    def create_issue(self, draft: Draft, change: Change) -> Outcome:
        """Make an issue; its first message is the body."""
        texts = [draft.body] if change.comment is None else [draft.body, change.comment]
        for name in change.add_labels:
            self._client.need_keyword(name)
        fields = {
            "title": " ".join(without_controls(draft.title).split()),
            "keyword": [*change.add_labels],
            "messages": [self._client.add_message(_marked(text, change.op)) for text in texts],
        }
        made = self._client.read(self._client.create(fields)).item
        said = change.comment is not None
        return Outcome(Result.CREATED, None, made, commented=said, labels_added=made.labels)

    def update_issue(self, ref: ItemRef, draft: Draft, change: Change) -> Outcome:
        """Not declared: what was said on an issue stays as it was said."""
        raise NotImplementedError

    def find_comments(self, ref: ItemRef, op: str, since: datetime) -> tuple[CommentRef, ...]:
        """The messages that carry the marker of `op`."""
        said = self._client.messages(self._client.read(ref).messages)
        return tuple(CommentRef(one.id, one.created) for one in said if op in ops_in(one.text))

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        """The issue whose first message carries the marker of `op`."""
        for page in self._client.newest(since):
            for message in self._client.messages(sorted(page, key=int)):
                if op in ops_in(message.text):
                    return self._client.read(page[message.id]).item
        return None

    def plan(
        self, item: RemoteItem | None, change: Change, draft: Draft | None = None
    ) -> tuple[PlannedRequest, ...]:
        """The requests of a reopen or close."""
        return () if item is None else tuple(self._planned(item, change))

    def _planned(self, item: RemoteItem, change: Change) -> Iterator[PlannedRequest]:
        settings = self._settings
        where = issue_url(settings, item.ref.id)
        yield PlannedRequest("GET", where, "read the issue")
        left = steps(item, change, settings)
        if is_held_closed(item, change) or left.is_empty:
            return
        for name in left.new_keywords:
            what = f"look for keyword {name}, and make it if the tracker lacks it"
            yield PlannedRequest("GET", data_url(settings, "keyword"), what)
        if left.comment:
            yield PlannedRequest("POST", data_url(settings, "msg"), "make the comment")
        yield PlannedRequest("PUT", where, ", ".join(_words(left)))
        yield PlannedRequest("GET", where, "read the issue back")

    def _change(self, ref: ItemRef, change: Change) -> Outcome:
        before = self._client.read(ref)
        if is_held_closed(before.item, change):
            raise Rejected(
                "deliberately-closed",
                f"the issue was closed on purpose, as {before.item.state}",
                where=self._settings.name(ref),
                hint="repeat with --even-if-not-planned to reopen it all the same",
            )
        if change.revision not in (None, before.item.revision):
            raise Conflict("conflict", "the issue has changed since it was looked at")
        left = steps(before.item, change, self._settings)
        after = before.item if left.is_empty else self._carry_out(before, left, change)
        return _outcome(before.item, after, change, commented=left.comment)

    def _carry_out(self, before: Found, left: Steps, change: Change) -> RemoteItem:
        for name in left.new_keywords:
            self._client.need_keyword(name)
        fields: dict[str, Any] = {}
        if change.comment is not None:
            message = self._client.add_message(_marked(change.comment, change.op))
            fields["messages"] = [*before.messages, message]
        if left.status is not None:
            fields["status"] = left.status
        if left.keywords is not None:
            fields["keyword"] = [*left.keywords]
        self._client.change(before.item, fields)
        return self._client.read(before.item.ref).item


def _marked(text: Text, op: str) -> str:
    """Plain text, with the marker as a last line that people can read."""
    return f"{defused(without_controls(plain(text)))}\n\n{visible(op)}"


def _words(left: Steps) -> Iterator[str]:
    if left.status is not None:
        yield f"set status to {left.status}"
    if left.keywords is not None:
        yield f"set keywords to {', '.join(left.keywords) or 'none'}"
    if left.comment:
        yield "post the comment"


def _outcome(before: RemoteItem, after: RemoteItem, change: Change, *, commented: bool) -> Outcome:
    return Outcome(
        result=result_of(change.goal, was_open=before.category.is_open),
        before=before,
        after=after,
        commented=commented,
        # What people relabelled in between is theirs, and no undo of ours shall touch it.
        labels_added=tuple(
            name for name in change.add_labels if name in after.labels and name not in before.labels
        ),
        labels_removed=tuple(
            name
            for name in change.remove_labels
            if name in before.labels and name not in after.labels
        ),
    )
