"""Jira's answers about statuses and the transitions between them, as models."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from unlatch.spi import Category, Goal
from unlatch_jira.api.json_model import Model

# https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-workflow-status-categories
# names these and `undefined`, for statuses without a category.
_CATEGORIES = {"indeterminate": Category.DOING, "done": Category.DONE}


class Named(Model):
    """A resolution, a type, or an allowed value of a field."""

    id: str | None = None
    name: str | None = None
    value: str | None = None

    def is_called(self, wanted: str) -> bool:
        """Whether `wanted` is its name or its id."""
        return wanted == self.id or wanted.casefold() == (self.name or "").casefold()

    def means(self, wanted: str) -> bool:
        """Whether `wanted` is its name, its value or its id."""
        return self.is_called(wanted) or wanted.casefold() == (self.value or "").casefold()


def _named(raw: dict[str, Any]) -> Named:
    # Further keys of a value depend on the field's type and are not read.
    known = {name: raw.get(name) for name in ("id", "name", "value")}
    return Named(**{name: str(x) for name, x in known.items() if isinstance(x, str | int)})


class _StatusCategory(Model):
    key: str = "undefined"


class Status(Model):
    """A status and its category."""

    name: str
    id: str | None = None
    # Missing before Jira 6.1.
    category: _StatusCategory | None = Field(default=None, alias="statusCategory")

    @property
    def means(self) -> Category:
        """The category of the status."""
        return _CATEGORIES.get(self.category.key if self.category else "", Category.TODO)

    def is_called(self, wanted: str) -> bool:
        """Whether `wanted` is its name or its id."""
        return wanted == self.id or wanted.casefold() == self.name.casefold()

    def means_after(self, goal: Goal) -> Category:
        """The category after a transition towards `goal`; by default the goal's own."""
        if self.category is not None:
            return self.means
        return Category.DOING if goal is Goal.OPEN else Category.DONE


class FieldKind(Model):
    """The type of a field, in Jira's terms."""

    type: str = "string"
    items: str = ""
    system: str = ""
    custom: str = ""

    @property
    def is_formatted(self) -> bool:
        """Whether it holds text with markup."""
        return self.custom.endswith(":textarea") or self.system in ("description", "environment")


class ScreenField(Model):
    """A field on a transition's screen."""

    name: str = ""
    required: bool = False
    kind: FieldKind = Field(default=FieldKind(), alias="schema")
    has_default: bool = Field(default=False, alias="hasDefaultValue")
    allowed: tuple[Any, ...] = Field(default=(), alias="allowedValues")

    @property
    def values(self) -> tuple[Named, ...]:
        """The allowed values, if Jira lists them."""
        return tuple(_named(one) for one in self.allowed if isinstance(one, dict))


class Transition(Model):
    """A transition that Jira offers now."""

    id: str
    name: str
    to: Status
    available: bool = Field(default=True, alias="isAvailable")
    screen: dict[str, ScreenField] = Field(default_factory=dict, alias="fields")


class TransitionsAnswer(Model):
    """The transitions that Jira offers now."""

    transitions: tuple[Transition, ...]
