"""Each key of a document has a meaning in its schema, and docs/json.md lists the document's."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/json.md").read_text(encoding="utf-8")
ROWS = {
    name: keys
    for names, keys in re.findall(r"^- ([^:]+):(.*)$", PAGE, flags=re.MULTILINE)
    for name in re.findall(r"`([\w-]+)`", names)
}
SCHEMAS = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "schemas").glob("*.schema.json"))
}
FILES = {"metadata", "event", "config", "user-config", "plan", "proposed-tasks", "fleet"}
# Explained once for all documents.
EVERYWHERE = {"schema", "exitCode"}


def objects(name: str) -> Iterator[dict[str, Any]]:
    """The keys of the document, and of each object in it."""
    schema = SCHEMAS[name]
    for node in (schema, *schema.get("$defs", {}).values()):
        yield node.get("properties", {})


@pytest.mark.parametrize("name", sorted(SCHEMAS.keys() - FILES))
def test_every_key_of_a_document_has_a_meaning_and_is_listed(name: str) -> None:
    assert name in ROWS
    listed = {key.rstrip("[]?") for key in re.findall(r"`([^`]+)`", ROWS[name])}
    assert listed == SCHEMAS[name].get("properties", {}).keys() - EVERYWHERE
    for keys in objects(name):
        assert [key for key, value in keys.items() if not value.get("description")] == []


def test_every_schema_of_a_file_is_mentioned() -> None:
    assert sorted(name for name in FILES if f"`{name}`" not in PAGE) == []
    assert SCHEMAS.keys() >= FILES
