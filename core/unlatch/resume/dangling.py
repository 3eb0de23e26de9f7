"""Efforts, sessions and runs that cannot be read, or that name what does not exist."""

from __future__ import annotations

from contextlib import suppress
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.resume.references import References
from unlatch.resume.related import PLAN, efforts_of, read_filed, sessions_of
from unlatch.values import dataclass
from unlatch.worklog.disk.file_check import UnsafePath
from unlatch.worklog.disk.safe_open import exists, open_folder, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch.errors import UnlatchError
    from unlatch.project.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Dangling:
    """A link to nothing.

    Args:
        ref: the work that has it, as in effort:auth-bug.
        named: the increment, or effort:ID.
        fix: the command that corrects it; None where a person edits the file.
    """

    ref: str
    named: str
    where: Path
    fix: str | None = None


def dangling(workspace: Workspace) -> Iterator[Dangling]:
    """The links to nothing, of all work that can be read."""
    references = References(workspace)
    efforts = efforts_of(workspace)
    known = set(efforts.names()) if efforts else set()
    if efforts:
        from unlatch.efforts.store import project_of  # noqa: PLC0415

        for one in efforts.all():
            is_ours = one.project == project_of(workspace)
            if one.increment and is_ours and not references.find(one.increment):
                fix = f"unlatch effort link {quote(one.id)} --remove"
                yield Dangling(f"effort:{one.id}", one.increment, efforts.root / one.id, fix)
    yield from _of_sessions(workspace, references, known)
    yield from _of_runs(workspace, references)


def _of_sessions(
    workspace: Workspace, references: References, efforts: set[str]
) -> Iterator[Dangling]:
    if (store := sessions_of(workspace)) is None:
        return
    from unlatch.sessions.store import Broken  # noqa: PLC0415

    for found in store.heads():
        if isinstance(found, Broken):
            continue
        path, meta, _ = found
        ref = f"session:{meta.session_id}"
        if meta.increment and not references.find(meta.increment):
            fix = f"unlatch session link {quote(meta.session_id)} --remove"
            yield Dangling(ref, meta.increment, path, fix)
        # Efforts are private: in another person's checkout they are missing.
        if meta.effort and efforts and meta.effort not in efforts:
            yield Dangling(ref, f"effort:{meta.effort}", path)


def _of_runs(workspace: Workspace, references: References) -> Iterator[Dangling]:
    if not exists(workspace.paths.home / "runs"):
        return
    from unlatch.runs.project import run_store  # noqa: PLC0415

    for folder, plan in run_store(workspace).plans():
        name = plan.removeprefix(PLAN)
        if plan.startswith(PLAN) and not references.find(name):
            place = quote(str(folder.relative_to(workspace.paths.root)))
            fix = f"rename the increment back to {name}, or remove the run: rm -r {place}"
            yield Dangling(f"run:{folder.name}", name, folder, fix)


def unreadable(workspace: Workspace) -> Iterator[UnlatchError]:
    """The errors of the files of efforts, sessions, runs and briefings."""
    yield from _unreadable_efforts(workspace)
    if store := sessions_of(workspace):
        from unlatch.sessions.store import Broken  # noqa: PLC0415

        yield from (one.error for one in store.all() if isinstance(one, Broken))
    if exists(workspace.paths.home / "runs"):
        yield from _unreadable_runs(workspace)
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


def _unreadable_runs(workspace: Workspace) -> Iterator[UnlatchError]:
    from unlatch.runs.journal import read_state  # noqa: PLC0415
    from unlatch.runs.project import run_store  # noqa: PLC0415

    store = run_store(workspace)
    for name in store.names():
        try:
            read_state(store.root / name)
        except StoreError as error:
            yield error
