"""Where things are, below `api_url`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from unlatch.spi import ItemRef

USER = "/user"
GRAPHQL = "/graphql"


def repository_path(target: str, *parts: str) -> str:
    """Where a repository is, or a part of it; a name in `parts` may hold any character."""
    return "/".join((f"/repos/{target}", *map(partial(quote, safe=""), parts)))


def issue_path(ref: ItemRef, *parts: str) -> str:
    """Where an issue is, or a part of it."""
    return repository_path(ref.target, "issues", ref.id, *parts)


def graphql_url(api_url: str) -> str:
    """Where GraphQL is asked; beside REST's version, not below it."""
    return f"{api_url.removesuffix('/v3')}{GRAPHQL}"
