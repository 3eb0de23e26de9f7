"""Resolving a session's conflict from the versions that git keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.project.git.conflict import (
    BASE,
    MergeResult,
    git_add,
    not_in_conflict,
    sides_of,
    unreadable,
    versions_of,
)
from unlatch.sessions.document import read_document
from unlatch.sessions.merge.documents import merge_sessions
from unlatch.worklog.disk.atomic import replace_file
from unlatch.worklog.disk.folder_lock import folder_lock
from unlatch.worklog.disk.safe_open import read_file
from unlatch.worklog.json_text.three_way import Side
from unlatch.worklog.text_merge import UnmergeableError, taken

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.sessions.store import SessionStore
    from unlatch.worklog.json_text.three_way import Clash


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
            raise not_in_conflict(path.stem, path, path.name)
        ours, theirs = sides_of(versions, path)
        try:
            merged = {one: _merged((versions.get(BASE, b""), ours, theirs), one) for one in Side}
        except UnmergeableError as error:
            if not _is_sound(path):
                raise unreadable(path, error) from error
            merged = {}
        content, clashes = merged.get(take or Side.OURS, (b"", ()))
        # A whole side, or our earlier merge, may still be changed; where nothing can be merged, a
        # sound file is a person's choice.
        unfixed = {ours, theirs, *(one for one, _ in merged.values())}
        is_kept = not merged or (_is_sound(path) and read_file(path) not in unfixed)
        settled = is_kept or take is not None or not clashes
        kept = (path,) if is_kept else ()
        done = MergeResult(path.stem, (path,), kept, clashes, settled)
        if dry_run or not settled:
            return done
        if not is_kept:
            replace_file(path, content, mode=store.mode)
    return git_add(path.parent, done, [path.name]) if add else done


def _merged(versions: tuple[bytes, bytes, bytes], take: Side) -> tuple[bytes, tuple[Clash, ...]]:
    """The merged content with one side's clashes, and these."""
    done = merge_sessions(*versions)
    if not done.clashes:
        return done.content, ()
    text = taken(done.content.decode(), [one.decode() for one in versions], take)
    try:
        read_document(text)
    except StoreError as error:
        raise UnmergeableError(error.message) from error
    return text.encode(), done.clashes


def _is_sound(path: Path) -> bool:
    try:
        read_document(read_file(path).decode())
    except (OSError, StoreError, UnicodeDecodeError):
        return False
    return True
