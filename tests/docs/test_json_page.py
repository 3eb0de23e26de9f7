"""docs/json.md explains every key of every document, and no other."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/json.md").read_text(encoding="utf-8")
SCHEMAS = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "schemas").glob("*.schema.json"))
}
FILES = {"metadata", "event", "config", "user-config", "proposed-tasks"}
# Explained once for all documents.
EVERYWHERE = {"schema", "exitCode"}


def sections() -> dict[str, str]:
    parts = re.split(r"^### (.+)$", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def explained(section: str) -> set[str]:
    """The keys of a section's table; a row that links to a part has the part's keys too."""
    keys: set[str] = set()
    for key, meaning in re.findall(r"^\| `([^`]+)` \| (.+) \|$", section, flags=re.MULTILINE):
        keys.add(key)
        for anchor in re.findall(r"\]\(#([\w-]+)\)", meaning):
            keys |= {f"{key}.{inner}" for inner in explained(part(anchor))}
    return keys


def part(anchor: str) -> str:
    by_anchor = {title.lower().replace(" ", "-"): text for title, text in sections().items()}
    return by_anchor[anchor]


def keys_of(schema: dict[str, Any]) -> set[str]:
    return set(_keys(schema, schema.get("$defs", {}), ""))


def _keys(node: dict[str, Any], defs: dict[str, Any], place: str) -> Iterator[str]:
    if "$ref" in node:
        node = defs[node["$ref"].rpartition("/")[2]]
    for option in node.get("anyOf", ()):
        yield from _keys(option, defs, place)
    if node.get("type") == "array":
        yield f"{place}[]"
        yield from _keys(node["items"], defs, f"{place}[]")
    for name, inner in node.get("properties", {}).items():
        key = f"{place}.{name}" if place else name
        if {"array"} != {inner.get("type")}:
            yield key
        yield from _keys(inner, defs, key)


@pytest.mark.parametrize("name", sorted(SCHEMAS.keys() - FILES))
def test_every_key_of_a_document_is_explained_and_no_other(name: str) -> None:
    title = "`list`" if name == "list" else f"`unlatch.{name}/1`"
    found = [text for heading, text in sections().items() if title in heading]

    assert len(found) == 1
    assert keys_of(SCHEMAS[name]) - EVERYWHERE == explained(found[0])


def test_every_schema_of_a_file_is_mentioned() -> None:
    assert sorted(name for name in FILES if f"`{name}.schema.json`" not in PAGE) == []
    assert SCHEMAS.keys() >= FILES


def test_no_section_is_about_an_unknown_document() -> None:
    named = re.findall(r"`unlatch\.([a-z-]+)/1`", "\n".join(sections()))

    assert sorted(SCHEMAS.keys() - FILES - {"list"}) == sorted(named)
