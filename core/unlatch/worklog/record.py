"""Records: one table of keys each, for reader, writer, schema and `--json`.

The table is the class itself (`record`, `key`) if the class is nothing but a record, as an event
is; else it is beside the class. The types of the JSON Schemas are made from the same tables.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, field, fields
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar, dataclass_transform

from unlatch.values import dataclass
from unlatch.worklog.ids import is_ulid
from unlatch.worklog.times import read_stamp, stamp

T = TypeVar("T")


class BadRecord(ValueError):
    """A record with a missing or wrong value; the message has its place and the problem."""


@dataclass(frozen=True, slots=True)
class Type:
    """A type of values.

    Args:
        name: its name in the schemas (`contracts.TYPES`).
        read: converts JSON to a value; raises BadRecord with the problem alone.
        optional: a more tolerant `read`, for keys that are not required.
        blank: the value in place of an unreadable one, where a record is recovered.
    """

    name: str
    read: Callable[[Any], Any]
    write: Callable[[Any], Any] = str
    optional: Callable[[Any], Any] | None = None
    blank: Any = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a record, and the attribute of the model; `always` writes the default, too."""

    key: str
    type: Type
    name: str
    required: bool = False
    always: bool = False


def key(type: Type, name: str = "", *, default: Any = MISSING) -> Any:
    """A dataclass field that is a key of a record (`name`, else the field's own name).

    It is required if it has no default.
    """
    return field(default=default, metadata={"type": type, "name": name})


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(key, field))
def record(model: type[T]) -> type[T]:
    """Make a dataclass a record: its fields made by `key` are the table."""
    return dataclass(frozen=True, slots=True, kw_only=True)(model)


class Record:
    """The keys of a record.

    Args:
        name, doc: its name and description in the schemas.
        model: the class of a record; values that equal its defaults are not written.
        parts: the fields; an inner record, whose keys stand among them, with its attribute.
    """

    def __init__(
        self, name: str, doc: str, model: type, *parts: "Field | tuple[str, Record]"
    ) -> None:
        self.name, self.doc, self.model, self.parts = name, doc, model, parts
        self.fields: list[Field] = []
        for part in parts:
            self.fields += part[1].fields if isinstance(part, tuple) else [part]
        self.keys = frozenset(field.key for field in self.fields)

    @cached_property
    def _defaults(self) -> dict[str, Any]:
        return {field.name: field.default for field in fields(self.model)}

    @classmethod
    def of(cls, model: type) -> "Record":
        """The record whose table a dataclass is."""
        keys = (
            Field(
                field.metadata["name"] or field.name,
                field.metadata["type"],
                field.name,
                field.default is MISSING,
            )
            for field in fields(model)
            if field.metadata
        )
        return cls(model.__name__, model.__doc__ or "", model, *keys)

    def read(self, raw: Any, place: str = "") -> Any:
        """The model of a record; BadRecord, with the place, for a missing or wrong value."""
        return self.model(**self.values(object_in(raw, place), place))

    def read_all(self, raw: Any, place: str = "") -> tuple[Any, ...]:
        entries = enumerate(list_in(raw, place))
        return tuple(self.read(entry, f"{place}/{number}") for number, entry in entries)

    def write_all(self, values: Iterable[Any]) -> list[dict[str, Any]]:
        return [self.write(value) for value in values]

    def values(self, entry: Mapping[str, Any], place: str) -> dict[str, Any]:
        """The attributes of the model that a record has."""
        attributes = {}
        for part in self.parts:
            if isinstance(part, tuple):
                name, record = part
                if not record.keys.isdisjoint(entry):
                    attributes[name] = record.read(entry, place)
            elif part.required or part.key in entry:
                optional = None if part.required else part.type.optional
                try:
                    attributes[part.name] = (optional or part.type.read)(entry.get(part.key))
                except BadRecord as error:
                    raise BadRecord(f"{place}/{part.key}{error}") from error
        return attributes

    def recover(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """The model's attributes, as far as they can be read; required ones may be blank."""
        attributes = {}
        for part in self.fields:
            try:
                if part.required or part.key in entry:
                    attributes[part.name] = part.type.read(entry.get(part.key))
            except BadRecord:
                if part.required:
                    attributes[part.name] = part.type.blank
        return attributes

    def write(self, value: Any, over: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """A record without the keys that have no value; unknown keys of `over` stay."""
        entry: dict[str, Any] = {}
        for part in self.parts:
            if isinstance(part, tuple):
                name, record = part
                inner = getattr(value, name)
                entry |= record.write(inner) if inner is not None else {}
                continue
            attribute = getattr(value, part.name)
            if part.always or attribute != self._defaults.get(part.name, ()):
                entry[part.key] = part.type.write(attribute)
        return {
            **entry,
            **{key: value for key, value in (over or {}).items() if key not in self.keys},
        }


class OneLine(dict[str, Any]):
    """A record that only programs read: where it is new in a JSON text, all of it shares a line."""


def object_in(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadRecord(f"{place} is not an object")
    return value


def list_in(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadRecord(f"{place} is not a list")
    return value


def text(raw: Any) -> str:
    if not isinstance(raw, str):
        raise BadRecord(" is missing or not a text")
    return raw


def text_or_none(raw: Any) -> str | None:
    if raw is not None and not isinstance(raw, str):
        raise BadRecord(" is not a text")
    return raw


def _ulid(raw: Any) -> str:
    if not is_ulid(text(raw)):
        raise BadRecord(" is not a ULID")
    return str(raw)


def _number(raw: Any) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int):
        raise BadRecord(" is not a whole number")
    return raw


def _time(raw: Any) -> datetime:
    if (at := read_stamp(raw)) is None:
        raise BadRecord(" is not a time")
    return at


def _flag(raw: Any) -> bool:
    if not isinstance(raw, bool):
        raise BadRecord(" is neither true nor false")
    return raw


def _words(raw: Any) -> tuple[str, ...]:
    words = list_in(raw, "")
    if not all(isinstance(word, str) for word in words):
        raise BadRecord(" is not a list of texts")
    return tuple(words)


ULID = Type("Ulid", _ulid, optional=text_or_none)
WORD = Type("Word", text, optional=text_or_none)
TEXT = Type("Text", text, optional=text_or_none)
TIME = Type("Time", _time, stamp, read_stamp)
NUMBER = Type("Number", _number, int, blank=0)
FLAG = Type("Flag", _flag, bool, blank=False)
WORDS = Type("Words", _words, list)
TEXTS = Type("Texts", _words, list)
SET = Type("Set", lambda raw: frozenset(_words(raw)), sorted)
