"""The user's name for audit entries."""

import os
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

from unlatch.errors import UsageError
from unlatch.increments.records.status_events import Signature
from unlatch.worklog.text.neutral import without_controls, without_surrogates

LONGEST_NAME = 200
# The variables of CI systems for the person whose push or click started the job.
_CI_ACTORS = ("GITHUB_ACTOR", "BUILD_REQUESTEDFOR", "GITLAB_USER_LOGIN")
# It takes precedence over user.name: while git replays a commit, the author is another person.
_COMMITTER = "GIT_COMMITTER_NAME"


def user_name(
    given: str | None, *, environ: Mapping[str, str], root: Path
) -> tuple[Signature, bool]:
    """The given name (UsageError `name-too-long`), else from CI, git, or the system's user.

    Returns:
        The name, and whether it is only the system's user name.
    """
    ask_git_name = cache(partial(git_name, root))
    if name := _tidy(given or ""):
        if len(name) <= LONGEST_NAME:
            return Signature(name, is_declared=True, ask_git=ask_git_name), False
        message = f"the name has {len(name):,} characters; at most {LONGEST_NAME} are kept"
        raise UsageError("name-too-long", message, hint="use --by NAME for another name")
    given_names = (environ.get(name, "") for name in (*_CI_ACTORS, _COMMITTER))
    name_found = next(filter(None, map(_tidy, given_names)), "")
    name_found = name_found or ask_git_name() or ""
    is_known = bool(name_found)
    with suppress(OSError, KeyError):
        if not name_found:
            from getpass import getuser  # noqa: PLC0415  (slow to load)

            name_found = getuser()
    # Not typed for this command, so it is cut instead of refused.
    name = (name_found or "unknown")[:LONGEST_NAME]
    return Signature(name, is_declared=False, ask_git=ask_git_name), not is_known


def git_name(root: Path) -> str | None:
    """The user's name in git's configuration; None if it has none."""
    from unlatch.project.git.run import ask_git  # noqa: PLC0415  (slow to load)

    asked = ("config", "--get", "user.name")
    # Where .git names a repository that is gone, git reads no configuration by itself.
    answer = ask_git(root, *asked) or ask_git(root, f"--git-dir={os.devnull}", *asked)
    return _tidy(answer or "")[:LONGEST_NAME] or None


def _tidy(name: str) -> str:
    return " ".join(without_surrogates(without_controls(name)).split())
