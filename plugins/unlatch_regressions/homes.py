"""Where a project's repository is: there, a number alone means an alert or an item."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.patterns import pattern
from unlatch.project.git.run import ask_git

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace

# https://github.com/octo/widgets.git, git@github.com:octo/widgets, and with ssh:// before it.
_REMOTE = pattern(
    r"(?:\w+://)?(?:[^@/\s]+@)?(?P<host>[\w.-]+(?::[0-9]+(?=/))?)[:/](?P<path>[^\s:]+)"
)


def addresses_of(root: Path, workspace: Workspace, trackers: Trackers) -> Iterator[str]:
    """Addresses within the repository: of its remote, and of an item of each tracker."""
    match = _REMOTE.fullmatch(ask_git(root, "remote", "get-url", "origin") or "")
    if match:
        path = match["path"].rstrip("/").removesuffix(".git").strip("/")
        yield f"https://{match['host']}/{path}/-"
    for name in workspace.settings:
        with suppress(UnlatchError):  # items of this tracker have no place of their own
            yield trackers.settings(name).locate("1", None).url
