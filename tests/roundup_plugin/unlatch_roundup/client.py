"""The requests to Roundup's REST API (https://www.roundup-tracker.org/docs/rest.html)."""

from __future__ import annotations

from http import HTTPStatus
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from unlatch.errors import Conflict, TrackerError, UnknownOutcome
from unlatch.spi import Snapshot
from unlatch_roundup.answers import (
    IdAnswer,
    IdsAnswer,
    Issue,
    IssueAnswer,
    IssuesAnswer,
    Known,
    Message,
    MessagesAnswer,
    in_order,
    item_of,
    moment,
    understood,
)
from unlatch_roundup.errors import explain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import requests

    from unlatch.spi import ItemRef, RemoteItem
    from unlatch.transport import Transport
    from unlatch_roundup.settings import RoundupSettings

_PAGE = 100
_FIELDS = "title,status,keyword,messages,assignedto,activity"


def open_session(settings: RoundupSettings, transport: Transport) -> requests.Session:
    """A session with the headers by which Roundup tells programs from forged web pages."""
    session = transport.session(explain)
    origin = urlsplit(settings.url)
    session.headers["X-Requested-With"] = "unlatch"
    session.headers["Origin"] = f"{origin.scheme}://{origin.netloc}"
    session.headers["Referer"] = f"{settings.url}/"
    return session


class Client:
    """The requests to one tracker; threads may share it."""

    def __init__(self, settings: RoundupSettings, session: requests.Session) -> None:
        self.settings = settings
        self._session = session

    def read(self, ref: ItemRef, labels: Sequence[str] = ()) -> Snapshot:
        """Read an issue, and find out which of its missing labels the tracker lacks as well."""
        answer = self._session.get(
            issue_url(self.settings, ref.id), params={"@verbose": "2", "@fields": _FIELDS}
        )
        issue = understood(IssueAnswer, answer)
        item = item_of(issue, self.settings, revision=answer.headers.get("ETag"))
        missing = self.missing_keywords([name for name in labels if name not in item.labels])
        return Snapshot(item, Known(in_order(one.id for one in issue.attributes.messages), missing))

    def read_back(self, ref: ItemRef) -> RemoteItem:
        """Read an issue after a write.

        Raises:
            UnknownOutcome: it cannot be read, so the effect of the write is unknown.
        """
        try:
            return self.read(ref).item
        except TrackerError as error:
            message = f"the issue was written, and cannot be read: {error.message}"
            raise UnknownOutcome("unknown-outcome", message, where=error.where) from error

    def change(self, item: RemoteItem, fields: Mapping[str, Any]) -> None:
        """Set fields, if the issue has not changed since it was read.

        Raises:
            Conflict: it has changed; nothing was set.
        """
        url = issue_url(self.settings, item.ref.id)
        self._session.put(url, json=fields, headers={"If-Match": item.revision or ""})

    def create(self, fields: Mapping[str, Any]) -> RemoteItem:
        """Make an issue."""
        return self.read_back(self.settings.ref(self._made("issue", fields)))

    def add_message(self, text: str) -> str:
        """Make a message, which belongs to no issue yet."""
        return self._made("msg", {"content": text, "author": self.settings.user, "date": "."})

    def missing_keywords(self, names: Sequence[str]) -> tuple[str, ...]:
        """The names that are no keywords of the tracker."""
        url = data_url(self.settings, "keyword")
        found = {name: self._session.get(url, params={"name:": name}) for name in names}
        return tuple(name for name in names if not understood(IdsAnswer, found[name]).collection)

    def make_keyword(self, name: str) -> None:
        """Make a keyword.

        Raises:
            Forbidden: this account may not make keywords.
        """
        try:
            self._made("keyword", {"name": name})
        except Conflict as error:
            if error.status != HTTPStatus.CONFLICT:
                raise
            # Another client made it just now.

    def messages(self, ids: Sequence[str]) -> Iterator[Message]:
        """The messages with these ids, the oldest first."""
        for start in range(0, len(ids), _PAGE):
            query = {
                "id": [*ids[start : start + _PAGE]],
                "@fields": "content,creation,creator",
                "@verbose": "3",
                "@sort": "id",
            }
            answer = self._session.get(data_url(self.settings, "msg"), params=query)
            for one in understood(MessagesAnswer, answer).collection:
                yield Message(one.id, one.content, moment(one.creation), one.creator.username)

    def newest(self) -> Iterator[tuple[Issue, ...]]:
        """Pages of all issues, the newest first."""
        query = {"@sort": "-id", "@fields": "messages,creation", "@verbose": "0"}
        for page in count(1):
            query |= {"@page_size": str(_PAGE), "@page_index": str(page)}
            answer = self._session.get(data_url(self.settings, "issue"), params=query)
            listed = understood(IssuesAnswer, answer).collection
            if listed:
                yield tuple(
                    Issue(one.id, moment(one.creation), in_order(one.messages)) for one in listed
                )
            if len(listed) < _PAGE:
                return

    def _made(self, kind: str, fields: Mapping[str, Any]) -> str:
        answer = self._session.post(data_url(self.settings, kind), json=fields)
        return understood(IdAnswer, answer, written=True).id


def data_url(settings: RoundupSettings, kind: str) -> str:
    """Where everything of one kind is."""
    return f"{settings.url}/rest/data/{kind}"


def issue_url(settings: RoundupSettings, number: str) -> str:
    """Where an issue is, for programs."""
    return f"{data_url(settings, 'issue')}/{number}"
