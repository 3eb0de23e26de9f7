"""Who is at work."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

from unlatch.engine.git import ask_git

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# What CI systems call the person whose push or click began the job.
_CI_ACTORS = ("GITHUB_ACTOR", "BUILD_REQUESTEDFOR", "GITLAB_USER_LOGIN")


def who(given: str | None, *, environ: Mapping[str, str], root: Path) -> str:
    """The name for the audit entry: as given, else CI's actor, git's user, or the system's."""
    actors = (environ.get(name, "") for name in _CI_ACTORS)
    name = (
        given
        or next(filter(None, actors), None)
        or ask_git(root, "config", "--get", "user.name")
        or _system_user()
    )
    return " ".join(name.split())


def _system_user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
