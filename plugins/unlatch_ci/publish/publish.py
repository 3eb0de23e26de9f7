"""Publish the changed increments with git: push them, or a branch to merge.

Only increments' own files are committed, and nothing is forced. After another push the
other commits are merged field by field, and the push is repeated.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import PurePosixPath

from unlatch.errors import StoreError
from unlatch.increments.files.paths import METADATA
from unlatch.increments.records.pending import read_pending
from unlatch.project.git.revisions import HEADS
from unlatch.project.git.run import GitResult
from unlatch.project.workspace import Workspace
from unlatch.spi.operation import OperationKey
from unlatch.spi.render import without_references
from unlatch.sync.publishing import Publish, Published, Way
from unlatch.worklog.json_text.document import JsonText, JsonTextError
from unlatch.worklog.record import BadRecord
from unlatch.worklog.text.neutral import visible
from unlatch_ci.publish.own_files import changed_increments, own_files
from unlatch_ci.publish.target import PublishTarget, fetch, find_target

# With a lock of the CI system a second push is rare.
MOST_PUSHES = 5
# How git reports that another push came first.
_OVERTAKEN = (b"fetch first", b"non-fast-forward", b"cannot lock ref", b"failed to update ref")
_MARKS = str.maketrans("[]*", "()_")
_MOST_NAMES = 3
_COMMIT_HOOKS = (
    *("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"),
    *("pre-merge-commit", "post-merge"),
)
_PUSH_HOOKS = ("pre-push",)
_STATUS = (
    *("status", "--porcelain=v1", "-z"),
    *("--untracked-files=all", "--no-renames", "--ignore-submodules=all"),
)


class NotPublished(StoreError):
    """The changes are recorded in this checkout, but not pushed."""

    exit_code = 3


def publisher(workspace: Workspace, way: Way, *, by: Callable[[], str]) -> Publish:
    """What publishes the changes of a sync; UnlatchError: this checkout cannot be published."""
    return partial(publish, find_target(workspace, way, by=by))


def publish(target: PublishTarget) -> Published | None:
    """Commit the changed increments, and push them; None if nothing has changed.

    Commits that an earlier run could not push are pushed as well.

    Raises:
        NotPublished: `commit-failed`, `fetch-failed`, `push-refused`, `push-in-conflict` or
            `push-overtaken`; as `WorkingGit.check_filters`.
    """
    paths, names = own_files(
        _run(target, *_STATUS).out, below=target.below, units=target.units, logs=target.logs
    )
    if paths:
        _check_filters(target, paths)
        _run(target, "add", "--all", paths=paths)
    message = _message(target, names, has_logs=not names and bool(paths))
    if target.way is Way.PR:
        return _propose(target, names, message)
    if paths:
        _run(target, "commit", "--quiet", "--only", "-m", message, paths=paths)
    elif unpushed := _unpushed(target):
        names = changed_increments(unpushed, below=target.below, units=target.units)
    else:
        return None
    own = target.git("rev-parse", "HEAD").line
    _push(target)
    commit = target.git("rev-parse", "HEAD").line
    skipped = target.git.skipped_hooks(*_COMMIT_HOOKS, *_PUSH_HOOKS)
    brought = _brought(target, own) if commit != own else ()
    return Published(commit, target.branch, names, target.remote, None, skipped, brought)


def _check_filters(target: PublishTarget, paths: Sequence[str]) -> None:
    try:
        target.git.check_filters(paths)
    except StoreError as error:
        raise NotPublished(error.id, error.message, where=error.where, hint=error.hint) from error


def _unpushed(target: PublishTarget) -> tuple[str, ...]:
    """Our files in commits that the remote's branch lacks, as far as this clone knows."""
    pushed = f"refs/remotes/{target.remote}/{target.branch}"
    options = ("--format=", "--name-only", "--no-renames", "-z")
    listed = target.git("log", *options, f"{pushed}..HEAD", "--")
    paths = os.fsdecode(listed.out).split("\0") if listed.is_done else ()
    is_ours = partial(changed_increments, below=target.below, units=target.units)
    return tuple(path for path in paths if path in target.logs or is_ours([path]))


def _propose(target: PublishTarget, names: tuple[str, ...], message: str) -> Published | None:
    git = target.git
    tree = _run(target, "write-tree").line
    parents = ["HEAD", *filter(None, [target.tip])]
    if tree in {git("rev-parse", f"{parent}^{{tree}}").line for parent in parents}:
        return None
    options = [part for parent in parents for part in ("-p", parent)]
    commit = _run(target, "commit-tree", tree, *options, "-m", message).line
    pushed = _push_once(target, f"{commit}:{HEADS}{target.proposal}")
    if not pushed.is_done:
        # Staged again, so that a later run in this checkout can propose them.
        git("read-tree", target.tip or "HEAD")
        raise _refused(target, pushed)
    url = target.ci.proposal_url(target.proposal, target.branch) if target.ci else None
    skipped = target.git.skipped_hooks(*_PUSH_HOOKS)
    return Published(commit, target.proposal, names, target.remote, url, skipped)


def _push(target: PublishTarget) -> None:
    for _ in range(MOST_PUSHES):
        pushed = _push_once(target, f"HEAD:{HEADS}{target.branch}")
        if pushed.is_done:
            return
        if not any(sign in pushed.out for sign in _OVERTAKEN):
            raise _refused(target, pushed)
        _merge(target)
    raise _failed(
        target,
        "push-overtaken",
        f"each push to {target.branch} came after another one",
        hint="let only one job publish at a time; then: unlatch sync",
    )


def _push_once(target: PublishTarget, refspec: str) -> GitResult:
    return target.git("push", "--porcelain", "--", target.remote, refspec)


def _merge(target: PublishTarget) -> None:
    fetched = fetch(target, f"{HEADS}{target.branch}")
    if not fetched.is_done:
        raise _failed(
            target,
            "fetch-failed",
            f"git could not fetch {target.branch}: {fetched.complaint}",
            hint="check the remote and the job's credential",
        )
    message = f"Merge {target.branch} into synced increments{_skip_mark(target)}"
    names = ("-r", "-z", "--name-only", "--merge-base", "HEAD", "FETCH_HEAD")
    theirs = target.git("diff-tree", *names)
    _check_filters(target, [*filter(None, os.fsdecode(theirs.out).split("\0"))])
    if target.git("merge", "--quiet", "-m", message, "FETCH_HEAD").is_done:
        return
    target.git("merge", "--abort")
    raise _failed(
        target,
        "push-in-conflict",
        f"{target.branch} has other changes to the same fields",
        hint="run `unlatch sync` again on their state; nothing is posted twice",
    )


def _brought(target: PublishTarget, own: str) -> tuple[str, ...]:
    """The increments that have pending operations which they lacked in a commit.

    Another job may have pushed them, or have left their outcome in doubt, after this sync had read
    the increments.
    """
    listed = target.git("diff-tree", "-r", "-z", "--name-only", own, "HEAD").out
    paths = map(PurePosixPath, os.fsdecode(listed).split("\0"))
    changed = [f"{path}" for path in paths if path.name == METADATA]
    more = [
        path for path in changed if _pending(target, "HEAD", path) - _pending(target, own, path)
    ]
    return changed_increments(more, below=target.below, units=target.units)


def _pending(target: PublishTarget, commit: str, path: str) -> set[OperationKey]:
    """The pending operations in a file of a commit; what cannot be read is told by each sync."""
    content = target.git("cat-file", "blob", f"{commit}:{path}").out
    with suppress(JsonTextError, BadRecord):
        value = JsonText.parse(content).value
        return {each.key for each in read_pending(value if isinstance(value, dict) else {})}
    return set()


def _message(target: PublishTarget, increments: Sequence[str], *, has_logs: bool) -> str:
    names = list(map(_named, increments))
    subject = ", ".join(names) if len(names) <= _MOST_NAMES else f"{len(names)} increments"
    listed = "".join(f"- {name}\n" for name in names)
    mark = _skip_mark(target)
    if has_logs:
        return f"Record results of tests that guard finished work{mark}\n"
    return f"Sync {subject or 'increments'} with linked items{mark}\n\n{listed}"


def _named(increment: str) -> str:
    """The name of a folder without effect in a message.

    A line break would begin a line of the message, `fixes #5` close an issue, a name notify a
    person, and a mark in brackets or stars (`[skip ci]`, `***NO_CI***`) stop the next job.
    """
    return without_references(visible(increment)).translate(_MARKS)


def _skip_mark(target: PublishTarget) -> str:
    """Stops a job's push from starting the next job; a pull request's checks must run."""
    return " [skip ci]" if target.ci is not None and target.way is Way.PUSH else ""


def _run(target: PublishTarget, *arguments: str, paths: tuple[str, ...] | None = None) -> GitResult:
    ran = target.git(*arguments, paths=paths)
    if ran.is_done:
        return ran
    raise _failed(
        target,
        "commit-failed",
        f"git could not commit the changes: {ran.complaint}",
        hint="git status shows them; commit and push by hand",
    )


def _refused(target: PublishTarget, pushed: GitResult) -> NotPublished:
    return _failed(
        target,
        "push-refused",
        f"git could not push to {target.remote}: {pushed.complaint}",
        hint="the job needs permission to write contents; for a protected branch: --commit pr",
    )


def _failed(target: PublishTarget, id: str, message: str, *, hint: str) -> NotPublished:
    return NotPublished(id, message, where=str(target.git.top), hint=hint)
