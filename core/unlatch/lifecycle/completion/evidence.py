"""Evidence that something changed since the last reopen of an increment, before it is completed.

A commit counts as `newer_commits` says. A task or criterion counts if it was ticked since.
"""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from unlatch.config.choices import EvidencePolicy
from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.work.amendments import count_done, work_of
from unlatch.lifecycle.activation_guard import Approval
from unlatch.lifecycle.completion.newer_commits import newer_commits
from unlatch.project.git.run import has_git
from unlatch.values import dataclass

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.reopens import ReopenEntry
    from unlatch.project.git.history import Commit
    from unlatch.project.workspace import Workspace

_MOST_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Evidence:
    """The changes since the last reopen.

    Args:
        commits: the newest.
        ticked: the number of tasks and criteria that were ticked.
        has_git: whether commits could be read.
        has_program: whether git is installed.
        is_shallow: whether the clone lacks older commits.
    """

    reopen: ReopenEntry
    commits: tuple[Commit, ...] = ()
    ticked: int = 0
    has_git: bool = True
    has_program: bool = True
    is_shallow: bool = False

    @property
    def is_missing(self) -> bool:
        return not (self.commits or self.ticked)


def find_evidence(workspace: Workspace, increment: Increment) -> Evidence | None:
    """The changes since the last reopen; None without a reopen, or if they do not matter."""
    entry = next(
        (reopen for reopen in reversed(increment.reopens) if reopen.reverted_at is None), None
    )
    if entry is None or workspace.config.completion.evidence is EvidencePolicy.OFF:
        return None
    ticked = _ticked(increment, entry)
    history = newer_commits(workspace, increment, entry)
    if history is None:
        has_program = has_git(workspace.paths.root)
        return Evidence(entry, ticked=ticked, has_git=False, has_program=has_program)
    return Evidence(entry, history.commits[:_MOST_SHOWN], ticked, is_shallow=history.is_shallow)


def weigh_evidence(
    workspace: Workspace,
    increment: Increment,
    evidence: Evidence | None,
    approval: Approval,
    *,
    reason: str | None,
    force: bool,
) -> Approval:
    """The approval with a warning if there is no evidence.

    Raises:
        StoreError: `evidence-missing`, if the project requires evidence.
        UsageError: `reason-missing`, if it is overridden without a reason.
    """
    if evidence is None or not evidence.is_missing:
        return approval
    error = missing_evidence(increment, evidence)
    if workspace.config.completion.evidence is EvidencePolicy.WARN:
        return Approval(forced=approval.forced, warnings=(*approval.warnings, error))
    if not force:
        raise error
    if not (reason and reason.strip()):
        message = f"{increment.id} has not changed since its reopen; --force needs a reason"
        raise UsageError(
            "reason-missing",
            message,
            hint=f"unlatch complete {quote(increment.id)} --force --reason TEXT",
        )
    return Approval(forced=(*approval.forced, error.id), warnings=(*approval.warnings, error))


def evidence_warnings(workspace: Workspace, increment: Increment) -> tuple[StoreError, ...]:
    """The warning about a completion that follows an item, which needs no evidence."""
    evidence = find_evidence(workspace, increment)
    is_missing = evidence is not None and evidence.is_missing
    return (missing_evidence(increment, evidence),) if evidence and is_missing else ()


def missing_evidence(increment: Increment, evidence: Evidence) -> StoreError:
    """The error that nothing shows a change, with the steps that help."""
    day = f"{evidence.reopen.reopened_at:%Y-%m-%d}"
    problem = "no task or criterion was ticked"
    if evidence.has_git:
        problem = f"no commit changes or names it, and {problem}"
    else:
        what = "repository" if evidence.has_program else "program"
        problem = f"{problem} (commits were not checked: no git {what})"
    step = "commit the change" if evidence.has_git else "tick what is done"
    if evidence.is_shallow:
        problem += "; this clone is shallow"
        step = "git fetch --unshallow"
    return StoreError(
        "evidence-missing",
        f"nothing shows a change of {increment.id} since it was reopened on {day}: {problem}",
        where=increment.id,
        hint=f"{step}, then unlatch complete {quote(increment.id)}",
    )


def _ticked(increment: Increment, entry: ReopenEntry) -> int:
    """The number of tasks and criteria that were ticked since.

    Those that the reopen and later changes of the work unticked or added are known by their ids;
    others by the number of done marks after it.
    """
    work = work_of(increment)
    amended = [
        amended_work.amendment
        for amended_work in increment.amended
        if amended_work.at >= entry.reopened_at
    ]
    opened = {
        name.casefold() for amendment in amended for name in (*amendment.ids, *amendment.parts)
    }
    done = [task.id for task in work.tasks if task.done] + [
        criterion.id for criterion in work.spec.criteria if criterion.done
    ]
    again = sum(name.casefold() in opened for name in done)
    more = 0 if entry.done_work is None else count_done(increment) - entry.done_work
    return max(again, more)
