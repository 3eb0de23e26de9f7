"""Choose the increments to sync: by name, by a branch's changes, or all."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from unlatch.errors import UsageError
from unlatch.increments.files.paths import METADATA, SPECWEAVE
from unlatch.increments.model.increment import Increment
from unlatch.project.git.revisions import changed_since
from unlatch.project.git.sparse import sparse_increments
from unlatch.project.workspace import Workspace
from unlatch.values import dataclass


@dataclass(frozen=True, slots=True)
class Chosen:
    """The increments to sync.

    Args:
        gone: the folders of increments that the branch removed, so that nothing is compared.
        configuration: a changed file that decides about every increment, so that all are chosen.
        left_out: the increments that are not in this sparse checkout, unless others were named.
        changed_left_out: those of them that the branch changed, and that could not be compared.
    """

    increments: Sequence[Increment]
    gone: tuple[str, ...] = ()
    configuration: str | None = None
    left_out: tuple[str, ...] = ()
    changed_left_out: tuple[str, ...] = ()


def choose(
    workspace: Workspace, everything: Sequence[Increment], *, ids: Sequence[str], since: str | None
) -> Chosen:
    """Choose those with these ids or all, and of them those that this branch changed since a ref.

    Raises:
        UsageError: `unknown-ref`, `no-git`, or an increment is not known.
    """
    if ids:
        named = map(workspace.manager.read, ids)
        everything = list({increment.id: increment for increment in named}.values())
    left_out = {} if ids else sparse_increments(workspace.paths)
    chosen = Chosen(everything, left_out=tuple(left_out))
    if since is None:
        return chosen
    paths = workspace.paths
    places = [paths.increments, *([paths.root] if paths.layouts else [])]
    files = frozenset[str]().union(*(_changed(workspace, since, place) for place in places))
    paths_of = map(PurePosixPath, files)
    touched = {place for path in paths_of for place in (path, *path.parents)}
    changed = tuple(name for name, folder in left_out.items() if folder in touched)
    chosen = replace(chosen, changed_left_out=changed)
    for path in (paths.config, paths.root / SPECWEAVE / "config.json"):
        if name := next(iter(_changed(workspace, since, path)), None):
            return replace(chosen, configuration=name)
    return replace(
        chosen,
        increments=[
            increment for increment in everything if touched & {*_places(workspace, increment)}
        ],
        gone=() if ids else _gone(workspace, files, left_out),
    )


def _changed(workspace: Workspace, since: str, place: Path) -> frozenset[str]:
    root = workspace.paths.root
    if (files := changed_since(root, since, below=place)) is not None:
        return files
    from unlatch.project.git.setup import require_git  # noqa: PLC0415  (slow to load)

    require_git(root)
    raise UsageError(
        "unknown-ref",
        f"git knows no {since!r} here",
        where=str(root),
        hint="fetch it first: git fetch origin BRANCH; in CI check out with the whole history",
    )


def _gone(workspace: Workspace, files: Iterable[str], left_out: Iterable[str]) -> tuple[str, ...]:
    """The names of folders that lost their metadata.json and are in no other place."""
    places = (workspace.paths.increments, workspace.paths.states)
    every = [workspace.paths.root / file for file in files]
    paths = [path for path in every if any(path.is_relative_to(place) for place in places)]
    gone = {path.parent.name for path in paths if path.name == METADATA and not path.exists()}
    here = {folder.name for folder in workspace.manager.collection.folders()}
    return tuple(sorted(gone - here - {*left_out}))


def _places(workspace: Workspace, increment: Increment) -> Iterator[PurePosixPath]:
    yield _within(workspace, increment.folder)
    if increment.unit:
        yield _within(workspace, increment.unit.place)


def _within(workspace: Workspace, folder: Path) -> PurePosixPath:
    return PurePosixPath(folder.relative_to(workspace.paths.root).as_posix())
