"""The ids of items, in every spelling found in the values of metadata.json."""

from __future__ import annotations

import re

from unlatch.patterns import pattern

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
