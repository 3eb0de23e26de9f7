"""Merging metadata.json as git's merge driver does: three files, one of which takes the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, unexpected
from unlatch.increments.files.layout import METADATA
from unlatch.increments.merge.text import UnmergeableError, merge_metadata
from unlatch.project.git.run import merge_file
from unlatch.worklog.file_check import check_size

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.increments.files.snapshots import Shapes
    from unlatch.worklog.json_text.three_way import Clash


@dataclass(frozen=True, slots=True)
class MergeDriverResult:
    """What the merge driver came to.

    Args:
        clean: whether nothing is left for people to decide.
        clashes: what both sides changed, differently.
        problem: why the file was merged as text instead.
    """

    clean: bool
    clashes: tuple[Clash, ...] = ()
    problem: str | None = None


def merge_versions(base: Path, ours: Path, theirs: Path, *, shapes: Shapes) -> MergeDriverResult:
    """Merge three versions of a metadata.json, as git hands them over, into `ours`.

    A version that cannot be merged by what it means is merged as git merges any text.

    Raises:
        StoreError: `merge-failed`, if git could not merge it either; `ours` is as it was.
    """
    try:
        versions = [_read(path) for path in (base, ours, theirs)]
        merged = merge_metadata(*versions, shapes=shapes)
    except UnmergeableError as error:
        return _drive_as_text(base, ours, theirs, problem=str(error))
    except Exception as error:  # noqa: BLE001  # git would take our side for what it came to
        problem = unexpected(error).message
        return _drive_as_text(base, ours, theirs, problem=problem)
    # git's own temporary file: if this is cut short, git takes no notice of it.
    ours.write_bytes(merged.content)
    return MergeDriverResult(clean=not merged.clashes, clashes=merged.clashes)


def _read(path: Path) -> bytes:
    try:
        check_size(path.stat().st_size, path, METADATA)
    except StoreError as error:
        raise UnmergeableError(error.message) from error
    return path.read_bytes()


def _drive_as_text(base: Path, ours: Path, theirs: Path, *, problem: str) -> MergeDriverResult:
    conflicts = merge_file(ours.parent, ours.absolute(), base.absolute(), theirs.absolute())
    if conflicts is None:
        raise StoreError("merge-failed", f"metadata.json could not be merged: {problem}")
    return MergeDriverResult(clean=conflicts == 0, problem=problem)
