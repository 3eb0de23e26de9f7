"""Merge an increment: resolve a conflict from git's three versions, or act as merge driver."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from unlatch.errors import StoreError
from unlatch.increments.files.locks import store_lock
from unlatch.increments.files.metadata_file import conflict_in
from unlatch.increments.files.paths import BRIEFING, EVENTS, METADATA, SPEC
from unlatch.increments.records.shapes import Shapes
from unlatch.project.workspace import Workspace
from unlatch.values import dataclass
from unlatch.worklog.collection import Folder
from unlatch.worklog.disk.atomic import replace_file
from unlatch.worklog.disk.safe_open import exists, read_file
from unlatch.worklog.json_text.document import JsonText, JsonTextError
from unlatch_merge.briefing import merge_briefings
from unlatch_merge.conflict import (
    BASE,
    OURS,
    THEIRS,
    MergeResult,
    git_add,
    merge_unless_fixed,
    not_in_conflict,
    sides_of,
    unreadable,
    versions_of,
)
from unlatch_merge.driver import MergeDriverResult, run_driver
from unlatch_merge.metadata import merge_events, merge_metadata
from unlatch_merge.outcome import Clash, MergedText, Side, UnmergeableError

_SIDES = ((OURS, THEIRS), (THEIRS, OURS))


@dataclass(frozen=True, slots=True)
class _Plan:
    """A file in conflict, and its merged content; None if it was fixed before."""

    path: Path
    content: bytes | None
    clashes: tuple[Clash, ...] = ()


def resolve(
    workspace: Workspace, wanted: str, *, take: Side | None, add: bool, dry_run: bool = False
) -> MergeResult:
    """Merge an increment's files from the three versions that git keeps of each.

    Nothing is written while a decision is left for people.

    Args:
        take: the side to take in a clash.
        add: also git add the files.

    Raises:
        UsageError: the increment is unknown.
        StoreError: `not-in-conflict`, `conflict-one-sided`, `conflict-unreadable`,
            `file-too-large`, `unsafe-path`, `git-add-failed` or `not-writable`.
    """
    folder = workspace.manager.find(wanted)
    with store_lock(workspace.paths, folder.name):
        plans = _plans(folder, workspace.manager.shapes, take)
        clashes = tuple(clash for plan in plans for clash in plan.clashes)
        done = MergeResult(
            folder.name,
            tuple(plan.path for plan in plans),
            tuple(plan.path for plan in plans if plan.content is None),
            clashes,
            settled=take is not None or not clashes,
            left=(folder.path / SPEC,) if versions_of(folder.path, SPEC) else (),
        )
        if dry_run or not done.settled:
            return done
        for plan in plans:
            if plan.content is not None:
                replace_file(plan.path, plan.content)
    done = _with_spec(workspace, folder, done)
    return git_add(folder.path, done, [path.name for path in done.paths]) if add else done


def _plans(folder: Folder, shapes: Shapes, take: Side | None) -> list[_Plan]:
    """A plan for each file; events come first, as in every write."""
    plans = []
    if stages := versions_of(folder.path, EVENTS):
        plans.append(_events_plan(folder, stages))
    if stages := versions_of(folder.path, METADATA):
        plans.append(_metadata_plan(folder, stages, shapes, take))
    if stages := versions_of(folder.path, BRIEFING):
        plans.append(_briefing_plan(folder, stages))
    if not plans:
        raise not_in_conflict(folder.name, folder.path / METADATA)
    return plans


def _events_plan(folder: Folder, stages: dict[int, bytes]) -> _Plan:
    path = folder.path / EVENTS
    has_markers = exists(path) and b"\n<<<<<<< " in b"\n" + read_file(path)
    ours, theirs = stages.get(OURS, b""), stages.get(THEIRS, b"")
    return _Plan(path, merge_events(ours, theirs) if has_markers else None)


def _metadata_plan(
    folder: Folder, stages: dict[int, bytes], shapes: Shapes, take: Side | None
) -> _Plan:
    path = folder.path / METADATA
    ours, theirs = sides_of(stages, path)

    def merge(side: Side) -> MergedText:
        return merge_metadata(stages.get(BASE), ours, theirs, shapes=shapes, take=side)

    merged = merge_unless_fixed(path, stages, merge, take=take, is_sound=_is_sound)
    return _Plan(path, merged.content, merged.clashes) if merged else _Plan(path, None)


def _briefing_plan(folder: Folder, stages: dict[int, bytes]) -> _Plan:
    """The plan for briefing.md; where one side removed it, the other's is kept."""
    path = folder.path / BRIEFING
    ours, theirs = (stages.get(stage, stages.get(other)) or b"" for stage, other in _SIDES)
    try:
        merged = merge_briefings(stages.get(BASE, b""), ours, theirs).content
    except UnmergeableError as error:
        raise unreadable(path, error) from error
    now = read_file(path) if exists(path) else b""
    is_fixed = now not in (b"", ours, theirs, merged) and not conflict_in(
        now.decode(errors="replace")
    )
    return _Plan(path, None if is_fixed else merged)


def _is_sound(path: Path) -> bool:
    try:
        JsonText.parse(read_file(path))
    except (OSError, StoreError, JsonTextError):
        return False
    return True


def _with_spec(workspace: Workspace, folder: Folder, done: MergeResult) -> MergeResult:
    """Update the status in spec.md, unless that is in conflict itself."""
    if done.left:
        return done
    spec = folder.path / SPEC
    try:
        before = read_file(spec) if exists(spec) else None
        increment = workspace.manager.change(folder.name, lambda before, data: [])  # noqa: ARG005
    except StoreError as error:
        return replace(done, warnings=(str(error),))
    changed = before is not None and read_file(spec) != before
    return replace(
        done, paths=(*done.paths, spec) if changed else done.paths, warnings=increment.warnings
    )


def merge_versions(base: Path, ours: Path, theirs: Path, *, shapes: Shapes) -> MergeDriverResult:
    """Merge three versions of a metadata.json for git, as `run_driver`."""
    merge = partial(merge_metadata, shapes=shapes)
    return run_driver((base, ours, theirs), merge, name=METADATA)


def merge_briefing_files(base: Path, ours: Path, theirs: Path) -> MergeDriverResult:
    """Merge three versions of a briefing.md for git, as `run_driver`."""
    return run_driver((base, ours, theirs), merge_briefings, name=BRIEFING)
