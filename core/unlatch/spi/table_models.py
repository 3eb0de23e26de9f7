"""The pydantic models of tables of settings, which convert values and list mistakes."""

from collections.abc import Mapping
from contextlib import suppress
from functools import cache, partial
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model
from pydantic_core import core_schema, to_jsonable_python

# pydantic would look for plugins of its own in every installed distribution, and run them. Looking
# takes longer than building all tables. The documented way is a variable, which child processes
# would get. Where another version keeps its plugins elsewhere, it looks for them.
with suppress(ImportError):
    from pydantic.plugin import _loader

    _loader._plugins = {}  # noqa: SLF001

_STRICT = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


@cache
def model_of(kind: Any) -> type[BaseModel]:
    """The model of a class of settings: of a `Table`, or of a model the model itself."""
    if issubclass(kind, BaseModel):
        model: type[BaseModel] = kind
        return model
    hints = kind.hints()
    fields: dict[str, Any] = {}
    for name, setting in kind.SETTINGS.items():
        given: dict[str, Any] = {} if setting.is_required else {"default": setting.default}
        if hasattr(setting.default, "SETTINGS"):  # JSON Schema has no word for a table
            given = {"default_factory": partial(_same, setting.default)}
        fields[name] = (hints[name], Field(**given, description=setting.description or None))
    about: dict[str, Any] = {"__doc__": kind.__doc__, "__module__": kind.__module__}
    return create_model(kind.__name__, __config__=_STRICT, **about, **fields)


def _same(default: Any) -> Any:
    return default


def checked(table: Any, values: Mapping[str, Any]) -> Any:
    """The table of these values; pydantic.ValidationError lists all mistakes."""
    return _adapter(table).validate_python(values)


@cache
def _adapter(table: Any) -> TypeAdapter[Any]:
    return TypeAdapter(table, config=_STRICT)


def core_schema_of(table: Any, handler: Any) -> core_schema.CoreSchema:
    """The core schema of a table, which makes the table instead of its model."""
    inner = handler.generate_schema(model_of(table))
    return core_schema.no_info_wrap_validator_function(partial(_made, table), inner)


def _made(table: Any, value: Any, validate: Any) -> Any:
    if isinstance(value, table):
        return value
    model = validate(value)
    return table.unchecked({name: getattr(model, name) for name in model.model_fields_set})


def dumped(settings: Any, *, given_only: bool = False) -> dict[str, Any]:
    """The values of settings as JSON has them; with `given_only` without defaults."""
    if isinstance(settings, BaseModel):
        return settings.model_dump(mode="json", exclude_unset=given_only)

    def values(table: Any) -> dict[str, Any]:
        return {
            name: value for name, value in table if not given_only or name in table.model_fields_set
        }

    values_json: dict[str, Any] = to_jsonable_python(values(settings), fallback=values)
    return values_json
