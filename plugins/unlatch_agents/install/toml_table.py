"""A table of ours in a TOML text: at its end, so that it takes no key of the user.

Everything else has to mean the same afterwards; both texts are parsed and compared.
"""

from __future__ import annotations

import json
import tomllib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from unlatch.worklog.text.parsing import load_toml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_agents.install.catalog import Keys

_Table = dict[str, Any]


def with_table(text: str, keys: Keys, old: _Table | None, new: _Table | None) -> str:
    """The text with a table added, replaced or removed.

    Args:
        old: its content now; None: it is missing.
        new: its content afterwards; None: it is removed.

    Raises:
        ValueError: anything else would change.
    """
    for attempt in _attempts(text, keys, old, new):
        if _is_right(text, attempt, keys, new):
            return attempt
    raise ValueError(f"other settings would change with the table {'.'.join(keys)}")


def _attempts(text: str, keys: Keys, old: _Table | None, new: _Table | None) -> Iterator[str]:
    """The texts to try; all but the last keep every other byte."""
    end = "\r\n" if "\r\n" in text else "\n"
    if old is None:
        added = _lines(keys, new or {}, end)
        if not text:
            yield f"{added}{end}"
        elif text.endswith("\n"):
            yield f"{text}{end}{added}{end}"
        else:  # and so it is known at removal
            yield f"{text}{end}{end}{added}"
    elif new is None:
        there = _lines(keys, old, end)
        yield text.replace(f"{end}{end}{there}{end}", end, 1)
        yield text.removesuffix(f"{end}{end}{there}")
        yield text.replace(f"{there}{end}", "", 1)
    else:
        yield text.replace(_lines(keys, old, end), _lines(keys, new, end), 1)
    yield _restyled(text, keys, new)


def _is_right(text: str, attempt: str, keys: Keys, new: _Table | None) -> bool:
    """Whether the table is in a text, and everything else means the same."""
    with suppress(ValueError):
        return _rest(text, keys) == _rest(attempt, keys) and _at(attempt, keys) == new
    return False


def _lines(keys: Keys, table: _Table, end: str) -> str:
    # Texts and lists of texts are written alike in JSON and TOML.
    values = (f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in table.items())
    return end.join((f"[{'.'.join(keys)}]", *values))


def _restyled(text: str, keys: Keys, new: _Table | None) -> str:
    """As tomlkit writes it: for inline tables, and for what was written in another way."""
    import tomlkit  # noqa: PLC0415  (slow to load, and rarely needed)
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415  (as above)

    with suppress(TOMLKitError, ValueError, LookupError, TypeError):
        document = tomlkit.parse(text)
        parent: Any = document
        for key in keys[:-1]:
            parent = parent[key]
        if new is None:
            del parent[keys[-1]]
        else:
            parent[keys[-1]] = new
        return tomlkit.dumps(document)
    return text


def _rest(text: str, keys: Keys) -> _Table:
    """All but a value, and the tables that are empty without it."""
    document = tomllib.loads(text, parse_float=str)  # NaN equals nothing
    for end in range(len(keys), 0, -1):
        parent: Any = document
        for key in keys[: end - 1]:
            parent = parent.get(key, {})
        if end == len(keys) or parent.get(keys[end - 1]) == {}:
            parent.pop(keys[end - 1], None)
    return document


def _at(text: str, keys: Keys) -> Any:
    value: Any = load_toml(text)
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
