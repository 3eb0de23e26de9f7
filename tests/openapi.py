"""Vendors' descriptions of their APIs, for validating requests and answers."""

import re
from typing import Any

from referencing import Registry
from referencing.jsonschema import DRAFT4

_DOCUMENT = "urn:spec"


def registry_of(document: dict[str, Any]) -> Registry[Any]:
    """Where the references of `absolute` schemas lead."""
    resource = DRAFT4.create_resource(document)
    registry: Registry[Any] = Registry().with_resource(_DOCUMENT, resource)
    return registry


def absolute(schema: Any) -> Any:
    """References at the top lead into the description; below it they are found by themselves.

    A discriminator only repeats oneOf, with references that do not resolve here.
    """
    if isinstance(schema, dict):
        return {
            key: _DOCUMENT + value if key == "$ref" else absolute(value)
            for key, value in schema.items()
            if key != "discriminator"
        }
    return [absolute(one) for one in schema] if isinstance(schema, list) else schema


def resolved(document: dict[str, Any], part: Any) -> Any:
    """A part of a description, or the one that it refers to."""
    if not isinstance(part, dict) or "$ref" not in part:
        return part
    target: Any = document
    for step in part["$ref"].removeprefix("#/").split("/"):
        target = target[step]
    return target


def path_pattern(template: str) -> str:
    """A regular expression for the paths of a template (`/items/{id}`)."""
    parts = re.split(r"(\{[^}]+\})", template)
    return "".join("[^/]+" if part.startswith("{") else re.escape(part) for part in parts)
