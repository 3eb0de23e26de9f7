"""The address of a link's item in one spelling, for comparisons.

It names trackers because each has pages, APIs and older hosts that show the same item.
"""

from functools import lru_cache

from unlatch.increments.model.increment import Link
from unlatch.patterns import pattern

# The end of an issue's address on GitHub; SpecWeave names an issue without its host, too. Pull
# requests are numbered with the issues.
_ISSUE = pattern(r"(?:.*/)?([^/]+/[^/]+)/(?:issues|pull)/0*([1-9][0-9]*)")
_WORK_ITEM = pattern(r"(?:(?:workitems|queries)/edit|apis/wit/workitems)/0*([1-9][0-9]*)")
_OLD_CLOUD = pattern(r"\A([a-z0-9-]+)\.visualstudio\.com(?:/defaultcollection(?=/))?")
_TICKET = pattern(r"/(?:browse|issues)/([a-z][a-z0-9_]*-[0-9]+)$")
_SITE_END = pattern(r"(?:/jira)?/(?:browse|issues|projects|secure|software|core|servicedesk)/")


def address_of(link: Link) -> str | None:
    """The address of a link's item in one spelling, or None if its place is unknown."""
    if not link.url:
        is_placed = link.tracker == "github" and link.name != link.item
        return link.name.casefold() if is_placed else None
    if parts := _item_of(link.tracker, link.url):
        return "#".join(parts)
    path, query = _parts(link.url)
    # Some addresses name their item in the query alone.
    return path if path.endswith(f"/{link.item.casefold()}") or not query else f"{path}?{query}"


def on_other_host(first: Link, other: Link) -> bool:
    """Whether two links name issues on different hosts of GitHub, which `address_of` leaves out."""
    urls = [link.url for link in (first, other) if link.tracker == "github" and link.url]
    return len({_host(url) for url in urls}) > 1


def _host(url: str) -> str:
    """The host of a GitHub's pages, also from an address of its API."""
    return _parts(url)[0].partition("/")[0].removeprefix("api.").removeprefix("www.")


def item_at(tracker: str, url: str) -> str | None:
    """The item at an address, in lower case; None for an unknown form."""
    parts = _item_of(tracker, url)
    return parts[1] if parts else None


@lru_cache  # reading links asks twice in a row
def _item_of(tracker: str, url: str) -> tuple[str, str] | None:
    """The place and the item at an address; None for an unknown form."""
    return _READERS[tracker](*_parts(url)) if tracker in _READERS else None


def _parts(url: str) -> tuple[str, str]:
    """The host and path of an address in lower case, and its query."""
    from urllib.parse import unquote  # noqa: PLC0415  (deferred; few increments have links)

    address = url.strip().partition("#")[0].casefold()
    path, _, query = (address.partition("://")[2] or address).partition("?")
    return unquote(path).rstrip("/"), query


def _issue(path: str, _query: str) -> tuple[str, str] | None:
    match = _ISSUE.fullmatch(path)
    return (match[1], match[2]) if match else None


def _work_item(path: str, query: str) -> tuple[str, str] | None:
    """Numbers of work items are unique in an organization, across its projects."""
    before, _, page = _OLD_CLOUD.sub(r"dev.azure.com/\1", path, count=1).partition("/_")
    host, *names = before.split("/")
    place = [host, *names[: 2 if names[:1] == ["tfs"] else 1]]
    match = _WORK_ITEM.fullmatch(page)
    item = match[1] if match else _shown(query, "workitem", "id")
    return ("/".join(place), item) if item else None


def _ticket(path: str, query: str) -> tuple[str, str] | None:
    match = _TICKET.search(path)
    item = match[1] if match else _shown(query, "selectedissue")
    end = _SITE_END.search(f"{path}/")
    return (path[: end.start()], item) if end and item else None


def _shown(query: str, *names: str) -> str | None:
    """The item that a page, such as a board, shows in a dialog."""
    from urllib.parse import parse_qsl  # noqa: PLC0415  (as above)

    values = dict(parse_qsl(query))
    return next((values[name] for name in names if name in values), None)


_READERS = {"github": _issue, "ado": _work_item, "jira": _ticket}
