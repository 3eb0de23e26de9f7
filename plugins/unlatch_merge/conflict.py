"""Files in git's conflict: the versions that git keeps of each, and the result of merging them."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from unlatch.errors import StoreError
from unlatch.project.git.run import run_git
from unlatch.project.git.setup import check_git_folder, git_place, require_git
from unlatch.project.git.working import WorkingGit
from unlatch.values import dataclass
from unlatch.worklog.disk.file_check import check_size, git_command
from unlatch.worklog.disk.safe_open import read_file
from unlatch_merge.outcome import Clash, MergedText, Side, UnmergeableError

# git's numbers for the versions of a file that is in conflict.
BASE, OURS, THEIRS = 1, 2, 3


@dataclass(frozen=True, slots=True)
class MergeResult:
    """The result of resolving the conflict of an increment or a session.

    Args:
        id: of the increment or session.
        paths: the files in git's conflict that are now resolved (or would be).
        kept: those of them that were fixed by hand before, and are not changed.
        clashes: fields that both sides changed differently, also if one side was taken.
        settled: whether no decision is left for people.
        added: whether the files were added to git's index.
        left: the files in conflict that only a person can merge.
    """

    id: str
    paths: tuple[Path, ...]
    kept: tuple[Path, ...]
    clashes: tuple[Clash, ...]
    settled: bool
    added: bool = False
    left: tuple[Path, ...] = ()
    warnings: tuple[str, ...] = ()


def versions_of(folder: Path, name: str) -> dict[int, bytes]:
    """The versions that git keeps of a file in conflict, as it would check them out.

    Raises:
        StoreError: `filter-needed`: git would write the file without converting it.
    """
    listed = run_git(folder, "ls-files", "--unmerged", "--full-name", "-z", "--", name)
    versions: dict[int, bytes] = {}
    for entry in filter(None, os.fsdecode(listed or b"").split("\0")):
        entry_facts, _, path = entry.partition("\t")
        _, blob, stage = entry_facts.split(" ")
        git = WorkingGit(folder)
        git.check_filters([name])
        checked_out = git("cat-file", "--filters", f"--path={path}", blob)
        if checked_out.is_done:
            check_size(len(checked_out.out), folder / name, name)
            versions[int(stage)] = checked_out.out
    return versions


def sides_of(versions: dict[int, bytes], path: Path) -> tuple[bytes, bytes]:
    """Our and their version of a file; StoreError `conflict-one-sided` if one removed it."""
    if not versions.keys() >= {OURS, THEIRS}:
        raise StoreError(
            "conflict-one-sided",
            f"one side changed {path.name} and the other removed it",
            where=str(path),
            hint="git add keeps it, git rm removes it",
        )
    return versions[OURS], versions[THEIRS]


def not_in_conflict(name: str, path: Path) -> StoreError:
    """The error that git knows of no conflict in a file; as `require_git` if git cannot tell."""
    if git_place(path) is not None:
        require_git(path.parent)
    versions = git_command("log", path) or "git log"
    return StoreError(
        "not-in-conflict",
        f"git knows of no conflict in {name}",
        where=str(path),
        hint=f"if markers were committed, restore a version without them: {versions}",
    )


def merge_unless_fixed(
    path: Path,
    versions: dict[int, bytes],
    merge: Callable[[Side], MergedText],
    *,
    take: Side | None,
    is_sound: Callable[[Path], bool],
) -> MergedText | None:
    """The merged file; None if the one on disk is sound, and was fixed by hand before.

    Args:
        merge: merge the versions, with one side's values in a clash.
        is_sound: whether the file has the format of its kind.

    Raises:
        StoreError: `conflict-unreadable`.
    """
    try:
        merged = {side: merge(side) for side in Side}
    except UnmergeableError as error:
        if is_sound(path):
            return None
        raise unreadable(path, error) from error
    # A whole side, or our earlier merge, may still be changed.
    unfixed = {versions[OURS], versions[THEIRS], *(merge.content for merge in merged.values())}
    if is_sound(path) and read_file(path) not in unfixed:
        return None
    return merged[take or Side.OURS]


def unreadable(path: Path, error: ValueError) -> StoreError:
    """The error of a version that cannot be merged."""
    message = f"{path.name} cannot be merged: {error}"
    hint = "fix it by hand, then git add it"
    return StoreError("conflict-unreadable", message, where=str(path), hint=hint)


def git_add(folder: Path, done: MergeResult, names: Sequence[str]) -> MergeResult:
    """Add the resolved files to git's index; StoreError `git-add-failed`."""
    check_git_folder(folder)
    if not WorkingGit(folder)("add", "--", *names).is_done:
        raise StoreError(
            "git-add-failed",
            "the files are resolved, but git add failed",
            where=str(folder),
            hint="git add them yourself",
        )
    return replace(done, added=True)
