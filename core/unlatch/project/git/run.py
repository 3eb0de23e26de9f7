"""Run git. Every git command of unlatch starts here.

The user's own git configuration and environment apply. A repository's own programs do not run:

- Hooks, file system monitors, pagers, editors, external diffs and text conversions never run.
- `ask_git` and `run_git` read commits, references and configuration. They take no locks, use no
  network, and never compare the work tree, so no filter of .gitattributes runs.
- `WorkingGit` publishes, only on request of the command line. Filters, merge drivers, signing,
  credential helpers and ssh apply then, as for `git push`. The commits hold only the records of
  increments, so local hooks do not run: one that rejects or reformats them would leave items
  changed without a record. The hooks and the branch protection of the remote apply.
- A folder that looks like a bare repository inside a checkout is ignored: it may have been
  committed, with a configuration that names programs.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from unlatch.errors import UsageError
from unlatch.patterns import pattern
from unlatch.values import dataclass
from unlatch.worklog.programs import Finished, run
from unlatch.worklog.search_path import find_program

_READING_SECONDS = 5.0
_WORKING_SECONDS = 300.0
_MOST_BYTES = 256_000_000
# The highest exit code of git's merge-file after a merge; above that it failed.
_MOST_CONFLICTS = 127
_SETTINGS = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    # No work in the background, and none in repositories below this one.
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("push.recurseSubmodules", "no"),
    # As `lies_in_bare_repository`, known to git 2.38 and later.
    ("safe.bareRepository", "explicit"),
)
# Output for a program, without prompts.
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": ":",
    "GIT_SEQUENCE_EDITOR": ":",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
_SECRET = pattern(r"(?<=://)[^/@\s]*@")
# These work outside of a repository, too.
_ANYWHERE = ("config", "merge-file")
# A partial clone would fetch missing objects; git knows GIT_NO_LAZY_FETCH since 2.44.
_READING = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}


class NoGit(OSError):
    """git is not installed, or must not run in the folder."""


def ask_git(root: Path, *arguments: str) -> str | None:
    """The output of git, stripped; None if git is missing or prints nothing."""
    answer = _read(root, arguments)
    return (answer and answer.out.decode("utf-8", "replace").strip()) or None


def run_git(root: Path, *arguments: str) -> bytes | None:
    """The output of git, byte for byte; None if git is missing or failed."""
    answer = _read(root, arguments)
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


@dataclass(frozen=True, slots=True)
class WorkingGit:
    """git in one checkout, changing it and talking to its remote without prompts."""

    top: Path  # of the checkout
    settings: tuple[tuple[str, str], ...] = ()  # git configuration for these commands only

    def __call__(self, *arguments: str, paths: tuple[str, ...] | None = None) -> GitResult:
        """Run a git command, on literal `paths` from the top if given."""
        if paths is not None:
            from_stdin = ("--pathspec-from-file=-", "--pathspec-file-nul")
            arguments = ("--literal-pathspecs", *arguments, *from_stdin)
        try:
            fed = os.fsencode("\0".join(paths or ()))
            own = (part for name, value in self.settings for part in ("-c", f"{name}={value}"))
            done = _start(self.top, (*own, *arguments), fed, reading=False)
        except NoGit as error:
            raise UsageError("no-git", str(error), hint="install git") from error
        except OSError as error:
            return GitResult(-1, b"", _SECRET.sub("", str(error)))
        return GitResult(done.code, done.out, _SECRET.sub("", done.err.decode("utf-8", "replace")))


def _start(folder: Path, arguments: Sequence[str], fed: bytes = b"", *, reading: bool) -> Finished:
    """Run git in a folder; OSError: it cannot run, took too long or printed too much."""
    git = find_program("git", apart=folder)
    if git is None or lies_in_bare_repository(folder):
        raise NoGit("git is not installed, or this is not a git repository")
    if reading and arguments[0] not in _ANYWHERE and not _has_repository(folder):
        raise NoGit("this is not a git repository")
    given = (part for name, value in _SETTINGS for part in ("-c", f"{name}={value}"))
    whole = {**os.environ, **_QUIET, **(_READING if reading else {})}
    seconds = _READING_SECONDS if reading else _WORKING_SECONDS
    whole.pop("GIT_EXTERNAL_DIFF", None)
    argv = [git, "--no-pager", *given, *arguments]
    return run(argv, cwd=folder, environ=whole, seconds=seconds, most=_MOST_BYTES, fed=fed)


def _read(root: Path, arguments: tuple[str, ...]) -> Finished | None:
    try:
        return _start(root, arguments, reading=True)
    except OSError:
        return None


def _has_repository(folder: Path) -> bool:
    """Whether git would find a repository that is not a bare one."""
    here = folder.resolve()
    places = (here, *here.parents)
    return "GIT_DIR" in os.environ or any(os.path.lexists(one / ".git") for one in places)


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
