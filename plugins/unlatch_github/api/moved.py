"""Issues and repositories that were transferred or renamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import Moved, NotFound, Rejected, TrackerError
from unlatch_github import is_alone
from unlatch_github.api import paths
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
        hint=f'in [trackers.github], set repository = "{name}"',
    )


class Renames:
    """Repositories that their owner renamed, each with its new name.

    GitHub redirects their issues like transferred ones, and redirects no write.

    Args:
        get: reads a path below `api_url`.
    """

    def __init__(self, settings: GithubSettings, get: Callable[[str], Any]) -> None:
        self._settings, self._get = settings, get
        self._names: dict[str, str] = {}

    def place(self, target: str) -> str:
        """The name of a repository now, as far as it is known."""
        return self._names.get(target.casefold(), target)

    def ref(self, ref: ItemRef) -> ItemRef:
        """An issue in the repository's place."""
        name = self.place(ref.target)
        if name == ref.target:
            return ref
        return self._settings.ref(name, int(ref.id), kind="pull" if is_alone(ref.url) else "issues")

    def find(self, target: str) -> str | None:
        """The name that a repository was renamed to, also by another owner."""
        try:
            self._get(paths.repository_path(target))
        except Elsewhere as elsewhere:
            answer = follow_redirect(elsewhere, self._get)
            return answer.get("full_name") if isinstance(answer, dict) else None
        except TrackerError:
            return None
        return None

    def learn(self, target: str, name: str) -> bool:
        """Whether a repository was renamed to `name` by its owner.

        With another owner it may be another person's, so it is not followed.
        """
        if not _have_same_owner(target, name):
            return False
        if name != self.place(target) and name != self.find(target):
            return False
        self._names[target.casefold()] = name
        return True

    def follow(self, target: str) -> bool:
        """Whether its owner renamed a repository; then its new name is known."""
        name = self.find(target)
        if name is None or not _have_same_owner(target, name):
            return False
        self._names[target.casefold()] = name
        return True

    def home_of(self, target: str) -> str | None:
        """The configured repository of the same owner that a repository was renamed to.

        GitHub is asked only if there is one of this owner.
        """
        homes = [home for home in self._settings.targets if _have_same_owner(target, home)]
        if not homes or not self.follow(target):
            return None
        name = self.place(target).casefold()
        return next((home for home in homes if home.casefold() == name), None)


def _have_same_owner(target: str, other: str) -> bool:
    return target.partition("/")[0].casefold() == other.partition("/")[0].casefold()
