"""Issues and repositories that were transferred or renamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import Moved, NotFound, Rejected, TrackerError
from unlatch_github.api.error_table import Elsewhere

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.spi import ItemRef
    from unlatch_github.settings import GithubSettings

# An issue may have been transferred to a repository that was renamed later.
_LONGEST_CHAIN = 3


def follow_redirect(elsewhere: Elsewhere, get: Callable[[str], Any]) -> Any:
    """The answer at the new place; None if unreadable.

    Args:
        get: reads a path below `api_url`.
    """
    for _ in range(_LONGEST_CHAIN):
        if elsewhere.path is None:
            return None
        try:
            return get(elsewhere.path)
        except Elsewhere as further:
            elsewhere = further
        except TrackerError:
            return None
    return None


def moved(settings: GithubSettings, ref: ItemRef, target: str, number: int) -> Moved:
    """The error that names the new place of an issue."""
    to = settings.ref(target, number)
    error = Moved(
        "item-moved",
        f"the issue was moved to {settings.name(to)}",
        to=to.url,
        where=settings.name(ref),
        hint="repeat with --follow to update the link, or link it again",
    )
    error.remedy = "--follow"
    return error


def not_visible(elsewhere: Elsewhere) -> NotFound:
    """The error for an unreadable new place, with the name from the redirect."""
    return NotFound(
        "item-moved",
        elsewhere.message,
        where=elsewhere.where,
        hint=elsewhere.hint,
        status=elsewhere.status,
    )


def renamed(target: str, name: str) -> Rejected:
    """The error that names a renamed repository."""
    return Rejected(
        "repository-moved",
        f"the repository was renamed to {name}; nothing was written",
        where=target,
        hint=f'write "{name}" in [trackers.github]',
    )
