"""JSON Schemas (2020-12) of files, derived from their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from unlatch.increments.records.contracts import BaseRecord, Event, Metadata, SyncedDetails
from unlatch.spi.table_models import model_of

if TYPE_CHECKING:
    from unlatch.increments.records.shapes import Shapes
    from unlatch.spi.manifest import LinkShape

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


class _Plain(GenerateJsonSchema):
    """Schemas without titles that only repeat the keys."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def default_schema(self, schema: Any) -> Any:
        plain = super().default_schema(schema)
        return {key: value for key, value in plain.items() if (key, value) != ("default", None)}


class _Toml(_Plain):
    """TOML has no null: keys without a value are left out."""

    def nullable_schema(self, schema: Any) -> Any:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: Any) -> Any:
        plain = super().default_schema(schema)
        # A table's default is that of each of its keys.
        return {k: v for k, v in plain.items() if k != "default" or not isinstance(v, dict)}


def schema_of(kind: Any, *, name: str, title: str) -> Schema:
    """The schema of a type, to be kept as `NAME.schema.json`."""
    return _named(TypeAdapter(kind).json_schema(schema_generator=_Plain), name, title)


def settings_schema(settings: Any, *, name: str, title: str) -> Schema:
    """The schema of a TOML file with settings."""
    return _named(model_of(settings).model_json_schema(schema_generator=_Toml), name, title)


def _named(schema: Schema, name: str, title: str) -> Schema:
    schema.pop("title", None)
    return {"$schema": DIALECT, "$id": f"{name}.schema.json", "title": title, **schema}


def metadata_schema(shapes: Shapes) -> Schema:
    """The schema of metadata.json with the link blocks of the known trackers."""
    schema = schema_of(Metadata, name="metadata", title="An increment's metadata.json")
    for record in (BaseRecord, SyncedDetails):
        extra = TypeAdapter(record).json_schema(schema_generator=_Plain)
        schema["$defs"] |= {**extra.pop("$defs"), record.__name__: extra}
    details = schema["$defs"].pop(SyncedDetails.__name__)["properties"]
    schema["properties"] |= {tracker: _links(shape) for tracker, shape in shapes.links.items()}
    schema["$defs"]["ReopenRecord"]["properties"]["syncedTo"] = {
        "type": "object",
        "properties": {
            tracker: _synced(shape, details) for tracker, shape in shapes.synced.items()
        },
    }
    return schema


def event_schema() -> Schema:
    return schema_of(Event, name="event", title="A line of an increment's events.jsonl")


def _links(shape: LinkShape) -> Schema:
    """A tracker's link block: its first item under the plain keys, all items in `items`."""
    entry = {**_item(shape), "base": {"$ref": f"#/$defs/{BaseRecord.__name__}"}}
    several = {"type": "array", "items": _object(entry, required=[shape.item])}
    # After unlinking, a block may have only keys of other programs, so no key is required.
    needs = {shape.url: [shape.item], "base": [shape.item]}
    return {**_object({**entry, "items": several}), "dependentRequired": needs}


def _synced(shape: LinkShape, details: Schema) -> Schema:
    entry = _object({**_item(shape), **details}, required=[shape.item])
    several = {"type": "array", "items": entry}
    return _object({**_item(shape), "items": several})


def _item(shape: LinkShape) -> Schema:
    number, text = {"type": "integer"}, {"type": "string", "minLength": 1}
    return {shape.item: number if shape.number else text, shape.url: text}


def _object(properties: Schema, *, required: list[str] | None = None) -> Schema:
    object_schema: Schema = {"type": "object", "properties": properties}
    return {**object_schema, "required": required} if required else object_schema
