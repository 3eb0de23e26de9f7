"""The merge driver: three versions of a file, as git hands them over, into ours."""

from collections.abc import Callable
from pathlib import Path

from unlatch.errors import StoreError, unexpected
from unlatch.project.git.run import merge_file
from unlatch.values import dataclass
from unlatch.worklog.disk.file_check import check_size
from unlatch_merge.outcome import Clash, MergedText, UnmergeableError


@dataclass(frozen=True, slots=True)
class MergeDriverResult:
    """The result of a merge of three files.

    Args:
        clean: whether nothing is left for people to decide.
        clashes: fields that both sides changed, differently.
        problem: why the file was merged as text instead.
    """

    clean: bool
    clashes: tuple[Clash, ...] = ()
    problem: str | None = None


def run_driver(
    versions: tuple[Path, Path, Path],
    merge: Callable[[bytes, bytes, bytes], MergedText],
    *,
    name: str,
) -> MergeDriverResult:
    """Merge three files, the common one, ours and theirs, into ours.

    Versions that `merge` refuses are merged as git merges any text.

    Args:
        name: of the file, which limits how much is read.

    Raises:
        StoreError: `merge-failed`, if git could not merge them either; `ours` is as it was.
    """
    base, ours, theirs = versions
    try:
        merged = merge(*(_read(path, name) for path in versions))
    except UnmergeableError as error:
        problem = str(error)
    except Exception as error:  # noqa: BLE001  # git would take our side for the result
        problem = unexpected(error).message
    else:
        # This is git's temporary file: git ignores it if the write is interrupted.
        ours.write_bytes(merged.content)
        return MergeDriverResult(clean=not merged.clashes, clashes=merged.clashes)
    conflicts = merge_file(ours.parent, ours.absolute(), base.absolute(), theirs.absolute())
    if conflicts is None:
        raise StoreError("merge-failed", f"{name} could not be merged: {problem}")
    return MergeDriverResult(clean=conflicts == 0, problem=problem)


def _read(path: Path, name: str) -> bytes:
    try:
        check_size(path.stat().st_size, path, name)
    except StoreError as error:
        raise UnmergeableError(error.message) from error
    return path.read_bytes()
