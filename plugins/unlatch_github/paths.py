"""Where things are, below `api_url`."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from unlatch.spi import ItemRef

USER = "/user"
GRAPHQL = "/graphql"


def repository_path(target: str) -> str:
    """Where a repository is."""
    return f"/repos/{target}"


def issues_path(target: str) -> str:
    """Where its issues are."""
    return f"{repository_path(target)}/issues"


def milestones_path(target: str) -> str:
    """Where its milestones are."""
    return f"{repository_path(target)}/milestones"


def permission_path(target: str, login: str) -> str:
    """Where an account's permission for it is."""
    return f"{repository_path(target)}/collaborators/{quote(login, safe='')}/permission"


def comment_path(target: str, comment: str) -> str:
    """Where one of its comments is, of whatever issue."""
    return f"{issues_path(target)}/comments/{comment}"


def issue_path(ref: ItemRef) -> str:
    """Where an issue is."""
    return f"{issues_path(ref.target)}/{ref.id}"


def assignees_path(ref: ItemRef) -> str:
    """Where those are whom it is assigned to."""
    return f"{issue_path(ref)}/assignees"


def comments_path(ref: ItemRef) -> str:
    """Where its comments are."""
    return f"{issue_path(ref)}/comments"


def labels_path(ref: ItemRef) -> str:
    """Where its labels are."""
    return f"{issue_path(ref)}/labels"


def label_path(ref: ItemRef, name: str) -> str:
    """Where one of its labels is."""
    return f"{labels_path(ref)}/{quote(name, safe='')}"


def graphql_url(api_url: str) -> str:
    """Where GraphQL is asked; beside REST's version, not below it."""
    return f"{api_url.removesuffix('/v3')}{GRAPHQL}"
