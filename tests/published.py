"""Example answers in the official descriptions of the trackers' APIs, which UNLATCH_SPECS names."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from unlatch.errors import TrackerError

Json = dict[str, Any]
# Operations as "GET /path" with the reader of an answer.
Readers = dict[str, "Callable[[Any], object]"]
SPECS = os.environ.get("UNLATCH_SPECS")
_UNREAD = (TrackerError, ValidationError, AttributeError, KeyError, TypeError, ValueError)


def description(name: str) -> Json:
    """An official description; Microsoft's begins with a byte order mark."""
    document: Json = json.loads((Path(SPECS or "") / name).read_text("utf-8-sig"))
    return document


def published(document: Json, operation: str) -> Iterator[tuple[str, Any]]:
    """The example answers of an operation, each with its name."""
    method, _, path = operation.partition(" ")
    described = document["paths"][path][method.lower()]
    for status, answer in described["responses"].items():
        for content in answer.get("content", {}).values():
            for name, example in _examples(document, content):
                yield f"{operation} {status} {name}".strip(), example
    for name, reference in described.get("x-ms-examples", {}).items():
        file = Path(SPECS or "") / reference["$ref"]
        if file.exists():
            for status, answer in json.loads(file.read_text("utf-8-sig"))["responses"].items():
                yield f"{operation} {status} {name}".strip(), answer.get("body")


def _examples(document: Json, content: Json) -> Iterator[tuple[str, Any]]:
    if "example" in content:
        example = content["example"]
        # Atlassian writes most of them as text.
        yield "", json.loads(example) if isinstance(example, str) else example
    for name, one in content.get("examples", {}).items():
        yield name, _value(document, one)


def _value(document: Json, example: Json) -> Any:
    """The value of an example; the example, or its value, may be a reference."""
    value = example.get("value", example)
    reference = value.get("$ref") if isinstance(value, dict) else None
    if reference is None:
        return value
    return document["components"]["examples"][reference.rpartition("/")[2]]["value"]


def unread(document: Json, readers: Readers) -> tuple[int, Mapping[str, str]]:
    """How many example answers there are, and those that a reader refuses, with its reason."""
    refused: dict[str, str] = {}
    found = [
        (name, example, read)
        for operation, read in readers.items()
        for name, example in published(document, operation)
    ]
    for name, example, read in found:
        try:
            read(example)
        except _UNREAD as error:
            refused[name] = str(error)
    return len(found), refused
