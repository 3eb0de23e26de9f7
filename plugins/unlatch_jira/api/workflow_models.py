"""Jira's answers about statuses and the transitions between them, as models."""

from __future__ import annotations

from typing import Any

from unlatch.spi import Category, Goal
from unlatch.transport.answer import each, flag, optional, required, table
from unlatch_jira.api.json_model import text

# https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-workflow-status-categories
# names these and `undefined`, for statuses without a category.
_CATEGORIES = {"indeterminate": Category.DOING, "done": Category.DONE}


class Named:
    """A resolution, a type, or an allowed value of a field."""

    def __init__(self, raw: Any) -> None:
        self.id = optional(table(raw), "id", text)
        self.name = optional(raw, "name", text)
        self.value = optional(raw, "value", text)

    def is_called(self, wanted: str) -> bool:
        """Whether `wanted` is its name or its id."""
        return wanted == self.id or wanted.casefold() == (self.name or "").casefold()

    def means(self, wanted: str) -> bool:
        """Whether `wanted` is its name, its value or its id."""
        return self.is_called(wanted) or wanted.casefold() == (self.value or "").casefold()


def _value(raw: Any) -> Named | None:
    if not isinstance(raw, dict):
        return None
    # Further keys of a value depend on the field's type and are not read.
    fields = {name: raw.get(name) for name in ("id", "name", "value")}
    return Named({name: str(x) for name, x in fields.items() if isinstance(x, str | int)})


class Status:
    """A status and its category."""

    def __init__(self, raw: Any) -> None:
        self.raw = table(raw)
        self.name = required(raw, "name", text)
        self.id = optional(raw, "id", text)
        # The key; missing before Jira 6.1.
        self.category = optional(raw, "statusCategory", _category)

    @property
    def means(self) -> Category:
        """The category of the status."""
        return _CATEGORIES.get(self.category or "", Category.TODO)

    def is_called(self, wanted: str) -> bool:
        """Whether `wanted` is its name or its id."""
        return wanted == self.id or wanted.casefold() == self.name.casefold()

    def means_after(self, goal: Goal) -> Category:
        """The category after a transition towards `goal`; by default the goal's own."""
        if self.category is not None:
            return self.means
        return Category.DOING if goal is Goal.OPEN else Category.DONE


def _category(raw: Any) -> str:
    return optional(table(raw), "key", text) or "undefined"


class FieldKind:
    """The type of a field, in Jira's terms."""

    def __init__(self, raw: Any) -> None:
        self.type = optional(table(raw), "type", text) or "string"
        self.items = optional(raw, "items", text) or ""
        self.system = optional(raw, "system", text) or ""
        self.custom = optional(raw, "custom", text) or ""

    @property
    def is_formatted(self) -> bool:
        """Whether it holds text with markup."""
        return self.custom.endswith(":textarea") or self.system in ("description", "environment")


class ScreenField:
    """A field on a transition's screen."""

    def __init__(self, raw: Any) -> None:
        self.name = optional(table(raw), "name", text) or ""
        self.required = optional(raw, "required", flag) or False
        self.kind = optional(raw, "schema", FieldKind) or FieldKind({})
        self.has_default = optional(raw, "hasDefaultValue", flag) or False
        # The allowed values, if Jira lists them.
        self.values = tuple(filter(None, optional(raw, "allowedValues", each(_value)) or ()))


class Transition:
    """A transition that Jira offers now."""

    def __init__(self, raw: Any) -> None:
        self.id = required(table(raw), "id", text)
        self.name = required(raw, "name", text)
        self.to = required(raw, "to", Status)
        self.available = optional(raw, "isAvailable", flag) is not False
        self.has_screen = raw.get("fields") is not None
        self.screen = optional(raw, "fields", _screen) or {}
        # Its screen can have the comment, which the fields need not name.
        shows_screen = optional(raw, "hasScreen", flag)
        self.may_take_comment = shows_screen is not False
        self.takes_comment = bool(self.screen if shows_screen is None else shows_screen)


def _screen(raw: Any) -> dict[str, ScreenField]:
    return {name: required(raw, name, ScreenField) for name in table(raw)}


class TransitionsAnswer:
    """The transitions that Jira offers now."""

    def __init__(self, raw: Any) -> None:
        self.transitions = required(table(raw), "transitions", each(Transition))
