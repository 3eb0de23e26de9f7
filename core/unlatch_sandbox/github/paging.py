from __future__ import annotations

from typing import Any, TypeVar
from urllib.parse import urlencode

from flask import request

from unlatch_sandbox.answers import NotKnownError
from unlatch_sandbox.github.guards import addresses

T = TypeVar("T")

PER_PAGE = 30
MOST_PER_PAGE = 100


def _number(name: str, default: int) -> int:
    text = request.args.get(name, str(default))
    if not text.isdigit() or int(text) < 1:
        raise NotKnownError(f"value of {name}", text)
    return int(text)


def page_of(results: list[T]) -> tuple[list[T], dict[str, str]]:
    """One page of results, and the Link header for the others."""
    size = min(_number("per_page", PER_PAGE), MOST_PER_PAGE)
    page = _number("page", 1)
    last = max(1, -(-len(results) // size))
    links = _links(page, last)
    headers = {"Link": ", ".join(f'<{url}>; rel="{rel}"' for rel, url in links.items())}
    return results[(page - 1) * size : page * size], headers if links else {}


def _links(page: int, last: int) -> dict[str, str]:
    links: dict[str, str] = {}
    if page > 1:
        links |= {"prev": _address(page - 1), "first": _address(1)}
    if page < last:
        links |= {"next": _address(page + 1), "last": _address(last)}
    return links


def _address(page: int) -> str:
    query: dict[str, Any] = {**request.args, "page": page}
    return f"{addresses().web}{request.path}?{urlencode(query)}"
