"""Run git. Every git command of unlatch starts in `start_git`.

The user's own git configuration and environment apply. What a repository's configuration names
does not start: `_OFF` and `_COMMANDS` are the list (docs/security.md).

- `ask_git` and `run_git` read commits, references and configuration. They take no locks, use no
  network, and never compare the work tree, so no filter of .gitattributes runs.
- `project.git.working` changes a checkout and talks to its remote, with rules of its own.
- A folder that looks like a bare repository inside a checkout is ignored: it may have been
  committed, with a configuration that names programs.
"""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from unlatch.patterns import pattern
from unlatch.values import dataclass
from unlatch.worklog.disk.system import foreign_owner
from unlatch.worklog.disk.user_files import is_allowed_project
from unlatch.worklog.programs import Finished, run
from unlatch.worklog.search_path import find_program

_READING_SECONDS = 5.0
_MOST_BYTES = 256_000_000
# The highest exit code of git's merge-file after a merge; above that it failed.
_MOST_CONFLICTS = 127
_NO_DIFF = ("--no-ext-diff", "--no-textconv")
# The commands that read, with the options that keep each from starting a program.
_COMMANDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "cat-file": (),
        "check-attr": (),
        "config": (),
        "diff-tree": _NO_DIFF,
        "for-each-ref": (),
        "log": ("--no-show-signature", *_NO_DIFF),
        "ls-files": (),
        "ls-tree": (),
        "merge-base": (),
        "merge-file": (),
        "remote": (),
        "rev-list": (),
        "rev-parse": (),
        "symbolic-ref": (),
        "worktree": (),
    }
)
# They ask for a driver of .gitattributes, or for a signature to be checked.
_STARTING = frozenset(
    ("--ext-diff", "--filters", "--modified", "--show-signature", "--textconv", "-m")
)
Settings = tuple[tuple[str, str], ...]
HOOKS_OFF = ("core.hooksPath", os.devnull)
# Nothing uses them, or git's own work does that no command asked for.
UNUSED: Settings = (
    ("core.fsmonitor", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("push.recurseSubmodules", "no"),
    # As `lies_in_bare_repository`, known to git 2.38 and later.
    ("safe.bareRepository", "explicit"),
)
# Programs that could run in a command that reads: a device cannot be started.
_OFF: Settings = (
    *UNUSED,
    HOOKS_OFF,
    ("log.showSignature", "false"),
    *(
        (name, os.devnull)
        for name in (
            *("gpg.program", "gpg.openpgp.program", "gpg.x509.program", "gpg.ssh.program"),
            *("core.alternateRefsCommand", "core.askPass", "core.sshCommand"),
        )
    ),
    ("credential.helper", ""),
)
# Output for a program, without prompts.
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": ":",
    "GIT_SEQUENCE_EDITOR": ":",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
_CREDENTIALS = pattern(r"(?<=://)[^/@\s]*@")
_WORD = pattern(r"\S+")
# These work outside of a repository, too.
_ANYWHERE = ("config", "merge-file")
# A partial clone would fetch missing objects; git knows GIT_NO_LAZY_FETCH since 2.44.
OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
_READING = {**OFFLINE, "GIT_OPTIONAL_LOCKS": "0"}


def without_credentials(text: str) -> str:
    """A text of git without the users and passwords in its addresses."""
    return _WORD.sub(_without_user, _CREDENTIALS.sub("", text))


def _without_user(word: re.Match[str]) -> str:
    """A word without the password of an address that has signs of its own unescaped."""
    scheme, separator, rest = word[0].partition("://")
    user, _, place = rest.rpartition("@")
    return f"{scheme}{separator}{place}" if ":" in user or "/" not in user else word[0]


class NoGit(OSError):
    """git is not installed, or must not run in the folder."""


def has_git(root: Path) -> bool:
    """Whether git is installed, outside of a project."""
    return find_git(root) is not None


def find_git(apart: Path) -> str | None:
    """The path of git, outside of a folder; None if it is not installed."""
    return find_program("git", apart=apart)


def ask_git(root: Path, *arguments: str) -> str | None:
    """The output of git, stripped; None if git is missing or prints nothing."""
    answer = _read(root, arguments)
    return (answer and answer.out.decode("utf-8", "replace").strip()) or None


def run_git(
    root: Path, *arguments: str, fed: bytes = b"", seconds: float = _READING_SECONDS
) -> bytes | None:
    """The output of git for an input, byte for byte; None if git is missing or failed.

    Args:
        seconds: how long it may take.
    """
    answer = _read(root, arguments, fed, seconds)
    return answer.out if answer is not None and answer.code == 0 else None


def git_complaint(root: Path) -> tuple[str, str]:
    """Why git cannot use the repository of a folder, and the command that git advises, or ""."""
    answer = _read(root, ("rev-parse", "--git-dir"))
    if answer is None:
        return "it cannot be started there", ""
    result = GitResult(answer.code, b"", answer.err.decode("utf-8", "replace"))
    lines = (line.strip() for line in result.errors.splitlines())
    advice = next((line for line in lines if line.startswith("git config --global --add")), "")
    return result.complaint.removeprefix("fatal: "), advice


def merge_file(root: Path, ours: Path, base: Path, theirs: Path) -> int | None:
    """Merge three files as text into `ours`; the number of conflicts marked, None on failure."""
    labels = (part for label in ("ours", "base", "theirs") for part in ("-L", label))
    answer = _read(root, ("merge-file", "--quiet", *labels, str(ours), str(base), str(theirs)))
    return answer.code if answer is not None and 0 <= answer.code <= _MOST_CONFLICTS else None


@dataclass(frozen=True, slots=True)
class GitResult:
    """The result of a git command; `errors` is its standard error without credentials."""

    code: int
    out: bytes
    errors: str

    @property
    def is_done(self) -> bool:
        return self.code == 0

    @property
    def line(self) -> str:
        return os.fsdecode(self.out).strip()

    @property
    def complaint(self) -> str:
        """The message of git for a failure."""
        lines = [line.strip() for line in self.errors.splitlines() if line.strip()]
        # Advice follows the error.
        errors = [line for line in lines if line.startswith(("fatal:", "error:", "remote:"))]
        return "; ".join(errors[:2] or lines[-1:]) or f"exit code {self.code}"


def start_git(
    folder: Path,
    arguments: Sequence[str],
    *,
    settings: Settings,
    environ: Mapping[str, str],
    seconds: float,
    fed: bytes = b"",
) -> Finished:
    """Run git in a folder.

    Args:
        settings: git configuration for this command.
        environ: variables beside those of this process.
        fed: its standard input.

    Raises:
        NoGit: it is not installed, or must not run there.
        OSError: it cannot run, took too long or printed too much.
    """
    git = find_git(folder)
    if git is None or lies_in_bare_repository(folder):
        raise NoGit("git is not installed, or this is not a git repository")
    whole_settings = (*settings, *_safe_directory(folder))
    given = (part for name, value in whole_settings for part in ("-c", f"{name}={value}"))
    whole = {**os.environ, **_QUIET, **environ}
    whole.pop("GIT_EXTERNAL_DIFF", None)
    argv = [git, "--no-pager", *given, *_with_options(arguments)]
    return run(argv, cwd=folder, environ=whole, seconds=seconds, most=_MOST_BYTES, fed=fed)


def _safe_directory(folder: Path) -> Settings:
    """Git's exception for a checkout of another account that the user allows unlatch to use."""
    here = folder.resolve()
    for top in (here, *here.parents):
        if os.path.lexists(top / ".git"):
            is_exception = foreign_owner(top) is not None and is_allowed_project(top)
            return (("safe.directory", str(top)),) if is_exception else ()
    return ()


def command_of(arguments: Sequence[str]) -> str:
    """The command among the arguments of git, after git's own options."""
    return next(word for word in arguments if not word.startswith("-"))


def _with_options(arguments: Sequence[str]) -> list[str]:
    command = command_of(arguments)
    at = arguments.index(command) + 1
    return [*arguments[:at], *_COMMANDS.get(command, ()), *arguments[at:]]


def _read(
    root: Path,
    arguments: tuple[str, ...],
    fed: bytes = b"",
    seconds: float = _READING_SECONDS,
) -> Finished | None:
    command = command_of(arguments)
    if command not in _COMMANDS or not _STARTING.isdisjoint(arguments):
        raise ValueError(f"git {' '.join(arguments)} is no command that reads")
    if command not in _ANYWHERE and not has_repository(root):
        return None
    with suppress(OSError):
        return start_git(
            root,
            arguments,
            settings=_OFF,
            environ=_READING,
            seconds=seconds,
            fed=fed,
        )
    return None


def has_repository(folder: Path) -> bool:
    """Whether git would find a repository that is not a bare one."""
    here = folder.resolve()
    places = (here, *here.parents)
    return "GIT_DIR" in os.environ or any(os.path.lexists(parent / ".git") for parent in places)


def lies_in_bare_repository(folder: Path) -> bool:
    """Whether git would read a folder as a repository without `.git`."""
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
