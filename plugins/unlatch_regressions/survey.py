"""Read all causes of a project, and judge them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch.project.git.run import ask_git
from unlatch.values import dataclass
from unlatch_regressions.branch.commits import require_history
from unlatch_regressions.branch.history import History
from unlatch_regressions.items import LinkedItems, Unread
from unlatch_regressions.judging import Judge, Policy, Verdict
from unlatch_regressions.names import Names, OwnRepository
from unlatch_regressions.policy import DefaultBranch, find_default_branch, read_settings
from unlatch_regressions.readers import read_causes
from unlatch_regressions.request import Request, Work
from unlatch_regressions.work import finished_work

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from unlatch.config.tables import RegressionsConfig
    from unlatch.increments.model.increment import BrokenIncrement
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch_regressions.cause import Cause


@dataclass(frozen=True, slots=True)
class Options:
    """What to read.

    Args:
        since: a git reference; causes that it has are left out.
        branch: the name of the default branch; by default as the CI system or the remote has it.
        files: the reports and events, by their options.
        commits_of: the references of the commits that reports are about.
        offline: whether no tracker is asked.
    """

    since: str | None
    branch: str | None
    files: Mapping[str, Sequence[Path]]
    commits_of: Mapping[Path, str]
    offline: bool = False


@dataclass(frozen=True, slots=True)
class Survey:
    """What the readers saw, and what follows from it.

    Args:
        has_others: whether the checkout has other settings, which do not count.
        completions: open work whose causes have all gone, each with what shows that.
        broken: the increments that cannot be read.
        unread: the items that were needed, and were not read.
    """

    branch: DefaultBranch
    settings: RegressionsConfig
    has_others: bool
    request: Request
    verdicts: Sequence[Verdict]
    completions: Sequence[tuple[Work, Sequence[Cause]]]
    broken: Sequence[BrokenIncrement]
    unread: Sequence[Unread]

    @property
    def is_whole(self) -> bool:
        """Whether everything could be read that the command was able to ask for."""
        return not self.broken and not any(unread.is_failure for unread in self.unread)


def survey(workspace: Workspace, trackers: Trackers, options: Options) -> Survey:
    """Read all causes, and judge them.

    Raises:
        UnlatchError: the history or a report cannot be read, or the settings have mistakes.
    """
    root, environ = workspace.paths.root, workspace.environ
    require_history(root)
    branch = find_default_branch(root, environ, options.branch)
    settings, has_others = read_settings(root, branch.commit)
    tips = [tip for tip in (branch.head,) if tip and tip != branch.commit]
    history = History(root, branch.commit, *tips)
    increments, broken = workspace.manager.read_all()
    names = Names(workspace, increments)
    work, bookkeeping = finished_work(root, increments, history, names)
    items = LinkedItems(trackers, offline=options.offline)
    remote = ask_git(root, "remote", "get-url", "origin") or ""
    request = Request(
        root,
        history,
        work,
        names.named,
        workspace.clock(),
        head=branch.tested,
        runs=settings.runs,
        files=options.files,
        commits_of=_commits_of(root, options),
        environ=environ,
        bookkeeping=bookkeeping,
        items=items,
        own=OwnRepository.of(workspace, trackers, remote),
    )
    policy = Policy(settings.policy, settings.runs, branch.limit, branch.why)
    judge = Judge(read_causes(request), request.work, history, policy, request.now)
    verdicts = [*judge.verdicts()]
    completions = [*judge.completions(verdicts)]
    if options.since is not None:
        since = _commit(root, options.since)
        before = history.ancestors(of=[since])
        verdicts = [each for each in verdicts if not before.has(each.cause.commit, of=since)]
    return Survey(
        branch, settings, has_others, request, verdicts, completions, broken, items.unread
    )


def _commits_of(root: Path, options: Options) -> dict[Path, str]:
    """The commits of reports; UsageError `commit-unknown`, `report-not-named`."""
    named = {file for files in options.files.values() for file in files}
    for file in options.commits_of:
        if file not in named:
            message = f"--commit-of names {file}, and no other option names that report"
            hint = "give its path as --junit or --sarif has it"
            raise UsageError("report-not-named", message, where=str(root), hint=hint)
    return {file: _commit(root, ref) for file, ref in options.commits_of.items()}


def _commit(root: Path, ref: str) -> str:
    """The commit of a reference; UsageError `commit-unknown`."""
    query = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    commit = None if ref.startswith("-") else ask_git(root, *query)
    if commit is None:
        message = f"git knows no commit {ref!r}"
        raise UsageError("commit-unknown", message, where=str(root), hint="git fetch")
    return commit
