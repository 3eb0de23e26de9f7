"""Records of metadata.json: one table of keys each, for reader, writer, schema and `--json`.

The schemas' types are made from the same tables, by whoever loads pydantic (`contracts.py`).
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

from unlatch.worklog.ids import is_ulid
from unlatch.worklog.times import read_stamp, stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime


T = TypeVar("T")


class BadRecord(ValueError):
    """A record that does not hold what it must; the message names place and problem."""


@dataclass(frozen=True, slots=True)
class Type:
    """A type of values.

    Args:
        name: how the schemas call it (`contracts.TYPES`).
        read: makes a value of what JSON holds; raises BadRecord with the problem alone.
        write: makes JSON of a value.
        optional: the same as `read` for a key that may be left out, where that may be anything.
        blank: stands for a value that cannot be read, where a record is recovered.
    """

    name: str
    read: Callable[[Any], Any]
    write: Callable[[Any], Any] = str
    optional: Callable[[Any], Any] | None = None
    blank: Any = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a record.

    Args:
        key: as the file has it.
        type: the type of its value.
        name: the model's attribute that holds it.
        required: whether a record always has it.
        always: whether it is written with its default, too.
    """

    key: str
    type: Type
    name: str
    required: bool = False
    always: bool = False


def key(type: Type, name: str = "", *, default: Any = MISSING) -> Any:
    """A dataclass field that is a key of a record; required where it has no default.

    Args:
        type: the type of its value.
        name: as the file has it, where that is not the field's name.
    """
    return field(default=default, metadata={"type": type, "name": name})


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(key, field))
def record(model: type[T]) -> type[T]:
    """A dataclass that is a record: its fields made by `key` are the table."""
    return dataclass(frozen=True, slots=True, kw_only=True)(model)


class Record:
    """The keys of a record.

    Args:
        name: how the schemas call it.
        doc: what it is.
        model: what a record is in the program; its defaults are what is not written.
        parts: the fields, and records whose keys stand among these, each with the attribute of the
            model that holds it.
        make: makes the model from its attributes, where the model does not do so itself.
    """

    def __init__(
        self,
        name: str,
        doc: str,
        model: type,
        *parts: Field | tuple[str, Record],
        make: Callable[..., Any] | None = None,
    ) -> None:
        self.name, self.doc, self.parts = name, doc, parts
        self.make: Callable[..., Any] = make or model
        self.fields: list[Field] = []
        for part in parts:
            self.fields += part[1].fields if isinstance(part, tuple) else [part]
        self.keys = frozenset(field.key for field in self.fields)
        self._defaults = {field.name: field.default for field in fields(model)}

    @classmethod
    def of(cls, model: type) -> Record:
        """The record whose table a dataclass is."""
        keys = (
            Field(
                one.metadata["name"] or one.name,
                one.metadata["type"],
                one.name,
                one.default is MISSING,
            )
            for one in fields(model)
            if one.metadata
        )
        return cls(model.__name__, model.__doc__ or "", model, *keys)

    def read(self, raw: Any, place: str = "") -> Any:
        """The model of a record.

        Args:
            place: where the record stands, for the error.

        Raises:
            BadRecord: it lacks something, or holds what it may not.
        """
        return self.make(**self.values(object_in(raw, place), place))

    def read_all(self, raw: Any, place: str = "") -> tuple[Any, ...]:
        """The models of a list of records.

        Raises:
            BadRecord: it is no list, or as `read`.
        """
        entries = enumerate(list_in(raw, place))
        return tuple(self.read(entry, f"{place}/{number}") for number, entry in entries)

    def values(self, entry: Mapping[str, Any], place: str) -> dict[str, Any]:
        """The model's attributes that a record has.

        Raises:
            BadRecord: as `read`.
        """
        found = {}
        for part in self.parts:
            if isinstance(part, tuple):
                name, record = part
                if not record.keys.isdisjoint(entry):
                    found[name] = record.read(entry, place)
            elif part.required or part.key in entry:
                optional = None if part.required else part.type.optional
                try:
                    found[part.name] = (optional or part.type.read)(entry.get(part.key))
                except BadRecord as error:
                    raise BadRecord(f"{place}/{part.key}{error}") from error
        return found

    def recover(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """The model's attributes, as far as they can be read; required ones may be blank."""
        found = {}
        for one in self.fields:
            try:
                if one.required or one.key in entry:
                    found[one.name] = one.type.read(entry.get(one.key))
            except BadRecord:
                if one.required:
                    found[one.name] = one.type.blank
        return found

    def write(self, value: Any, over: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """A record: keys without a value are left out.

        Args:
            over: what it stands in place of; keys of that which are not in the table stay.
        """
        entry: dict[str, Any] = {}
        for part in self.parts:
            if isinstance(part, tuple):
                name, record = part
                inner = getattr(value, name)
                entry |= record.write(inner) if inner is not None else {}
                continue
            one = getattr(value, part.name)
            if part.always or one != self._defaults.get(part.name, ()):
                entry[part.key] = part.type.write(one)
        return {**entry, **{key: one for key, one in (over or {}).items() if key not in self.keys}}


def object_in(value: Any, place: str) -> dict[str, Any]:
    """An object."""
    if not isinstance(value, dict):
        raise BadRecord(f"{place} is not an object")
    return value


def list_in(value: Any, place: str) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise BadRecord(f"{place} is not a list")
    return value


def text(raw: Any) -> str:
    """A text that has to be there."""
    if not isinstance(raw, str):
        raise BadRecord(" is missing or not a text")
    return raw


def text_or_none(raw: Any) -> str | None:
    """A text, or None."""
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


def _set(raw: Any) -> frozenset[str]:
    return frozenset(_words(raw))


ULID = Type("Ulid", _ulid, optional=text_or_none)
WORD = Type("Word", text, optional=text_or_none)
TEXT = Type("Text", text, optional=text_or_none)
TIME = Type("Time", _time, stamp, read_stamp)
NUMBER = Type("Number", _number, int)
FLAG = Type("Flag", _flag, bool, blank=False)
WORDS = Type("Words", _words, list)
TEXTS = Type("Texts", _words, list)
SET = Type("Set", _set, sorted)
