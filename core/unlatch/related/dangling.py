"""Efforts, sessions and runs that cannot be read, or that name what does not exist."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.related.belonging import read_filed
from unlatch.related.kinds import Dangling, kinds_in
from unlatch.related.references import References
from unlatch.worklog.disk.file_check import UnsafePath
from unlatch.worklog.disk.safe_open import open_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.errors import UnlatchError
    from unlatch.project.workspace import Workspace


def dangling(workspace: Workspace) -> Iterator[Dangling]:
    """The links to nothing, of all work that can be read."""
    references = References(workspace)
    for kind in kinds_in(workspace):
        yield from kind.dangling(workspace, references)


def unreadable(workspace: Workspace) -> Iterator[UnlatchError]:
    """The errors of the files of efforts, sessions, runs and briefings."""
    for kind in kinds_in(workspace):
        yield from kind.unreadable(workspace)
    for folder in workspace.manager.collection.folders():
        with suppress(OSError, UnsafePath), open_folder(folder.path):  # else its own check fails
            try:
                read_filed(folder.path)
            except StoreError as error:
                yield error
