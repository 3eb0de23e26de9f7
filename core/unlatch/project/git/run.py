"""Running git. Every git command of unlatch starts here.

The user's own git configuration and environment count. Two things do not: what a repository brings
along, and programs that a command has no need of.

- Hooks, file system monitors, pagers, editors, external diffs and text conversions never run.
- Questions (`ask_git`, `run_git`) read commits, references and configuration. They take no locks,
  use no network, and never compare the work tree, so no filter of .gitattributes runs.
- `WorkingGit` (see `working_git`) publishes, and only when the command line asks for it. Filters,
  merge drivers, signing, credential helpers and ssh count then, as they do for `git push`.
- A folder that looks like a bare repository inside a checkout is no repository: it may have been
  committed, with a configuration that names programs.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from unlatch.worklog.programs import Finished, find_program, run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SECONDS = 5.0
_MOST_BYTES = 256_000_000
# What git's merge-file exits with at most when it merged; above that it failed.
_MOST_CONFLICTS = 127
_SETTINGS = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    # No work that goes on in the background, and none in repositories below this one.
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("push.recurseSubmodules", "no"),
    # As `_lies_in_bare_repository`, known to git 2.38 and later.
    ("safe.bareRepository", "explicit"),
)
# What git prints is read by a program, and no one is there to answer it.
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": ":",
    "GIT_SEQUENCE_EDITOR": ":",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
# A partial clone would fetch what it lacks; GIT_NO_LAZY_FETCH is younger than git 2.44.
_READING = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}


class NoGit(OSError):
    """git is not installed, or the folder is not one to run it in."""


def ask_git(root: Path, *arguments: str) -> str | None:
    """What git prints, without surrounding space; None if it is not there or has no answer."""
    answer = _read(root, arguments)
    return (answer and answer.out.decode("utf-8", "replace").strip()) or None


def run_git(root: Path, *arguments: str) -> bytes | None:
    """What git prints, byte for byte; None if it is not there or failed."""
    answer = _read(root, arguments)
    return answer.out if answer is not None and answer.code == 0 else None


def merge_file(root: Path, ours: Path, base: Path, theirs: Path) -> int | None:
    """Let git merge three files as text, into `ours`.

    Returns:
        How many conflicts it marked; None if it could not merge them.
    """
    labels = (part for label in ("ours", "base", "theirs") for part in ("-L", label))
    answer = _read(root, ("merge-file", "--quiet", *labels, str(ours), str(base), str(theirs)))
    if answer is None or not 0 <= answer.code <= _MOST_CONFLICTS:
        return None
    return answer.code


def start_git(
    folder: Path,
    *arguments: str,
    environ: Mapping[str, str],
    seconds: float,
    settings: tuple[tuple[str, str], ...] = (),
    fed: bytes = b"",
) -> Finished:
    """Run git.

    Args:
        folder: where it runs.
        environ: variables beside the user's own.
        seconds: the time that it may take.
        settings: configuration for this command alone.
        fed: its standard input.

    Raises:
        NoGit: git cannot be run here.
        OSError: git could not be started, took too long or printed too much.
    """
    git = find_program("git", apart=folder)
    if git is None or _lies_in_bare_repository(folder):
        raise NoGit("git is not installed, or this is no git repository")
    given = (part for name, value in (*_SETTINGS, *settings) for part in ("-c", f"{name}={value}"))
    whole = {**os.environ, **_QUIET, **environ}
    whole.pop("GIT_EXTERNAL_DIFF", None)
    return run(
        [git, "--no-pager", *given, *arguments],
        cwd=folder,
        environ=whole,
        seconds=seconds,
        most=_MOST_BYTES,
        fed=fed,
    )


def _read(root: Path, arguments: tuple[str, ...]) -> Finished | None:
    try:
        return start_git(root, *arguments, environ=_READING, seconds=_SECONDS)
    except OSError:
        return None


def _lies_in_bare_repository(folder: Path) -> bool:
    """Whether git would take a folder for a repository that is not kept in `.git`."""
    if "GIT_DIR" in os.environ:
        return False
    here = folder.absolute()
    for place in (here, *here.parents):
        if os.path.lexists(place / ".git"):
            return False
        if os.path.lexists(place / "HEAD") and (
            (place / "objects").exists() or (place / "commondir").exists()
        ):
            return True
    return False
