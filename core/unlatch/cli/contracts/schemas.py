"""JSON Schemas of the documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.contracts.documents import DOCUMENTS
from unlatch.increments.files.schemas import schema_of

if TYPE_CHECKING:
    from unlatch.increments.files.schemas import Schema


def document_schemas() -> dict[str, Schema]:
    """The schemas of all documents, by their names."""
    return {name: _schema(name) for name in DOCUMENTS}


def _schema(name: str) -> Schema:
    made = schema_of(DOCUMENTS[name], name=name, title=f"unlatch.{name}/1")
    if "schema" in made.get("properties", {}):  # the document of `list` is an array
        made["properties"]["schema"] = {"const": f"unlatch.{name}/1"}
    return made
