"""Azure DevOps' answers about work items as our types.

The library's models accept any answer, so the required fields are checked here.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from unlatch.patterns import pattern
from unlatch.spi import read_stamp
from unlatch.values import dataclass
from unlatch_ado.api.patch import DESCRIPTION, PARENT_LINK, read_tags

if TYPE_CHECKING:
    from datetime import datetime

# The fields to read; the others of an item are not needed.
FIELDS = (
    "System.TeamProject",
    "System.WorkItemType",
    "System.Title",
    "System.State",
    "System.Tags",
    "System.AssignedTo",
    "System.ChangedDate",
    "System.ChangedBy",
    "System.CreatedDate",
    "System.IterationPath",
)
_ITEM_URL = pattern(r"/_apis/wit/workItems/(\d{1,10})$", re.IGNORECASE)
_PROJECT_ID = pattern(r"/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/_apis/", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A work item in an answer.

    Args:
        description: its description; None if the request omitted it.
        inactive: whether its assignee has left, by the answer.
        iteration: the path of its iteration.
        parent: the number of its parent, if it has one and the request included it.
        project_id: its project's id, if the answer shows it.
    """

    id: int
    revision: int
    project: str
    type: str
    title: str
    state: str
    tags: tuple[str, ...]
    assignee: str | None = None
    changed: datetime | None = None
    changed_by: str | None = None
    created: datetime | None = None
    description: str | None = None
    inactive: bool = False
    iteration: str = ""
    parent: str | None = None
    project_id: str | None = None


class _Model(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class _Person(_Model):
    name: str | None = Field(None, alias="displayName")
    inactive: bool | None = None


class _Fields(_Model):
    project: str = Field(alias="System.TeamProject")
    type: str = Field(alias="System.WorkItemType")
    title: str = Field(alias="System.Title")
    state: str = Field(alias="System.State")
    tags: str | None = Field(None, alias="System.Tags")
    # An object since version 5 of the API, before that a name.
    assigned: _Person | str | None = Field(None, alias="System.AssignedTo")
    changed: str | None = Field(None, alias="System.ChangedDate")
    changed_by: _Person | str | None = Field(None, alias="System.ChangedBy")
    created: str | None = Field(None, alias="System.CreatedDate")
    description: str | None = Field(None, alias=DESCRIPTION)
    iteration: str | None = Field(None, alias="System.IterationPath")


class _Relation(_Model):
    rel: str | None = None
    url: str | None = None


class _WorkItem(_Model):
    id: int
    rev: int
    fields: _Fields
    url: str | None = None
    relations: list[_Relation] | None = None


class _Reference(_Model):
    id: int


class _Found(_Model):
    work_items: list[_Reference] | None


class _BatchAnswer(_Model):
    code: int
    # JSON within JSON, as a string.
    body: str | dict[str, Any] | None = None


class _BatchAnswers(_Model):
    value: list[_BatchAnswer]


def work_item(answer: Any, *, described: bool = True) -> WorkItem:
    """One work item.

    Args:
        described: whether the request included its description; an empty one is omitted.
    """
    item = _WorkItem.model_validate(answer)
    fields = item.fields
    person = fields.assigned
    home = _PROJECT_ID.search(item.url or "")
    return WorkItem(
        id=item.id,
        revision=item.rev,
        project=fields.project,
        type=fields.type,
        title=fields.title,
        state=fields.state,
        tags=read_tags(fields.tags),
        assignee=_name(person),
        changed=read_stamp(fields.changed),
        changed_by=_name(fields.changed_by),
        created=read_stamp(fields.created),
        description=(fields.description or "") if described else None,
        inactive=isinstance(person, _Person) and person.inactive is True,
        iteration=fields.iteration or "",
        parent=next(filter(None, map(_parent, item.relations or [])), None),
        project_id=home[1] if home else None,
    )


def _name(person: _Person | str | None) -> str | None:
    return person.name if isinstance(person, _Person) else person


def _parent(relation: _Relation) -> str | None:
    found = _ITEM_URL.search(relation.url or "")
    return found[1] if found and relation.rel == PARENT_LINK else None


def batch(answer: Any) -> list[tuple[int, bytes]]:
    """The answer to each request of a batch: status and body."""
    found = _BatchAnswers.model_validate(answer).value
    return [(one.code, _raw(one.body)) for one in found]


def _raw(body: str | dict[str, Any] | None) -> bytes:
    return (body if isinstance(body, str) else json.dumps(body or {})).encode()


def ids(answer: Any) -> list[int]:
    """The items found by a query, in its order."""
    return [reference.id for reference in _Found.model_validate(answer).work_items or []]
