"""Azure DevOps' answers as our own types.

The library's models take whatever comes: what we need of them is checked here.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from unlatch.domain.times import read_stamp
from unlatch.spi import CommentRef
from unlatch_ado.patch import read_tags
from unlatch_ado.workflow import Workflow

if TYPE_CHECKING:
    from datetime import datetime

DESCRIPTION = "System.Description"
# What is asked for and read; the other fields of an item are none of our business.
FIELDS = (
    "System.TeamProject",
    "System.WorkItemType",
    "System.Title",
    "System.State",
    "System.Tags",
    "System.AssignedTo",
    "System.ChangedDate",
)


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A work item as it was answered."""

    id: int
    revision: int
    project: str
    type: str
    title: str
    state: str
    tags: tuple[str, ...]
    assignee: str | None
    changed: datetime | None
    description: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment and its text as people see it."""

    ref: CommentRef
    text: str


class _Model(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class _Person(_Model):
    name: str | None = Field(None, alias="displayName")


class _Fields(_Model):
    project: str = Field(alias="System.TeamProject")
    type: str = Field(alias="System.WorkItemType")
    title: str = Field(alias="System.Title")
    state: str = Field(alias="System.State")
    tags: str | None = Field(None, alias="System.Tags")
    # An object since version 5 of the API, before that a name.
    assigned: _Person | str | None = Field(None, alias="System.AssignedTo")
    changed: str | None = Field(None, alias="System.ChangedDate")
    description: str | None = Field(None, alias=DESCRIPTION)


class _WorkItem(_Model):
    id: int
    rev: int
    fields: _Fields


class _State(_Model):
    name: str
    category: str


class _Transition(_Model):
    to: str


class _Type(_Model):
    name: str
    states: list[_State]
    transitions: dict[str, list[_Transition] | None]


class _Comment(_Model):
    id: int
    text: str | None
    created_date: AwareDatetime


class _Comments(_Model):
    comments: list[_Comment] | None
    continuation_token: str | None


class _Change(_Model):
    new_value: object = None


class _Update(_Model):
    id: int
    fields: dict[str, _Change] | None


class _Reference(_Model):
    id: int


class _Found(_Model):
    work_items: list[_Reference] | None


def work_item(answer: Any) -> WorkItem:
    """One work item."""
    item = _WorkItem.model_validate(answer)
    fields = item.fields
    person = fields.assigned
    return WorkItem(
        id=item.id,
        revision=item.rev,
        project=fields.project,
        type=fields.type,
        title=fields.title,
        state=fields.state,
        tags=read_tags(fields.tags),
        assignee=person.name if isinstance(person, _Person) else person,
        changed=read_stamp(fields.changed),
        description=fields.description or "",
    )


def workflow(answer: Any) -> Workflow:
    """A work item type's states and the moves between them."""
    type_ = _Type.model_validate(answer)
    return Workflow(
        type_.name,
        {state.name: state.category for state in type_.states},
        {state: tuple(to.to for to in moves or ()) for state, moves in type_.transitions.items()},
    )


def comments(answer: Any) -> tuple[list[Remark], str | None]:
    """A page of comments, and the token of the next page."""
    page = _Comments.model_validate(answer)
    remarks = [
        Remark(CommentRef(str(c.id), c.created_date.astimezone(UTC)), plain(c.text or ""))
        for c in page.comments or []
    ]
    return remarks, page.continuation_token or None


def updates(answer: Any) -> tuple[list[Remark], int]:
    """The comments in a page of updates, and how many updates there were on it."""
    page = [_Update.model_validate(update) for update in answer or []]
    return [remark for remark in map(_remark, page) if remark], len(page)


def _remark(update: _Update) -> Remark | None:
    fields = update.fields or {}
    text = fields.get("System.History", _Change()).new_value
    moment = read_stamp(fields.get("System.ChangedDate", _Change()).new_value)
    if not isinstance(text, str) or moment is None:
        return None
    return Remark(CommentRef(f"update-{update.id}", moment), plain(text))


def ids(answer: Any) -> list[int]:
    """The items that a query found, in its order."""
    return [reference.id for reference in _Found.model_validate(answer).work_items or []]


def plain(text: str) -> str:
    """The words of some HTML, for looking a marker up: the editor may have rewritten the rest."""
    return " ".join(html.unescape(re.sub(r"<[^<>]*>", " ", text)).split())
