"""Azure DevOps' answers about types, people and permissions as our types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from unlatch.values import dataclass
from unlatch_ado.api.workflow import Workflow

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Type:
    """A work item type, and the reference names of its fields (empty if unknown)."""

    workflow: Workflow
    fields: frozenset[str]


@dataclass(frozen=True, slots=True)
class Account:
    """A token's account: its display name, the name to assign work items to, and its id."""

    name: str
    address: str
    id: str | None = None


class _Model(BaseModel):
    model_config = ConfigDict(from_attributes=True)


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


class _Properties(_Model):
    account: dict[str, Any] | None = Field(None, alias="Account")


class _User(_Model):
    id: str | None = None
    name: str | None = Field(None, alias="providerDisplayName")
    own: str | None = Field(None, alias="customDisplayName")
    properties: _Properties | None = None


class _ConnectionData(_Model):
    user: _User = Field(alias="authenticatedUser")


class _Permissions(_Model):
    value: list[bool]


_STATES = TypeAdapter(list[_State])


def workflow(answer: Any, states: Callable[[str], Any]) -> Workflow:
    """A work item type's states and transitions.

    Args:
        answer: the type.
        states: requests the states of a type by name, if the answer has none.
    """
    return _workflow(_Type.model_validate(answer), states)


def _workflow(type_: _Type, states: Callable[[str], Any]) -> Workflow:
    rows = type_.states
    if not rows:
        rows = _STATES.validate_python(states(type_.name))
    return Workflow(
        type_.name,
        {state.name: state.category for state in rows},
        {state: tuple(to.to for to in moves or ()) for state, moves in type_.transitions.items()},
    )


def types(answer: Any, states: Callable[[str], Any]) -> list[Type]:
    """The work item types of a project; as for `workflow`."""
    read = [_Type.model_validate(row) for row in answer or []]
    names = [frozenset(f.reference_name or "" for f in type_.fields or ()) - {""} for type_ in read]
    return [
        Type(_workflow(type_, states), fields) for type_, fields in zip(read, names, strict=True)
    ]


def account(answer: Any) -> Account:
    """The token's account."""
    user = _ConnectionData.model_validate(answer).user
    properties = (user.properties and user.properties.account) or {}
    name = user.own or user.name or ""
    return Account(name, str(properties.get("$value") or name), user.id)


def permission(answer: Any) -> bool:
    """The answer to a question for one permission on one object."""
    return all(_Permissions.model_validate(answer).value)
