"""Roundup's issues as unlatch's operations."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.spi import CommentRef, SyncPlugin, op_posted, ops_in
from unlatch_roundup.client import Client, open_session
from unlatch_roundup.preview import Preview
from unlatch_roundup.writing import create, write

if TYPE_CHECKING:
    from datetime import datetime

    from unlatch.spi import Change, ItemRef, Outcome, PlannedRequest, RemoteItem, Snapshot
    from unlatch.transport import Transport
    from unlatch_roundup.answers import Message
    from unlatch_roundup.settings import RoundupSettings

_NEWEST = 1000
_CLOCKS_DIFFER = timedelta(days=1)


class RoundupPlugin(SyncPlugin):
    """One tracker."""

    def __init__(self, settings: RoundupSettings, transport: Transport) -> None:
        self._settings = settings
        self._session = open_session(settings, transport)
        self._client = Client(settings, self._session)

    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        """Read an issue, and find out which keywords the change needs and the tracker lacks."""
        return self._client.read(ref, change.add_labels if change else ())

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        """Set status, comment and keywords."""
        return write(self._client, snapshot, change)

    def create(self, change: Change) -> Outcome:
        """Make an issue."""
        return create(self._client, change)

    def plan(self, snapshot: Snapshot | None, change: Change) -> tuple[PlannedRequest, ...]:
        """List the requests of `read` and `write`, or of `create`."""
        preview = Preview(self._settings, self._session, snapshot)
        if snapshot is None:
            create(preview, change)
        else:
            write(preview, preview.read(snapshot.item.ref, change.add_labels), change)
        return tuple(preview.requests)

    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        """Find the messages that carry the marker of `op`.

        All of them count: adding a message takes the right to edit the issue.
        """
        return tuple(
            CommentRef(one.id, one.created, own=one.creator == self._settings.user)
            for one in self._messages(ref)
            if op in ops_in(one.text)
        )

    def find_ops(self, ref: ItemRef) -> tuple[str, ...]:
        """List the operations that posted messages."""
        found = (op_posted(one.text) for one in self._messages(ref))
        return tuple(dict.fromkeys(filter(None, found)))

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        """Find the issue whose first message carries the marker of `op`."""
        seen = 0
        for page in self._client.newest():
            bodies = {issue.messages[0]: issue.id for issue in page if issue.messages}
            for message in self._client.messages(sorted(bodies, key=int)):
                if op in ops_in(message.text):
                    return self._client.read(self._settings.ref(bodies[message.id])).item
            seen += len(page)
            if seen >= _NEWEST and page[-1].created < since - _CLOCKS_DIFFER:
                return None
        return None

    def _messages(self, ref: ItemRef) -> tuple[Message, ...]:
        return tuple(self._client.messages(self._client.read(ref).private.messages))
