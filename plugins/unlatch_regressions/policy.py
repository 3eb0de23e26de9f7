"""The default branch of a checkout, and what its commit lets causes do.

The settings count as that commit has them: the author of a pull request chooses its files, and may
be a stranger.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.cli.runtime.failure import in_job, part
from unlatch.config.choices import Reaction
from unlatch.config.config import parse, validate
from unlatch.config.tables import RegressionsConfig
from unlatch.errors import ConfigError, UsageError
from unlatch.increments.files.paths import HOME
from unlatch.project.git.revisions import DETACHED, HEADS, current_branch
from unlatch.project.git.run import ask_git, run_git
from unlatch.values import dataclass
from unlatch.worklog.disk.safe_open import read_file
from unlatch.worklog.disk.user_files import MAX_EVENT_SIZE, read_user_file
from unlatch.worklog.json_text import load_json

if TYPE_CHECKING:
    from collections.abc import Mapping

_REMOTE = "refs/remotes/origin/"
_CONFIG = f"{HOME}/config.toml"
_MOST_BYTES = 8 << 20
# With the commit of the job in GitHub Actions, Azure Pipelines and GitLab CI.
_BUILT = ("GITHUB_SHA", "BUILD_SOURCEVERSION", "CI_COMMIT_SHA")
_ELSEWHERE = "the policy acts on the default branch alone, and {here} is checked out"
_FORK = "the job is for a pull request from a fork"
_UNNAMED = "nothing names the default branch; --branch does"
_UNTOLD = "it cannot be told which commit of the default branch is checked out"


@dataclass(frozen=True, slots=True)
class DefaultBranch:
    """The default branch, as this clone has it.

    Args:
        commit: the last commit of it.
        head: the commit that is checked out; "" if there is none.
        limit: the strongest reaction to causes in this checkout.
        why: why not a stronger one.
    """

    name: str
    commit: str
    head: str
    limit: Reaction = Reaction.REOPEN
    why: str = ""

    @property
    def tested(self) -> str:
        """The commit that reports are about; "" if that cannot be told."""
        return "" if self.why == _UNTOLD else self.head

    @property
    def is_here(self) -> bool:
        """Whether it is checked out, and by its own job."""
        return self.limit is Reaction.REOPEN

    @property
    def is_fork(self) -> bool:
        """Whether the job is for a pull request from a fork, which nothing is written for."""
        return self.why == _FORK


def find_default_branch(root: Path, environ: Mapping[str, str], named: str | None) -> DefaultBranch:
    """Find the default branch: the named one, else that of the CI system or of the remote.

    Where nothing tells it, it is the branch that is checked out; in a job that one may be any.

    Raises:
        UsageError: `default-branch-unknown`.
    """
    here = current_branch(root, environ)
    head = ask_git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") or ""
    known = named or _default_name(root, environ)
    name = known or here
    commit = head if name and name == here else _find_tip(root, name or "")
    if not name or not commit:
        what = f"this clone has no branch {name}" if name else "nothing is checked out"
        raise UsageError(
            "default-branch-unknown",
            f"{what}, so it cannot be told what was reverted",
            where=str(root),
            hint="fetch it, and name it: --branch NAME",
        )
    limit, why = Reaction.REOPEN, ""
    if in_job(environ) and part("is_fork")(environ):
        limit, why = Reaction.SUGGEST, _FORK
    elif not known and (in_job(environ) or here == DETACHED):
        limit, why = Reaction.SUGGEST, _UNNAMED
    elif name != here:
        limit, why = Reaction.SUGGEST, _ELSEWHERE.format(here=here or "nothing")
    elif in_job(environ) and not _is_built(root, environ, head, f"{_REMOTE}{name}"):
        limit, why = Reaction.SUGGEST, _UNTOLD
    return DefaultBranch(name, commit, head, limit, why)


def read_settings(root: Path, commit: str) -> tuple[RegressionsConfig, bool]:
    """The settings in `[regressions]` of a commit's config.toml; ConfigError.

    Returns:
        They, and whether the checkout has others.
    """
    where = f"{commit[:10]}:{_CONFIG}"
    content = run_git(root, "cat-file", "blob", f"{commit}:./{_CONFIG}") or b""
    table = parse(lambda _: content[:_MOST_BYTES], Path(where)).get("regressions", {})
    settings, problems = validate(
        RegressionsConfig, table if isinstance(table, dict) else {}, prefix="regressions"
    )
    if settings is None:
        raise ConfigError(problems, where=where)
    return settings, table != parse(read_file, root / _CONFIG).get("regressions", {})


def _default_name(root: Path, environ: Mapping[str, str]) -> str | None:
    if name := environ.get("CI_DEFAULT_BRANCH") or _name_in_event(environ):
        return name
    remote = ask_git(root, "symbolic-ref", "--quiet", f"{_REMOTE}HEAD")
    return remote.removeprefix(_REMOTE) if remote else None


def _name_in_event(environ: Mapping[str, str]) -> str | None:
    """The default branch of the repository that started a job of GitHub Actions."""
    path = environ.get("GITHUB_EVENT_PATH")
    with suppress(OSError, ValueError, LookupError, TypeError):
        event = load_json(read_user_file(Path(path or ""), at_most=MAX_EVENT_SIZE))
        name = event["repository"]["default_branch"]
        return name if isinstance(name, str) else None
    return None


def _is_built(root: Path, environ: Mapping[str, str], head: str, remote: str) -> bool:
    """Whether the commit is the one that the job is for, or on the remote's branch.

    A job for a pull request can check out a branch with the name of the default one.
    """
    built = (environ.get(name) for name in _BUILT)
    return head in built or run_git(root, "merge-base", "--is-ancestor", head, remote) is not None


def _find_tip(root: Path, name: str) -> str:
    """The last commit of a branch; full references, since a tag may have its name."""
    refs = (f"{place}{name}^{{commit}}" for place in (_REMOTE, HEADS) if name)
    tips = (ask_git(root, "rev-parse", "--verify", "--quiet", ref) for ref in refs)
    return next(filter(None, tips), "")
