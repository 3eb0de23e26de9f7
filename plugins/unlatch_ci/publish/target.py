"""The target for publishing, determined before anything is changed."""

import os
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.paths import RESULTS, items_at
from unlatch.increments.files.units import UnitFolder
from unlatch.increments.files.work.files import places_of, work_files
from unlatch.project.git.revisions import HEADS
from unlatch.project.git.run import GitResult, run_git
from unlatch.project.git.setup import DRIVER, require_git
from unlatch.project.git.working import Trust, WorkingGit
from unlatch.project.trusted import is_trusted
from unlatch.project.workspace import Workspace
from unlatch.sync.publishing import Way
from unlatch.values import dataclass
from unlatch.worklog.disk.atomic import replace_file
from unlatch.worklog.disk.user_files import state_folder
from unlatch_ci.publish.own_files import UnitPlaces, Units, merge_attributes
from unlatch_ci.systems import Ci, detect

_ATTRIBUTES = "gitattributes"
# As in project.git.setup, but the running unlatch, not the one on PATH. -P: no module is
# imported from the top of the checkout, where git runs it.
_DRIVER = (
    f"{shlex.quote(sys.executable)} -P -m unlatch.cli merge-driver %O %A %B %P; merged=$?; "
    "[ $merged -lt 2 ] && exit $merged; git merge-file -L ours -L base -L theirs %A %O %B"
)


@dataclass(frozen=True, slots=True)
class PublishTarget:
    """The target for publishing changed increments.

    Args:
        branch: the branch to push to, or to open a pull request for.
        below: the folders of increments and of items, from the top of the checkout.
        units: the units of other tools, by the names of their increments.
        logs: our files that belong to no increment, from the top of the checkout.
        tip: the last commit of an open pull request's branch, merged into the checkout.
    """

    git: WorkingGit
    way: Way
    ci: Ci | None
    remote: str
    branch: str
    below: tuple[str, ...]
    units: Units
    logs: tuple[str, ...] = ()
    tip: str | None = None

    @property
    def proposal(self) -> str:
        return f"unlatch/sync-{self.branch}"


def find_target(workspace: Workspace, way: Way, *, by: Callable[[], str]) -> PublishTarget:
    """Check that publishing can succeed; merge the branch of an open pull request.

    Raises:
        UsageError: `no-git`, `no-committer`, `no-remote`, `no-branch`, `outside-checkout`,
            `git-config-untrusted`, `remote-untrusted` or `index-not-empty`.
        StoreError: `unsafe-path`, `fetch-failed` or `proposal-in-conflict`.
    """
    root = workspace.paths.root
    require_git(root)
    toplevel = run_git(root, "rev-parse", "--show-toplevel")
    top = Path(os.fsdecode(toplevel).removesuffix("\n")) if toplevel else root
    places = (workspace.paths.increments, workspace.paths.states, items_at(root).increments)
    below = tuple(dict.fromkeys(_below(place, top) for place in places))
    units = {
        folder.name: _places(folder, top)
        for folder in workspace.manager.collection.folders()
        if isinstance(folder, UnitFolder)
    }
    ci = detect(workspace.environ)
    logs = (_below(workspace.paths.home / RESULTS, top),)
    settings = _settings(workspace, merge_attributes(below, logs), ci, by=by)
    git = WorkingGit(top, settings, _trust(root, top, ci))
    git.check_settings()
    if not (committer := git("var", "GIT_COMMITTER_IDENT")).is_done:
        raise UsageError(
            "no-committer",
            f"git does not know who commits: {committer.complaint}",
            where=str(top),
            hint="git config user.name NAME; git config user.email ADDRESS",
        )
    branch = _branch(git, ci)
    remote = git.setting(f"branch.{branch}.remote") or "origin"
    if not git("remote", "get-url", "--", remote).is_done:
        raise UsageError(
            "no-remote",
            f"git has no remote {remote!r} to push to",
            where=str(top),
            hint=f"git remote add {shlex.quote(remote)} URL",
        )
    git.check_remote(remote)
    target = PublishTarget(git, way, ci, remote, branch, below, units, logs)
    return _with_proposal(target) if way is Way.PR else target


def _trust(root: Path, top: Path, ci: Ci | None) -> Trust:
    if is_trusted(root):
        return Trust.ALL
    return Trust.REMOTE if ci is not None and ci.has_checkout(top) else Trust.NONE


def _places(folder: UnitFolder, top: Path) -> UnitPlaces:
    places = tuple(_below(place, top) for place in places_of(folder))
    is_file = folder.unit is not None and folder.unit.is_file
    names = (".",) if is_file else work_files(folder.path, folder.unit).names
    return UnitPlaces(places, frozenset(names))


def _below(increments: Path, top: Path) -> str:
    """The folder of the increments, from the top of the checkout."""
    try:
        return increments.resolve().relative_to(top.resolve()).as_posix()
    except ValueError as error:
        raise UsageError(
            "outside-checkout",
            f"the increments are in {increments.resolve()}, outside the checkout {top}",
            where=str(increments),
            hint="--commit none, and commit the increments in the repository that holds them",
        ) from error


def fetch(target: PublishTarget, ref: str) -> GitResult:
    """Fetch a branch as FETCH_HEAD, with the history that a merge needs."""
    # CI systems check out a single commit, without the merge base.
    is_shallow = target.git("rev-parse", "--is-shallow-repository").line == "true"
    deeper = ("--unshallow",) if is_shallow else ()
    return target.git("fetch", "--quiet", *deeper, "--", target.remote, ref)


def _branch(git: WorkingGit, ci: Ci | None) -> str:
    if head := git("symbolic-ref", "--quiet", "HEAD").line:
        return head.removeprefix(HEADS)
    if ci is None or ci.branch is None:
        raise UsageError(
            "no-branch",
            "a commit is checked out, and its branch is unknown",
            where=str(git.top),
            hint="check a branch out, or --commit none; a pull request's job cannot publish",
        )
    return ci.branch


def _settings(
    workspace: Workspace, attributes: str, ci: Ci | None, *, by: Callable[[], str]
) -> tuple[tuple[str, str], ...]:
    """The merge driver, also for a clone that was not set up for it, and the committer."""
    path = state_folder(workspace.paths.root) / _ATTRIBUTES
    replace_file(path, attributes.encode())
    settings = [(DRIVER, _DRIVER), ("core.attributesFile", str(path.absolute()))]
    if ci is not None:
        name = "".join(c for c in by() if c not in "<>").strip() or "unlatch"
        settings += [("user.name", name), ("user.email", ci.email)]
    return tuple(settings)


def _with_proposal(target: PublishTarget) -> PublishTarget:
    git, tip = target.git, _fetch_proposal(target)
    is_clean = git("diff", "--cached", "--quiet", "--no-ext-diff", "--no-textconv").is_done
    staged = None if is_clean else git("write-tree").line
    listed = git("log", "--no-show-signature", "--format=%T", f"HEAD..{tip}") if tip else None
    trees = listed.line.split() if listed else []
    # An earlier run in this checkout left the tree of its commit staged.
    if staged is not None and staged not in trees:
        raise UsageError(
            "index-not-empty",
            "changes are staged, and would be committed with the increments",
            where=str(git.top),
            hint="commit them first, or git restore --staged .",
        )
    if tip is None or [staged] == trees[:1]:
        return replace(target, tip=tip)
    if staged is not None:
        git("reset", "--merge")
    # Squashed, so that no branch moves; the commit that follows has it as a parent.
    if git("merge", "--quiet", "--squash", tip).is_done:
        return replace(target, tip=tip)
    git("reset", "--merge")
    raise StoreError(
        "proposal-in-conflict",
        f"{target.proposal} conflicts with {target.branch}",
        where=str(git.top),
        hint=f"merge or delete {target.proposal}, then run the command again",
    )


def _fetch_proposal(target: PublishTarget) -> str | None:
    """The last commit of an open pull request's branch; None without one."""
    git, ref = target.git, f"{HEADS}{target.proposal}"
    listed = git("ls-remote", "--", target.remote, ref)
    fetched = fetch(target, ref) if listed.is_done and listed.line else listed
    if not fetched.is_done:
        raise StoreError(
            "fetch-failed",
            f"git could not read {target.remote}: {fetched.complaint}",
            where=str(git.top),
            hint="check the remote and the job's credential",
        )
    if not listed.line:
        return None
    tip = git("rev-parse", "FETCH_HEAD").line
    return None if git("merge-base", "--is-ancestor", tip, "HEAD").is_done else tip
