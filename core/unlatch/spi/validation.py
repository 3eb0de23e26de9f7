"""Messages about invalid values, in the terms of their author rather than of pydantic."""

from collections.abc import Mapping, Sequence
from typing import Any

from unlatch.patterns import pattern

# Also where the scheme or the slashes are missing.
_WITH_USER = pattern(r"(?:[^/?#@]*//)?[^/?#]*@")

# By pydantic's names of mistakes: https://docs.pydantic.dev/latest/errors/validation_errors/
_MESSAGES = {
    "missing": "is missing",
    "extra_forbidden": "unknown field",
    "string_type": "expected a string",
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
# By the beginnings of the names that concern one type.
_TYPES = (
    ("bool_", "expected true or false"),
    ("int_", "expected a whole number"),
    (("float_", "finite_number"), "expected a number"),
    ("datetime_", "expected a time"),
    (("list_type", "tuple_type", "set_type", "frozen_set_type"), "expected {a_list}"),
    (("dict_type", "model_"), "expected {a_table}"),
)


def validation_message(
    detail: Mapping[str, Any], *, a_list: str = "a list", a_table: str = "an object"
) -> str:
    """The message for an invalid value, without its place.

    `detail` is a mistake from pydantic's `ValidationError.errors()`; `a_list` and `a_table` are the
    format's names for a list of the expected values, and for a mapping.
    """
    kind = detail["type"]
    of_type = (message for prefix, message in _TYPES if kind.startswith(prefix))
    message = _MESSAGES.get(kind) or next(of_type, None)
    if message is None:
        return str(detail["msg"]).removeprefix("Value error, ")
    context = {key: _written(value) for key, value in detail.get("ctx", {}).items()}
    if context.get("min_length") == "1":
        return "must not be empty"
    return message.format(a_list=a_list, a_table=a_table, **context)


def first_problem(details: Sequence[Mapping[str, Any]]) -> str:
    """The message for the first of pydantic's mistakes, with its place."""
    place = ".".join(map(str, details[0]["loc"]))
    message = validation_message(details[0])
    return f"{place}: {message}" if place else message


def _written(value: object) -> str:
    """A value in TOML and JSON: 60 for 60.0, and strings in double quotes."""
    return f"{value:g}" if isinstance(value, float) else str(value).replace("'", '"')


def web_address(raw: str) -> str:
    """The web address in a setting: http or https and a host, without a slash at its end.

    Raises:
        ValueError: it is none; the message does not repeat a password.
    """
    url = raw.strip()
    if _WITH_USER.match(url):
        raise ValueError("the address must not hold a user name or a password")
    from urllib.parse import urlsplit  # noqa: PLC0415  (slow to load)

    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValueError(f"{raw!r} is not a web address") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError(f"{raw!r} is not a web address: it must begin with https:// and a host")
    if parts.query or parts.fragment:
        raise ValueError(f"{raw!r} must not have a query or a fragment")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"
