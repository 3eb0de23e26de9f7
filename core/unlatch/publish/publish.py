"""Giving back to git what a sync has changed in increments: by a push, or by a branch to merge.

Only increments' own files are committed, and nothing is forced. Where somebody else's push came
first, theirs is merged by what the fields mean, and the push is tried again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.project.git.branch import HEADS
from unlatch.publish.own_files import OwnFiles, own_files
from unlatch.publish.target import PublishTarget, Way, fetch
from unlatch.worklog.neutral import visible

if TYPE_CHECKING:
    from unlatch.project.git.working import Ran

# With a lock of the CI system it is hardly ever a second time.
MOST_PUSHES = 5
# How git says that somebody else's push came first.
_OVERTAKEN = (b"fetch first", b"non-fast-forward", b"cannot lock ref", b"failed to update ref")
_MOST_NAMES = 3
_STATUS = (
    *("status", "--porcelain=v1", "-z"),
    *("--untracked-files=all", "--no-renames", "--ignore-submodules=all"),
)


class NotGivenBack(StoreError):
    """What was done is recorded in this checkout, and others do not have it."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class Published:
    """What was given back.

    Args:
        commit: its name in git.
        branch: the branch that it is on.
        increments: those that had changed.
        proposal: the page on which a person makes a pull request of it, where one is to be made.
    """

    commit: str
    branch: str
    increments: tuple[str, ...]
    proposal: str | None = None


def give_back(publishing: PublishTarget) -> Published | None:
    """Commit what has changed in increments, and share it; None if nothing has.

    Raises:
        NotGivenBack: `commit-failed`, `fetch-failed`, `push-refused`, `push-in-conflict` or
            `push-overtaken`.
    """
    files = own_files(_done(publishing, publishing.git(*_STATUS)).out, below=publishing.below)
    if files.paths:
        _done(publishing, publishing.git("add", "--all", paths=files.paths))
    if publishing.way is Way.PR:
        return _propose(publishing, files)
    if not files.paths:
        return None
    committed = publishing.git(
        "commit", "--quiet", "--only", "-m", _message(publishing, files), paths=files.paths
    )
    _done(publishing, committed)
    _push(publishing)
    return Published(publishing.git("rev-parse", "HEAD").line, publishing.branch, files.increments)


def _propose(publishing: PublishTarget, files: OwnFiles) -> Published | None:
    git = publishing.git
    tree = _done(publishing, git("write-tree")).line
    parents = ["HEAD", *filter(None, [publishing.tip])]
    if tree in {git("rev-parse", f"{one}^{{tree}}").line for one in parents}:
        return None
    named = [part for one in parents for part in ("-p", one)]
    made = git("commit-tree", tree, *named, "-m", _message(publishing, files))
    commit = _done(publishing, made).line
    ref = f"{commit}:{HEADS}{publishing.proposal}"
    pushed = git("push", "--porcelain", "--", publishing.remote, ref)
    if not pushed.is_done:
        raise _refused(publishing, pushed)
    url = (
        publishing.ci.proposal_url(publishing.proposal, publishing.branch)
        if publishing.ci
        else None
    )
    return Published(commit, publishing.proposal, files.increments, url)


def _push(publishing: PublishTarget) -> None:
    for _ in range(MOST_PUSHES):
        ref = f"HEAD:{HEADS}{publishing.branch}"
        pushed = publishing.git("push", "--porcelain", "--", publishing.remote, ref)
        if pushed.is_done:
            return
        if not any(sign in pushed.out for sign in _OVERTAKEN):
            raise _refused(publishing, pushed)
        _merge(publishing)
    raise NotGivenBack(
        "push-overtaken",
        f"others pushed to {publishing.branch} each time that this was to be pushed",
        where=str(publishing.git.top),
        hint="let one job at a time run, as docs/ci.md shows; then unlatch sync again",
    )


def _merge(publishing: PublishTarget) -> None:
    fetched = fetch(publishing, f"{HEADS}{publishing.branch}")
    if not fetched.is_done:
        raise NotGivenBack(
            "fetch-failed",
            f"git could not fetch {publishing.branch}: {fetched.complaint}",
            where=str(publishing.git.top),
            hint="check the remote and the job's credential",
        )
    named = f"Merge {publishing.branch} into what sync has changed{_mark(publishing)}"
    merged = publishing.git("merge", "--quiet", "-m", named, "FETCH_HEAD")
    if merged.is_done:
        return
    publishing.git("merge", "--abort")
    raise NotGivenBack(
        "push-in-conflict",
        f"others changed the same on {publishing.branch}, differently",
        where=str(publishing.git.top),
        hint="run unlatch sync again on their state; nothing is told twice to an item",
    )


def _message(publishing: PublishTarget, files: OwnFiles) -> str:
    # A line break in a folder's name would begin a line of the message.
    names = [visible(name) for name in files.increments]
    told = ", ".join(names) if len(names) <= _MOST_NAMES else f"{len(names)} increments"
    listed = "".join(f"- {name}\n" for name in names)
    return f"Sync {told or 'increments'} with their items{_mark(publishing)}\n\n{listed}"


def _mark(publishing: PublishTarget) -> str:
    """What keeps a job's push from starting the next job; a pull request's checks shall run."""
    return " [skip ci]" if publishing.ci is not None and publishing.way is Way.PUSH else ""


def _done(publishing: PublishTarget, ran: Ran) -> Ran:
    if not ran.is_done:
        raise NotGivenBack(
            "commit-failed",
            f"git could not commit what has changed: {ran.complaint}",
            where=str(publishing.git.top),
            hint="git status shows it; commit and push it by hand",
        )
    return ran


def _refused(publishing: PublishTarget, pushed: Ran) -> NotGivenBack:
    return NotGivenBack(
        "push-refused",
        f"git could not push to {publishing.remote}: {pushed.complaint}",
        where=str(publishing.git.top),
        hint="the job needs to write contents; where the branch is protected: --commit pr",
    )
