"""Work items' web addresses, in every form that a browser shows them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, unquote, urlsplit

if TYPE_CHECKING:
    from urllib.parse import SplitResult

_CLOUD = "dev.azure.com"
# One label: Microsoft's other services are further down.
_OLD_CLOUD = re.compile(r"([a-z0-9-]+)\.visualstudio\.com", re.IGNORECASE)
_HUB = re.compile(r"_[a-z]+", re.IGNORECASE)
_EDIT = re.compile(r"_(?:workitems|queries)/edit/(\d{1,10})", re.IGNORECASE)
_ID = re.compile(r"\d{1,10}")


@dataclass(frozen=True, slots=True)
class Place:
    """An organization or collection, spelled so that two addresses of it are equal."""

    origin: str
    path: tuple[str, ...]

    @property
    def name(self) -> str:
        """What people call it: the last word of its address."""
        return self.path[-1] if self.path else self.origin.partition("://")[2]


@dataclass(frozen=True, slots=True)
class Address:
    """What a work item's address says.

    Args:
        place: the organization or collection that it is in.
        project: the project's name, or None where the address leaves it out.
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
    return Place(_origin(parts), tuple(_segments(parts)))


def web_address(web_url: str, project: str, item: str) -> str:
    """The address under which people open the item."""
    return f"{web_url}/{quote(project, safe='')}/_workitems/edit/{item}"


def parse(url: str, known: Place) -> Address | None:
    """What a pasted address points to; None if it is no work item's.

    Args:
        url: the address.
        known: the configured organization; elsewhere, what stands before the project is taken for
            the organization.
    """
    parts = _split(url)
    if parts is None:
        return None
    segments = _segments(parts)
    hub = next((n for n, segment in enumerate(segments) if _HUB.fullmatch(segment)), len(segments))
    item = _item("/".join(segments[hub:]), parts.query)
    if item is None:
        return None
    origin, before = _origin(parts), segments[:hub]
    ours = len(known.path)
    if origin == known.origin and _same(before[:ours], known.path):
        return Address(known, before[ours] if before[ours:] else None, item)
    return Address(Place(origin, tuple(before[:1])), "/".join(before[1:]) or None, item)


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url.strip())
        _ = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or parts.username is not None or not parts.hostname:
        return None
    return parts


def _item(rest: str, query: str) -> str | None:
    edit = _EDIT.fullmatch(rest)
    if edit:
        return str(int(edit[1]))
    # Boards, backlogs and sprints lay an item over themselves; `_workitems?id=` is the oldest form.
    names = ("id", "workitem") if rest.lower() == "_workitems" else ("workitem",)
    values = {key.lower(): value for key, value in parse_qs(query).items()}
    found = next((values[name][0] for name in names if name in values), "")
    return str(int(found)) if rest and _ID.fullmatch(found) else None


def _origin(parts: SplitResult) -> str:
    host = _host(parts)
    if _OLD_CLOUD.fullmatch(host):
        return f"https://{_CLOUD}"
    port = parts.port
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, usual) else "")


def _segments(parts: SplitResult) -> list[str]:
    host = _host(parts)
    segments = [unquote(segment) for segment in parts.path.split("/") if segment]
    old = _OLD_CLOUD.fullmatch(host)
    if old is None:
        return segments
    if segments and segments[0].lower() == "defaultcollection":
        segments = segments[1:]
    return [old[1], *segments]


def _host(parts: SplitResult) -> str:
    return (parts.hostname or "").rstrip(".")


def _same(left: list[str], right: tuple[str, ...]) -> bool:
    return [word.casefold() for word in left] == [word.casefold() for word in right]
