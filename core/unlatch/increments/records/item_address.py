"""The ids and addresses of items: every spelling in metadata.json, and the same for comparisons.

It names trackers because each has pages, APIs and older hosts that show the same item.
"""

import re
from functools import lru_cache

from unlatch.increments.model.link import Link
from unlatch.patterns import pattern

# The end of an issue's address on GitHub; SpecWeave names an issue without its host, too. Pull
# requests are numbered with the issues.
_ISSUE = pattern(r"(?:.*/)?([^/]+/[^/]+)/(?:issues|pull)/0*([1-9][0-9]*)")
# Without a scheme, only a point or a port tells a host from an owner.
_GITHUB_HOST = pattern(
    r"(?:(?:[a-z+]+:)?//(?:[^/@]*@)?|(?=[^/]*[.:]))(?:api\.|www\.)?([^/]+?)(?::(?:80|443))?(?:/|$)"
)
_WORK_ITEM = pattern(r"(?:(?:workitems|queries)/edit|apis/wit/workitems)/0*([1-9][0-9]*)")
_OLD_CLOUD = pattern(r"\A([a-z0-9-]+)\.visualstudio\.com(?:/defaultcollection(?=/))?")
_TICKET = pattern(r"/(?:browse|issues)/([a-z][a-z0-9_]*-[0-9]+)$")
_SITE_END = pattern(r"(?:/jira)?/(?:browse|issues|projects|secure|software|core|servicedesk)/")
NUMBER = pattern(r"[0-9]{1,18}")
_WORD = pattern(r"[\w-]+")
_KEY = r"[A-Z][A-Z0-9_]*-[0-9]+"
# The ids under an item's own keys: numbers from 1, with or without their container, and keys.
_NUMBERED = pattern(r"(?:([^\s/#]+/[^\s/#]+)#)?(?!0+$)([0-9]{1,18})")
_IDS = {"github": _NUMBERED, "ado": _NUMBERED, "jira": pattern(rf"()({_KEY})", re.IGNORECASE)}
# An item that is a plain value, and the address of one.
_PLAIN = {"github": NUMBER, "ado": NUMBER, "jira": pattern(_KEY, re.IGNORECASE)}
TRACKERS = (*_PLAIN,)
# Only in front of a query or fragment: elsewhere each of many "/issues/" would be tried.
_START, _END = r"[^?#\n]*", r"/?(?:[?#].*)?"
_URL = {
    "github": pattern(rf"{_START}/issues/([0-9]{{1,18}}){_END}"),
    "ado": pattern(rf"(?i:{_START}/(?:_workitems/edit|_apis/wit/workitems))/([0-9]{{1,18}}){_END}"),
    "jira": pattern(rf"(?i:{_START}/browse/({_KEY}){_END})"),
}


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
    return len({_host(url) for url in urls} - {""}) > 1


def _host(url: str) -> str:
    """The host of a GitHub's pages, also from an address of its API; empty without a host."""
    match = _GITHUB_HOST.match(url.strip().casefold())
    return match[1] if match else ""


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


def item_in(value: object, tracker: str) -> str | None:
    """The id in a value; None for any other word, such as TBD."""
    named = named_in(value, tracker)
    return named[1] if named else None


def named_in(value: object, tracker: str) -> tuple[str | None, str] | None:
    """The container (octo/widgets) and the id that a value names, a number in one spelling."""
    if not (text := _text(value)) or tracker not in _IDS:
        return (None, text) if text else None
    match = _IDS[tracker].fullmatch(text)
    return (match[1] or None, match[2].lstrip("0")) if match else None


def _text(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    return str(value).strip().removeprefix("#") or None


def plain_item(value: object, tracker: str, url: str | None) -> tuple[str, str | None] | None:
    """The id in a plain number, key or address, and its address: the value itself, or `url`."""
    text = _text(value)
    if text is None or tracker not in _PLAIN:
        return None
    if match := _URL[tracker].fullmatch(text):
        text, url = match[1], text
    elif not is_plain(text, tracker):
        return None
    if (item := item_in(text, tracker)) is None:
        return None
    return item, url if url and is_at(url, item) else None


def is_plain(text: str, tracker: str) -> bool:
    """Whether a text is a number or a key alone."""
    return _PLAIN[tracker].fullmatch(text) is not None


def is_at(url: str, item: str) -> bool:
    """Whether an address contains an item's Jira key or number as a whole word."""
    # Most addresses end with the number, and this check is quick.
    if item.isalnum() and item[0] != "0" and url.endswith(f"/{item}"):
        return True
    return item.casefold() in (word.lstrip("0") for word in _WORD.findall(url.casefold()))
