"""Roundup's issues, by its REST API (https://www.roundup-tracker.org/docs/rest.html)."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

import requests
from pydantic import AliasPath, BaseModel, BeforeValidator, Field, TypeAdapter

from unlatch.errors import NotFound, Rejected, TrackerError, Unauthorised
from unlatch.spi import (
    Change,
    CommentRef,
    ItemRef,
    OneWritePlugin,
    Progress,
    RemoteItem,
    Snapshot,
    Wire,
    defused,
    must_move,
    op_posted,
    ops_in,
    plain,
    visible,
    without_controls,
)
from unlatch.transport import Answer, Row, Transport, first_error

from .settings import RoundupSettings

_Part = TypeVar("_Part")
_PAGE = 100  # ids in the address of a request
_SAID = "Roundup refuses: {said}"
# 412 is a stale revision, 409 all else that is refused (findings/roundup-retired-issue.sh).
_TABLE = (
    Row(401, "", Unauthorised, "unauthorized", _SAID, "set ROUNDUP_USER and ROUNDUP_PASSWORD"),
    Row(409, "no such issue", NotFound, "item-not-found", _SAID),
    Row(409, "item is retired", NotFound, "item-not-found", _SAID),
    Row(409, "", Rejected, "tracker-rejected", _SAID),
    Row(400, "is not a status", Rejected, "tracker-rejected", _SAID, "correct [trackers.roundup]"),
)


def explain(answer: Answer) -> TrackerError | None:
    """The error that an answer means, or None to leave it to the general rules."""
    return first_error(_TABLE, answer, _said)


def _said(answer: Answer) -> str:
    error = answer.fields.get("error")
    return str(error.get("msg")) if isinstance(error, dict) else answer.text


def _moment(raw: str) -> datetime:
    return datetime.strptime(raw, "%Y-%m-%d.%H:%M:%S").replace(tzinfo=UTC)


class _Id(BaseModel):
    id: str


class _Issue(BaseModel):
    title: str
    status: str = Field(validation_alias=AliasPath("status", "name"))
    assignee: str | None = Field(None, validation_alias=AliasPath("assignedto", "username"))
    messages: tuple[_Id, ...]
    activity: Annotated[datetime, BeforeValidator(_moment)]


class _Message(_Id):
    content: str
    creation: Annotated[datetime, BeforeValidator(_moment)]
    creator: str = Field(validation_alias=AliasPath("creator", "username"))


def _part(kind: type[_Part], key: str, answer: requests.Response) -> _Part:
    return TypeAdapter(kind).validate_python(answer.json()["data"][key])


class RoundupPlugin(OneWritePlugin):
    """One tracker."""

    def __init__(self, settings: RoundupSettings, transport: Transport) -> None:
        session = transport.session(explain)
        origin = urlsplit(settings.url)
        session.headers["Origin"] = f"{origin.scheme}://{origin.netloc}"
        session.headers["Referer"] = f"{settings.url}/"
        session.headers["X-Requested-With"] = "unlatch"  # it requires all three
        super().__init__(session)
        self._settings = settings

    def fetch(self, wire: Wire, ref: ItemRef) -> Snapshot:
        """Read an issue; `private` is the ids of its messages."""
        query = {"@verbose": "2", "@fields": "title,status,assignedto,messages,activity"}
        parse = partial(self._snapshot, ref)
        return wire.read(self._url("issue", ref.id), "read the issue", parse, params=query)

    def send(self, wire: Wire, snapshot: Snapshot, change: Change, done: Progress) -> None:
        """Change an issue in one request; a new message is shown nowhere until then."""
        item, message = snapshot.item, None
        fields: dict[str, Any] = {}
        if change.goal is not None and must_move(item, change.goal):
            fields["status"] = self._settings.status_for(change.goal)
        if change.comment is not None:
            # Plain text, with the marker as a last line that people can read.
            text = f"{defused(without_controls(plain(change.comment)))}\n\n{visible(change.op)}"
            message = self._make_message(wire, text)
            # Without a status, Roundup reopens a resolved issue that gets a message.
            fields = {"status": item.state, **fields, "messages": [*snapshot.private, message]}
        if fields:
            self._put(wire, item, fields)
            done.commented, done.comment = message is not None, message

    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        """Find the messages with the marker; who can add one may also edit the issue."""
        return tuple(
            CommentRef(msg.id, msg.creation, msg.creator == self._settings.user, text=msg.content)
            for msg in self._messages(ref)
            if op in ops_in(msg.content)
        )

    def find_ops(self, ref: ItemRef) -> tuple[str, ...]:
        """List the operation of each message."""
        return tuple(filter(None, (op_posted(message.content) for message in self._messages(ref))))

    def _snapshot(self, ref: ItemRef, answer: requests.Response) -> Snapshot:
        issue = _part(_Issue, "attributes", answer)
        item = RemoteItem(
            ref,
            issue.title,
            issue.status,
            self._settings.category(issue.status),
            assignee=issue.assignee,
            revision=answer.headers.get("ETag"),
            updated=issue.activity,
        )
        return Snapshot(item, sorted((message.id for message in issue.messages), key=int))

    def _messages(self, ref: ItemRef) -> Iterator[_Message]:
        wire = self.wire()
        ids = self.fetch(wire, ref).private
        query = {"@fields": "content,creation,creator", "@verbose": "3", "@sort": "id"}
        parse = partial(_part, list[_Message], "collection")
        for start in range(0, len(ids), _PAGE):
            page = query | {"id": ids[start : start + _PAGE]}
            yield from wire.read(self._url("msg"), "read messages", parse, params=page)

    def _make_message(self, wire: Wire, text: str) -> str:
        message = {"content": text, "author": self._settings.user, "date": "."}
        url, what, parse = self._url("msg"), "make the comment", partial(_part, str, "id")
        return wire.write("POST", url, what, parse, expected="0", json=message)

    def _put(self, wire: Wire, item: RemoteItem, fields: dict[str, Any]) -> None:
        """Set fields, if the issue has not changed since it was read; Conflict if it has."""
        url, what = self._url("issue", item.ref.id), f"set {' and '.join(fields)}"
        only_if = {"If-Match": item.revision or ""}
        wire.write("PUT", url, what, bool, expected=True, json=fields, headers=only_if)

    def _url(self, *place: str) -> str:
        return "/".join((self._settings.url, "rest/data", *place))
