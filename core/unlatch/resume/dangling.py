"""Efforts, sessions and runs that cannot be read, or that name what does not exist."""

from __future__ import annotations

from contextlib import suppress
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.resume.kinds import Dangling, kinds_in
from unlatch.resume.references import References
from unlatch.resume.related import efforts_of, read_filed
from unlatch.worklog.disk.file_check import UnsafePath
from unlatch.worklog.disk.safe_open import open_folder, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.errors import UnlatchError
    from unlatch.project.workspace import Workspace


def dangling(workspace: Workspace) -> Iterator[Dangling]:
    """The links to nothing, of all work that can be read."""
    references = References(workspace)
    if efforts := efforts_of(workspace):
        from unlatch.efforts.store import project_of  # noqa: PLC0415

        for one in efforts.all():
            is_ours = one.project == project_of(workspace)
            if one.increment and is_ours and not references.find(one.increment):
                fix = f"unlatch effort link {quote(one.id)} --remove"
                yield Dangling(f"effort:{one.id}", one.increment, efforts.root / one.id, fix)
    for kind in kinds_in(workspace):
        yield from kind.dangling(workspace, references)


def unreadable(workspace: Workspace) -> Iterator[UnlatchError]:
    """The errors of the files of efforts, sessions, runs and briefings."""
    yield from _unreadable_efforts(workspace)
    for kind in kinds_in(workspace):
        yield from kind.unreadable(workspace)
    for folder in workspace.manager.collection.folders():
        with suppress(OSError, UnsafePath), open_folder(folder.path):  # else its own check fails
            try:
                read_filed(folder.path)
            except StoreError as error:
                yield error


def _unreadable_efforts(workspace: Workspace) -> Iterator[UnlatchError]:
    if (efforts := efforts_of(workspace)) is None:
        return
    yield from efforts.unreadable()
    for one in efforts.all():
        log = efforts.transcript(one.id)
        try:
            read_file(log.folder / log.name, at_most=1)
        except FileNotFoundError:
            message = f"{one.id} has no {log.name}, which it had"
            if one.lines:
                yield StoreError("effort-damaged", message, where=str(log.folder))
        except StoreError as error:
            yield error
        else:
            yield from log.unusable()
