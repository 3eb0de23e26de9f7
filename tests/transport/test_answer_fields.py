"""Reading the fields of an answer: values, nulls, and the place of an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from unlatch.transport.answer_fields import (
    Misread,
    each,
    flag,
    optional,
    required,
    table,
    text,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("read", "value"),
    [(text, ""), (whole, 0), (flag, False), (table, {}), (each(text), [])],
)
def test_a_field_may_be_empty(read: Callable[[Any], object], value: object) -> None:
    assert required({"a": value}, "a", read) == (() if value == [] else value)
    assert optional({"a": value}, "a", read) is not None


@pytest.mark.parametrize("raw", [{}, {"a": None}])
def test_null_counts_as_missing(raw: dict[str, Any]) -> None:
    assert optional(raw, "a", text) is None
    with pytest.raises(Misread, match=r"^at a: is missing$"):
        required(raw, "a", text)


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (text, 7, "a string"),
        (whole, "7", "a whole number"),
        (flag, 1, "true or false"),
        (table, [], "an object"),
        (each(text), {"b": 1}, "a list"),
    ],
)
def test_another_type_is_refused(
    read: Callable[[Any], object], value: object, message: str
) -> None:
    for field in (required, optional):
        with pytest.raises(Misread, match=f"^at a: expected {message}$"):
            field({"a": value}, "a", read)
    with pytest.raises(Misread, match=f"^at its top: expected {message}$"):
        read(value)


def test_an_error_names_the_whole_place() -> None:
    def named(value: Any) -> str:
        return required(table(value), "name", text)

    entries = [{"name": "x"}, {"name": False}]
    with pytest.raises(Misread, match=r"^at fields\.labels\.1\.name: expected a string$"):
        required({"fields": {"labels": entries}}, "fields", lambda one: _labels(one, named))


def _labels(fields: Any, read: Callable[[Any], str]) -> tuple[str, ...]:
    return required(fields, "labels", each(read))
