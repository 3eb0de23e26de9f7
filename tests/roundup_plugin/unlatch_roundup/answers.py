"""Roundup's answers and their meaning."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from unlatch.errors import Rejected, UnknownOutcome
from unlatch.spi import Category, RemoteItem

if TYPE_CHECKING:
    from collections.abc import Iterable

    import requests

    from unlatch_roundup.settings import RoundupSettings

Model = TypeVar("Model", bound=BaseModel)


class _Named(BaseModel):
    name: str


class _User(BaseModel):
    username: str


class IdAnswer(BaseModel):
    id: str


class _Attributes(BaseModel):
    title: str
    status: _Named
    keyword: tuple[_Named, ...]
    messages: tuple[IdAnswer, ...]
    assignedto: _User | None
    activity: str


class IssueAnswer(BaseModel):
    id: str
    attributes: _Attributes


class _Message(IdAnswer):
    content: str
    creation: str
    creator: _User


class MessagesAnswer(BaseModel):
    collection: tuple[_Message, ...]


class _Listed(IdAnswer):
    messages: tuple[str, ...]
    creation: str


class IssuesAnswer(BaseModel):
    collection: tuple[_Listed, ...]


class IdsAnswer(BaseModel):
    collection: tuple[IdAnswer, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """The facts that a write needs beside the item; `Snapshot.private`.

    Args:
        messages: the ids of the issue's messages, the oldest first.
        missing: the keywords that the change adds and the tracker lacks.
    """

    messages: tuple[str, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """A message on an issue; `creator` is the account that posted it."""

    id: str
    text: str
    created: datetime
    creator: str


@dataclass(frozen=True, slots=True)
class Issue:
    """One of many issues; `messages` are their ids, the oldest first."""

    id: str
    created: datetime
    messages: tuple[str, ...]


def item_of(issue: IssueAnswer, settings: RoundupSettings, *, revision: str | None) -> RemoteItem:
    """The item that an answer describes."""
    shown = issue.attributes
    category = settings.category(shown.status.name)
    return RemoteItem(
        ref=settings.ref(issue.id),
        title=shown.title,
        state=shown.status.name,
        category=category,
        deliberate=category is Category.DROPPED,
        labels=tuple(keyword.name for keyword in shown.keyword),
        assignee=shown.assignedto.username if shown.assignedto else None,
        revision=revision,
        updated=moment(shown.activity),
    )


def in_order(ids: Iterable[str]) -> tuple[str, ...]:
    """Ids in the order in which they were given out."""
    return tuple(sorted(ids, key=int))


def understood(model: type[Model], answer: requests.Response, *, written: bool = False) -> Model:
    """The answer as a model.

    Args:
        written: whether it answers a write, which may have taken effect.
    """
    try:
        return model.model_validate(answer.json()["data"])
    except (ValidationError, KeyError, TypeError, ValueError) as error:
        if written:
            raise UnknownOutcome("unknown-outcome", "Roundup's answer is not clear") from error
        raise Rejected("answer-not-understood", "Roundup's answer is not clear") from error


def moment(raw: str) -> datetime:
    """A time as Roundup spells it, in UTC."""
    return datetime.strptime(raw, "%Y-%m-%d.%H:%M:%S").replace(tzinfo=UTC)
