"""The meaning of each key, from meanings.toml, in the schemas of the documents."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILE = Path(__file__).with_name("meanings.toml")
# What several types say of a key.
_SHARED = "any"


class Meanings:
    """Adds the meanings to schemas, and knows those that no schema has used."""

    def __init__(self) -> None:
        self._tables = tomllib.loads(_FILE.read_text(encoding="utf-8"))
        self._used: set[tuple[str, str]] = set()

    def describe(self, name: str, schema: dict[str, Any]) -> None:
        """Give a description to every key of the document `name`, and of the types in it.

        Raises:
            LookupError: a key has no meaning.
        """
        for owner, node in _objects(name, schema):
            for key, value in node.get("properties", {}).items():
                value["description"] = self._meaning(owner, key)

    def unused(self) -> list[str]:
        """The meanings that no schema has, as TABLE.KEY."""
        listed = {(owner, key) for owner, table in self._tables.items() for key in table}
        return sorted(".".join(pair) for pair in listed - self._used)

    def _meaning(self, owner: str, key: str) -> str:
        table = owner if key in self._tables.get(owner, {}) else _SHARED
        if key not in self._tables[table]:
            raise LookupError(f"{_FILE.name}: [{owner}] has no meaning of {key}")
        self._used.add((table, key))
        return str(self._tables[table][key])


def _objects(name: str, schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield name, schema
    yield from schema.get("$defs", {}).items()
