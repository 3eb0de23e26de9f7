"""Paths below `api_url`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from unlatch.spi import ItemRef

USER = "/user"
GRAPHQL = "/graphql"


def repository_path(target: str, *parts: str) -> str:
    """The path of a repository, or of a part of it; names in `parts` may have any character.

    PyGithub leaves the slash in a label to remove (findings/pygithub-label-slash.sh).
    """
    return "/".join((f"/repos/{target}", *map(partial(quote, safe=""), parts)))


def issue_path(ref: ItemRef, *parts: str) -> str:
    """The path of an issue, or of a part of it."""
    return repository_path(ref.target, "issues", ref.id, *parts)


def graphql_url(api_url: str) -> str:
    """The address of GraphQL; beside REST's version, not below it."""
    return f"{api_url.removesuffix('/v3')}{GRAPHQL}"
