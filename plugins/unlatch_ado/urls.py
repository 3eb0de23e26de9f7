"""Web addresses of work items, as browsers show them, and the settings that they stand for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from unlatch.errors import UsageError
from unlatch.patterns import pattern
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

_CLOUD = "dev.azure.com"
# One label: Microsoft's other services have more.
_OLD_CLOUD = pattern(r"([a-z0-9-]+)\.visualstudio\.com", re.IGNORECASE)
_HUB = pattern(r"_[a-z]+", re.IGNORECASE)
_EDIT = pattern(r"_(?:(?:workitems|queries)/edit|apis/wit/workitems)/(\d{1,10})", re.IGNORECASE)
# API addresses name the project by its id.
_GUID = pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ID = pattern(r"\d{1,10}")
# As unlatch names work items: "fabrikam/widgets 101".
_KEY = pattern(r"(?P<organization>[^/\s]+)/(?P<project>[^/#]+) (?P<number>[0-9]+)")


@dataclass(frozen=True, slots=True)
class Place:
    """An organization or collection in one spelling, for comparisons."""

    origin: str
    path: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its name: the last word of its address."""
        return self.path[-1] if self.path else self.origin.partition("://")[2]


@dataclass(frozen=True, slots=True)
class Address:
    """The parts of a work item's address.

    Args:
        place: its organization or collection.
        project: the project's name; None if the address omits it.
        item: the item's number.
    """

    place: Place
    project: str | None
    item: str


def place_of(url: str) -> Place:
    """The organization or collection at `url`.

    `https://fabrikam.visualstudio.com` (with or without DefaultCollection) is the older name of
    `https://dev.azure.com/fabrikam`; both are served, and links to both are about:
    https://learn.microsoft.com/azure/devops/release-notes/2018/sep-10-azure-devops-launch
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    path = list(map(unquote, filter(None, parts.path.split("/"))))
    old = _OLD_CLOUD.fullmatch(host)
    if old:
        below = path[1:] if path and path[0].lower() == "defaultcollection" else path
        return Place(f"https://{_CLOUD}", (old[1], *below))
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    port = "" if parts.port in (None, usual) else f":{parts.port}"
    return Place(f"{parts.scheme}://{host}{port}", tuple(path))


def parse(url: str, home: Place) -> Address | None:
    """Parse a pasted address; None if it is not a work item's.

    Args:
        url: the address.
        home: the configured organization; for others, the part before the project is the
            organization.
    """
    try:
        parts, whole = urlsplit(url.strip()), place_of(url.strip())
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or parts.username is not None or not parts.hostname:
        return None
    hubs = (n for n, segment in enumerate(whole.path) if _HUB.fullmatch(segment))
    hub = next(hubs, len(whole.path))
    item = _item("/".join(whole.path[hub:]), parts.query)
    if item is None:
        return None
    before, ours = whole.path[:hub], len(home.path)
    theirs = map(str.casefold, before[:ours])
    if whole.origin == home.origin and [*theirs] == [*map(str.casefold, home.path)]:
        project = before[ours] if before[ours:] and not _GUID.fullmatch(before[ours]) else None
        return Address(home, project, item)
    return Address(Place(whole.origin, before[:1]), "/".join(before[1:]) or None, item)


def _item(rest: str, query: str) -> str | None:
    edit = _EDIT.fullmatch(rest)
    if edit:
        return str(int(edit[1]))
    # Boards, backlogs and sprints show an item in a dialog; `_workitems?id=` is the oldest form.
    names = ("id", "workitem") if rest.lower() == "_workitems" else ("workitem",)
    values = {key.lower(): value for key, value in parse_qs(query).items()}
    number = next((values[name][0] for name in names if name in values), "")
    return str(int(number)) if rest and _ID.fullmatch(number) else None


def settings_for(word: str, _environ: Mapping[str, str]) -> dict[str, Any] | None:
    """The settings outside of a project, for an address or for "fabrikam/widgets 101"."""
    if match := _KEY.fullmatch(word):
        url = f"https://{_CLOUD}/{match['organization']}"
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
