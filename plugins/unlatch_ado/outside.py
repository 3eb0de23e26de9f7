"""The settings for a work item outside of a project, with the token as az has it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unlatch.errors import UsageError
from unlatch_ado.urls import Place, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

_CLOUD = "https://dev.azure.com"
# As unlatch names work items: "fabrikam/widgets 101".
_KEY = re.compile(r"(?P<organization>[^/\s]+)/(?P<project>[^/#]+) (?P<number>[0-9]+)")


def settings_for(word: str, _environ: Mapping[str, str]) -> dict[str, Any] | None:
    """The settings for the work item at an address, or for "fabrikam/widgets 101"."""
    if match := _KEY.fullmatch(word):
        url = f"{_CLOUD}/{match['organization']}"
        return {"organization_url": url, "projects": [match["project"]]}
    if "://" in word and {"_git", "pullrequest"} <= {*word.lower().split("/")}:
        message = "the address is of a pull request, and unlatch changes only work items there"
        hint = "paste the address of the work item that the pull request links"
        raise UsageError("not-a-work-item", message, where=word, hint=hint)
    address = parse(word, Place("", ())) if "://" in word else None
    if address is None or not address.place.path:
        return None
    place, project = address.place, address.project
    if place.path == ("tfs",) and project and "/" in project:
        collection, _, project = project.partition("/")
        place = Place(place.origin, ("tfs", collection))
    if project is None:
        return None
    return {"organization_url": "/".join((place.origin, *place.path)), "projects": [project]}
