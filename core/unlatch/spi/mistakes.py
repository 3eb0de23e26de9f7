"""What is wrong with a value, in the words of its author, not of the library that checked it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_NUMBER, _WHOLE, _TRUTH = "expected a number", "expected a whole number", "expected true or false"
_LIST, _TABLE, _TIME = "expected {a_list}", "expected {a_table}", "expected a time"
# By pydantic's names of mistakes: https://docs.pydantic.dev/latest/errors/validation_errors/
_WORDS = MappingProxyType(
    {
        "missing": "is missing",
        "extra_forbidden": "unknown field",
        "bool_parsing": _TRUTH,
        "bool_type": _TRUTH,
        "int_parsing": _WHOLE,
        "int_parsing_size": _WHOLE,
        "int_type": _WHOLE,
        "int_from_float": _WHOLE,
        "float_parsing": _NUMBER,
        "float_type": _NUMBER,
        "finite_number": _NUMBER,
        "string_type": "expected a string",
        "datetime_type": _TIME,
        "datetime_parsing": _TIME,
        "datetime_from_date_parsing": _TIME,
        "list_type": _LIST,
        "tuple_type": _LIST,
        "set_type": _LIST,
        "frozen_set_type": _LIST,
        "dict_type": _TABLE,
        "model_type": _TABLE,
        "model_attributes_type": _TABLE,
        "greater_than_equal": "expected {ge} or more",
        "greater_than": "expected more than {gt}",
        "less_than_equal": "expected {le} or less",
        "less_than": "expected less than {lt}",
        "string_too_long": "expected at most {max_length} characters",
        "too_long": "expected at most {max_length} entries",
        "string_too_short": "expected {min_length} characters or more",
        "too_short": "expected {min_length} entries or more",
        "enum": "expected {expected}",
        "literal_error": "expected {expected}",
        "string_pattern_mismatch": "expected a string that matches {pattern}",
        "json_invalid": "invalid JSON: {error}",
    }
)


def mistake_of(
    detail: Mapping[str, Any], *, a_list: str = "a list", a_table: str = "an object"
) -> str:
    """What is wrong with a value, without its place.

    Args:
        detail: a mistake as pydantic's `ValidationError.errors()` lists it.
        a_list: what the format calls a list of what is expected there.
        a_table: what the format calls a mapping.
    """
    words = _WORDS.get(detail["type"])
    if words is None:
        return str(detail["msg"]).removeprefix("Value error, ")
    context = {key: _written(value) for key, value in detail.get("ctx", {}).items()}
    if context.get("min_length") == "1":
        return "must not be empty"
    return words.format(a_list=a_list, a_table=a_table, **context)


def _written(value: object) -> str:
    """A value as TOML and JSON write it: 60 for 60.0, and strings in double quotes."""
    return f"{value:g}" if isinstance(value, float) else str(value).replace("'", '"')
