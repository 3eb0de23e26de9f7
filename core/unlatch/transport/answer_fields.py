"""Read the fields of an answer; pydantic would compile a class for each kind of answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_T = TypeVar("_T")


class Misread(ValueError):
    """A part of an answer is missing or of another type: the message, then its place, reversed."""

    def __str__(self) -> str:
        message, *place = self.args
        return f"at {'.'.join(reversed(place)) or 'its top'}: {message}"


def required(raw: Mapping[str, Any], name: str, read: Callable[[Any], _T]) -> _T:
    """A field; null counts as missing."""
    if raw.get(name) is None:
        raise Misread("is missing", name)
    return _at(name, read, raw[name])


def optional(raw: Mapping[str, Any], name: str, read: Callable[[Any], _T]) -> _T | None:
    """A field; None if it is null or missing."""
    return None if raw.get(name) is None else _at(name, read, raw[name])


def each(read: Callable[[Any], _T]) -> Callable[[Any], tuple[_T, ...]]:
    """A reader of lists that reads each entry with `read`."""
    items = _of(list, "a list")
    return lambda value: tuple(_at(str(n), read, one) for n, one in enumerate(items(value)))


def _at(place: str, read: Callable[[Any], _T], value: Any) -> _T:
    try:
        return read(value)
    except Misread as error:
        error.args = (*error.args, place)
        raise


def _of(kind: type[_T], name: str) -> Callable[[Any], _T]:
    def read(value: Any) -> _T:
        if isinstance(value, kind):
            return value
        raise Misread(f"expected {name}")

    return read


text, whole, flag = _of(str, "a string"), _of(int, "a whole number"), _of(bool, "true or false")
table: Callable[[Any], dict[str, Any]] = _of(dict, "an object")
