"""The fields of records in metadata.json, each of the type that it has to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.domain.ids import is_ulid

if TYPE_CHECKING:
    from collections.abc import Mapping


class BadRecord(ValueError):
    """A record that does not hold what it must; the message names place and problem."""


def list_at(data: Mapping[str, Any], key: str, *, place: str = "") -> list[Any]:
    """A list; an empty one where the key is absent."""
    value = data.get(key, [])
    if not isinstance(value, list):
        raise BadRecord(f"{place}/{key} is not a list")
    return value


def object_in(value: Any, place: str) -> dict[str, Any]:
    """An object."""
    if not isinstance(value, dict):
        raise BadRecord(f"{place} is not an object")
    return value


def ulid_at(entry: Any, key: str, place: str) -> str:
    """A ULID."""
    value = text_at(entry, key, place)
    if not is_ulid(value):
        raise BadRecord(f"{place}/{key} is not a ULID")
    return value


def number_at(entry: Mapping[str, Any], key: str, place: str) -> int:
    """A whole number."""
    value = entry.get(key)
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadRecord(f"{place}/{key} is not a whole number")
    return value


def text_at(entry: Any, key: str, place: str) -> str:
    """A text that has to be there."""
    value = entry.get(key) if isinstance(entry, dict) else None
    if not isinstance(value, str):
        raise BadRecord(f"{place}/{key} is missing or not a text")
    return value


def one_of(entry: Mapping[str, Any], key: str, place: str, known: tuple[str, ...]) -> str | None:
    """One of some words, or None."""
    value = optional_at(entry, key, place)
    if value is not None and value not in known:
        raise BadRecord(f"{place}/{key} is {value!r}, which this version does not know")
    return value


def words_at(entry: Mapping[str, Any], key: str, place: str) -> tuple[str, ...]:
    """A list of texts."""
    words = list_at(entry, key, place=place)
    if not all(isinstance(word, str) for word in words):
        raise BadRecord(f"{place}/{key} is not a list of texts")
    return tuple(words)


def optional_at(entry: Mapping[str, Any], key: str, place: str) -> str | None:
    """A text, or None."""
    value = entry.get(key)
    if value is not None and not isinstance(value, str):
        raise BadRecord(f"{place}/{key} is not a text")
    return value
