"""The requests to Roundup's REST API (https://www.roundup-tracker.org/docs/rest.html)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError

from unlatch.errors import Conflict, Rejected, UnknownOutcome
from unlatch.spi import Category, RemoteItem
from unlatch_roundup.errors import explain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import requests

    from unlatch.spi import ItemRef
    from unlatch.transport import Transport
    from unlatch_roundup.settings import RoundupSettings

Model = TypeVar("Model", bound=BaseModel)

_PAGE = 25
_FIELDS = "title,status,keyword,messages,assignedto,activity"


class _Named(BaseModel):
    name: str


class _User(BaseModel):
    username: str


class _Id(BaseModel):
    id: str


class _Attributes(BaseModel):
    title: str
    status: _Named
    keyword: tuple[_Named, ...]
    messages: tuple[_Id, ...]
    assignedto: _User | None
    activity: str


class _Issue(BaseModel):
    id: str
    attributes: _Attributes


class _Message(_Id):
    content: str
    creation: str


class _Messages(BaseModel):
    collection: tuple[_Message, ...]


class _Listed(_Id):
    messages: tuple[str, ...]


class _Issues(BaseModel):
    collection: tuple[_Listed, ...]


class _Ids(BaseModel):
    collection: tuple[_Id, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An issue as Roundup described it.

    Args:
        messages: the ids of its messages, the oldest first.
    """

    item: RemoteItem
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """What somebody said on an issue."""

    id: str
    text: str
    created: datetime


class Client:
    """The requests to one tracker; threads may share it."""

    def __init__(self, settings: RoundupSettings, transport: Transport) -> None:
        self._settings = settings
        self._session = transport.session(explain)
        # Roundup takes these for the proof that no web page of another site sends the request.
        origin = urlsplit(settings.url)
        self._session.headers["X-Requested-With"] = "unlatch"
        self._session.headers["Origin"] = f"{origin.scheme}://{origin.netloc}"
        self._session.headers["Referer"] = f"{settings.url}/"

    def read(self, ref: ItemRef) -> Found:
        """Read an issue."""
        answer = self._session.get(
            issue_url(self._settings, ref.id), params={"@verbose": "2", "@fields": _FIELDS}
        )
        issue = _understood(_Issue, answer)
        shown, etag = issue.attributes, answer.headers.get("ETag")
        category = self._settings.category(shown.status.name)
        item = RemoteItem(
            ref=self._settings.ref(issue.id),
            title=shown.title,
            state=shown.status.name,
            category=category,
            deliberate=category is Category.DROPPED,
            labels=tuple(keyword.name for keyword in shown.keyword),
            assignee=shown.assignedto.username if shown.assignedto else None,
            revision=etag,
            updated=_moment(shown.activity),
        )
        return Found(item, tuple(sorted((one.id for one in shown.messages), key=int)))

    def change(self, item: RemoteItem, fields: dict[str, Any]) -> None:
        """Set fields, if nobody changed the issue since it was read.

        Raises:
            Conflict: somebody did.
        """
        url = issue_url(self._settings, item.ref.id)
        self._session.put(url, json=fields, headers={"If-Match": item.revision or ""})

    def create(self, fields: dict[str, Any]) -> ItemRef:
        """Make an issue."""
        return self._settings.ref(self._made("issue", fields))

    def add_message(self, text: str) -> str:
        """Make a message, which belongs to no issue yet."""
        return self._made("msg", {"content": text, "author": self._settings.user, "date": "."})

    def need_keyword(self, name: str) -> None:
        """Make a keyword, unless the tracker has it."""
        answer = self._session.get(data_url(self._settings, "keyword"), params={"name:": name})
        if not _understood(_Ids, answer).collection:
            with suppress(Conflict):  # somebody else made it just now
                self._made("keyword", {"name": name})

    def messages(self, ids: Sequence[str]) -> Iterator[Message]:
        """The messages with these ids, the oldest first."""
        for start in range(0, len(ids), _PAGE):
            wanted = [*ids[start : start + _PAGE]]
            query = {"id": wanted, "@fields": "content,creation", "@verbose": "3", "@sort": "id"}
            answer = self._session.get(data_url(self._settings, "msg"), params=query)
            for message in _understood(_Messages, answer).collection:
                yield Message(message.id, message.content, _moment(message.creation))

    def newest(self, since: datetime) -> Iterator[dict[str, ItemRef]]:
        """Pages of the issues made since then, the newest first, by their first messages."""
        made = f"from {since.astimezone(UTC):%Y-%m-%d.%H:%M:%S}"
        query = {"creation": made, "@sort": "-id", "@fields": "messages", "@verbose": "0"}
        for page in count(1):
            query |= {"@page_size": str(_PAGE), "@page_index": str(page)}
            answer = self._session.get(data_url(self._settings, "issue"), params=query)
            listed = _understood(_Issues, answer).collection
            yield {
                min(issue.messages, key=int): self._settings.ref(issue.id)
                for issue in listed
                if issue.messages
            }
            if len(listed) < _PAGE:
                return

    def _made(self, kind: str, fields: dict[str, Any]) -> str:
        answer = self._session.post(data_url(self._settings, kind), json=fields)
        return _understood(_Id, answer, written=True).id


def data_url(settings: RoundupSettings, kind: str) -> str:
    """Where everything of one kind is."""
    return f"{settings.url}/rest/data/{kind}"


def issue_url(settings: RoundupSettings, number: str) -> str:
    """Where an issue is, for programs."""
    return f"{data_url(settings, 'issue')}/{number}"


def _understood(model: type[Model], answer: requests.Response, *, written: bool = False) -> Model:
    try:
        return model.model_validate(answer.json()["data"])
    except (ValidationError, KeyError, TypeError, ValueError) as error:
        if written:
            raise UnknownOutcome("unknown-outcome", "Roundup's answer is not clear") from error
        raise Rejected("answer-not-understood", "Roundup's answer is not clear") from error


def _moment(raw: str) -> datetime:
    return datetime.strptime(raw, "%Y-%m-%d.%H:%M:%S").replace(tzinfo=UTC)
