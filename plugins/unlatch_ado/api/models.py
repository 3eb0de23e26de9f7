"""Azure DevOps' answers as our types.

The library's models accept any answer, so the required fields are checked here.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from unlatch.patterns import pattern
from unlatch.spi import read_stamp
from unlatch.values import dataclass
from unlatch_ado.api.patch import DESCRIPTION, PARENT_LINK, read_tags
from unlatch_ado.api.workflow import Workflow

if TYPE_CHECKING:
    from collections.abc import Callable
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


@dataclass(frozen=True, slots=True)
class Type:
    """A work item type, and the reference names of its fields (empty if unknown)."""

    workflow: Workflow
    fields: frozenset[str]


@dataclass(frozen=True, slots=True)
class Account:
    """A token's account: its display name, and the name to assign work items to."""

    name: str
    address: str


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


class _State(_Model):
    name: str
    category: str


class _Transition(_Model):
    to: str


class _TypeField(_Model):
    reference_name: str | None = None


class _Type(_Model):
    name: str
    # Missing in Microsoft's published examples; `/states` has them.
    states: list[_State] | None = None
    transitions: dict[str, list[_Transition] | None]
    fields: list[_TypeField] | None = None


class _Reference(_Model):
    id: int


class _Found(_Model):
    work_items: list[_Reference] | None


class _Properties(_Model):
    account: dict[str, Any] | None = Field(None, alias="Account")


class _User(_Model):
    name: str | None = Field(None, alias="providerDisplayName")
    own: str | None = Field(None, alias="customDisplayName")
    properties: _Properties | None = None


class _BatchAnswer(_Model):
    code: int
    # JSON within JSON, as a string.
    body: str | dict[str, Any] | None = None


class _BatchAnswers(_Model):
    value: list[_BatchAnswer]


class _ConnectionData(_Model):
    user: _User = Field(alias="authenticatedUser")


class _Permissions(_Model):
    value: list[bool]


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


_STATES = TypeAdapter(list[_State])


def workflow(answer: Any, states: Callable[[str], Any]) -> Workflow:
    """A work item type's states and transitions.

    Args:
        answer: the type.
        states: requests the states of a type by name, if the answer has none.
    """
    return _workflow(_Type.model_validate(answer), states)


def _workflow(type_: _Type, states: Callable[[str], Any]) -> Workflow:
    found = type_.states
    if not found:
        found = _STATES.validate_python(states(type_.name))
    return Workflow(
        type_.name,
        {state.name: state.category for state in found},
        {state: tuple(to.to for to in moves or ()) for state, moves in type_.transitions.items()},
    )


def types(answer: Any, states: Callable[[str], Any]) -> list[Type]:
    """The work item types of a project; as for `workflow`."""
    read = [_Type.model_validate(one) for one in answer or []]
    names = [frozenset(f.reference_name or "" for f in one.fields or ()) - {""} for one in read]
    return [Type(_workflow(one, states), fields) for one, fields in zip(read, names, strict=True)]


def account(answer: Any) -> Account:
    """The token's account."""
    user = _ConnectionData.model_validate(answer).user
    properties = (user.properties and user.properties.account) or {}
    name = user.own or user.name or ""
    return Account(name, str(properties.get("$value") or name))


def permission(answer: Any) -> bool:
    """The answer to a question for one permission on one object."""
    return all(_Permissions.model_validate(answer).value)


def ids(answer: Any) -> list[int]:
    """The items found by a query, in its order."""
    return [reference.id for reference in _Found.model_validate(answer).work_items or []]
