"""Each key of a document has a meaning in its schema, and docs/json.md lists it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/json.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `?([\w-]+)`? \| (.+) \|$", PAGE, flags=re.MULTILINE))
SCHEMAS = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "schemas").glob("*.schema.json"))
}
FILES = {"metadata", "event", "config", "user-config", "plan", "proposed-tasks"}
# Explained once for all documents.
EVERYWHERE = {"schema", "exitCode"}


def objects(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The document and the objects in it, by their names, with their keys."""
    schema = SCHEMAS[name]
    for owner, node in [(name, schema), *schema.get("$defs", {}).items()]:
        if "properties" in node:
            yield owner, node["properties"]


@pytest.mark.parametrize("name", sorted(SCHEMAS.keys() - FILES))
def test_every_key_of_a_document_has_a_meaning_and_is_listed(name: str) -> None:
    assert name in ROWS
    for owner, keys in objects(name):
        listed = {key.rstrip("?") for key in re.findall(r"`([^`]+)`", ROWS[owner])}
        assert listed == keys.keys() - EVERYWHERE
        assert [key for key, value in keys.items() if not value.get("description")] == []


def test_every_schema_of_a_file_is_mentioned() -> None:
    assert sorted(name for name in FILES if f"`{name}.schema.json`" not in PAGE) == []
    assert SCHEMAS.keys() >= FILES
