"""The texts of a trusted checkout that hooks may show to an agent.

A checkout has branches of many people, and files that anyone may have written. So trust covers what
this user wrote with unlatch in it, what they agreed to, and the remote-tracking branch that they
trusted.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.increments.files.paths import BRIEFING, METADATA
from unlatch.increments.files.work.files import files_of
from unlatch.related.kinds import RelatedWork, kinds_in
from unlatch.worklog.disk.atomic import PRIVATE, replace_file
from unlatch.worklog.disk.own_texts import OwnTexts, agree_to_texts, trusted_folder
from unlatch.worklog.disk.safe_open import read_file
from unlatch.worklog.disk.user_files import read_user_file
from unlatch.worklog.json_text import load_json
from unlatch_agents.hooks.tracked_branch import (
    TrackedBranch,
    blobs_at,
    commits_of,
    upstream_branch,
)
from unlatch_agents.hooks.trust import BRANCH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace
    from unlatch.related.belonging import Related


class TrustedTexts:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace, self._root = workspace, workspace.paths.root
        self._own = OwnTexts(self._root)

    def covers(self, *paths: Path) -> bool:
        """Whether the user wrote these files or trusts them; a missing one has no text."""
        texts = {path: text for path in paths if (text := _read(path)) is not None}
        left = [path for path, text in texts.items() if not self._own.has(text)]
        if not all(path.is_relative_to(self._root) for path in left):
            return False
        if not left:
            return True
        ids = {blob for at in self._commits for blob in blobs_at(self._root, at, left)}
        return all(self._own.has(texts[path], ids) for path in left)

    def knows(self, path: Path) -> bool:
        """Whether the user made a file of this name or trusts it."""
        if self._own.has_name(path):
            return True
        return path.is_relative_to(self._root) and any(
            [*blobs_at(self._root, at, [path])] for at in self._commits
        )

    @cached_property
    def _commits(self) -> tuple[str, ...]:
        branch = trusted_branch(self._root)
        return tuple(commits_of(self._root, branch)) if branch else ()

    def covers_metadata(self, increment: Increment) -> bool:
        return self.covers(increment.folder / METADATA)

    def covers_documents(self, increment: Increment) -> bool:
        files = files_of(increment)
        return self.covers(*(files.place / name for name in files.names))

    def covers_name(self, increment: Increment) -> bool:
        files = files_of(increment)
        return any(self.knows(files.place / name) for name in files.names)

    def only_covered(self, increment: Increment, related: Related) -> Related:
        """The other work of an increment without what is not covered."""
        is_filed = self.covers(increment.folder / BRIEFING)
        return replace(
            related,
            others=tuple(self._covered(related.others)),
            filed=related.filed if is_filed else None,
        )

    def _covers_named(self, *paths: Path) -> bool:
        """Whether files are covered, and the name that they have in common, which is shown."""
        return not paths or (self.covers(*paths) and any(map(self.knows, paths)))

    def _covered(self, others: Iterable[RelatedWork]) -> Iterator[RelatedWork]:
        """The work that is covered, without what it has from files that are not."""
        covers = cache(self.covers)
        for related in others:
            is_covered = self._covers_named(*related.work.files)
            if is_covered and (work := related.work.limited(covers)):
                yield replace(related, work=work)


def agree_to_all(workspace: Workspace) -> TrackedBranch | None:
    """Note that the user agrees to the texts as they are, and trusts the branch that they follow.

    Returns:
        The branch, if there is one.
    """
    root = workspace.paths.root
    agree_to_texts(root, _texts(workspace))
    branch = upstream_branch(root)
    if (folder := trusted_folder(root)) and branch:
        replace_file(folder / BRANCH, json.dumps(asdict(branch)).encode(), mode=PRIVATE)
    return branch


def trusted_branch(root: Path) -> TrackedBranch | None:
    with suppress(OSError, TypeError, ValueError):
        if folder := trusted_folder(root):
            return TrackedBranch(**load_json(read_user_file(folder / BRANCH)))
    return None


def _texts(workspace: Workspace) -> Iterator[Path]:
    """The files with words that a briefing can have."""
    for increment in workspace.manager.read_all()[0]:
        yield from (increment.folder / METADATA, increment.folder / BRIEFING)
        with suppress(StoreError):  # its layout is not installed
            files = files_of(increment)
            yield from (files.place / name for name in files.names)
    for kind in kinds_in(workspace):
        yield from kind.files(workspace)


def _read(path: Path) -> bytes | None:
    """The text of a file; None if it is missing, and b"" if it cannot be read."""
    try:
        return read_file(path)
    except FileNotFoundError:
        return None
    except (OSError, StoreError):
        return b""
