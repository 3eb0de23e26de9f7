"""Resolving a session's conflict from the versions that git keeps."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.project.git.conflict import (
    BASE,
    MergeResult,
    git_add,
    merge_unless_fixed,
    not_in_conflict,
    sides_of,
    versions_of,
)
from unlatch.worklog.disk.atomic import replace_file
from unlatch.worklog.disk.folder_lock import folder_lock
from unlatch.worklog.disk.safe_open import read_file
from unlatch.worklog.text.merge import MergedText, UnmergeableError
from unlatch_sessions.document import read_document
from unlatch_sessions.merge.documents import merge_sessions
from unlatch_sessions.merge.regions import taken

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.worklog.text.merge import Side
    from unlatch_sessions.store import SessionStore


def resolve_session(
    store: SessionStore, wanted: str, *, take: Side | None, add: bool, dry_run: bool = False
) -> MergeResult:
    """Merge a session's file from the three versions that git keeps of it.

    Nothing is written while a decision is left for people.

    Args:
        take: the side to take in a clash.
        add: also git add the file.

    Raises:
        UsageError: `session-unknown` or `session-ambiguous`.
        StoreError: `not-in-conflict`, `conflict-one-sided`, `conflict-unreadable`,
            `file-too-large`, `git-add-failed` or `not-writable`.
    """
    path = store.find(wanted)
    with folder_lock(store.root):
        versions = versions_of(path.parent, path.name)
        if not versions:
            raise not_in_conflict(path.stem, path)
        ours, theirs = sides_of(versions, path)
        sides = (versions.get(BASE, b""), ours, theirs)
        merged = merge_unless_fixed(
            path, versions, partial(_merged, sides), take=take, is_sound=_is_sound
        )
        clashes = merged.clashes if merged else ()
        settled = take is not None or not clashes
        kept = () if merged else (path,)
        done = MergeResult(path.stem, (path,), kept, clashes, settled)
        if dry_run or not settled:
            return done
        if merged:
            replace_file(path, merged.content, mode=store.mode)
    return git_add(path.parent, done, [path.name]) if add else done


def _merged(versions: tuple[bytes, bytes, bytes], take: Side) -> MergedText:
    """The merge with one side of each clash."""
    done = merge_sessions(*versions)
    if not done.clashes:
        return done
    text = taken(done.content.decode(), [one.decode() for one in versions], take)
    try:
        read_document(text)
    except StoreError as error:
        raise UnmergeableError(error.message) from error
    return MergedText(text.encode(), done.clashes)


def _is_sound(path: Path) -> bool:
    try:
        read_document(read_file(path).decode())
    except (OSError, StoreError, UnicodeDecodeError):
        return False
    return True
