"""Paths below `api_url`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from unlatch.spi import ItemRef

USER = "/user"
GRAPHQL = "/graphql"
# Comments on the code of pull requests have ids of their own.
REVIEW = "r"


def repository_path(target: str, *parts: str) -> str:
    """The path of a repository, or of a part of it; names in `parts` may have any character.

    PyGithub leaves the slash in a label to remove (findings/pygithub-label-slash.sh).
    """
    return "/".join((f"/repos/{target}", *map(partial(quote, safe=""), parts)))


def issue_path(ref: ItemRef, *parts: str) -> str:
    """The path of an issue, or of a part of it."""
    return repository_path(ref.target, "issues", ref.id, *parts)


def comment_path(target: str, comment: str, *parts: str) -> str:
    """The path of a comment, or of a part of it; the id of one on code begins with REVIEW."""
    kind = "pulls" if comment.startswith(REVIEW) else "issues"
    return repository_path(target, kind, "comments", comment.removeprefix(REVIEW), *parts)


def membership_path(target: str, team: str, login: str) -> str:
    """The path of an account's place in a team of a repository's organization."""
    names = (target.partition("/")[0], "teams", team, "memberships", login)
    return "/".join(("/orgs", *map(partial(quote, safe=""), names)))


def graphql_url(api_url: str) -> str:
    """The address of GraphQL; beside REST's version, not below it."""
    return f"{api_url.removesuffix('/v3')}{GRAPHQL}"
