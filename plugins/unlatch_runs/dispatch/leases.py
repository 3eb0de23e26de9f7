"""The leases of a run on this machine's disk: a file each, in the folder of its state.

leases/epoch              the highest epoch that was seen
leases/active/ULID.json   a lease; written before its worker starts
leases/ending/ULID.json   a lease whose worker is being ended, and does not start any more
leases/ended/ULID.json    a lease of the past: its run id is used up
leases/locks/ULID         the lock of the worker and its children; see `launcher`
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from enum import StrEnum
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.worklog.disk.atomic import PRIVATE, move_folder, remove_file, replace_file, sweep
from unlatch.worklog.disk.folder_lock import folder_lock
from unlatch.worklog.disk.private_folder import make_private
from unlatch.worklog.disk.safe_open import exists, open_folder, read_file
from unlatch.worklog.ids import is_ulid
from unlatch.worklog.json_text import json_or_none
from unlatch.worklog.record import NUMBER, TEXT, TIME, ULID, BadRecord, Field, Record, object_in
from unlatch_runs.dispatch.port import Lease, StaleEpoch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_LEASE = Record(
    "Lease",
    Lease.__doc__ or "",
    Lease,
    Field("runId", ULID, "run_id", required=True),
    Field("taskId", TEXT, "task_id", required=True),
    Field("epoch", NUMBER, "epoch", required=True),
    Field("until", TIME, "until", required=True),
)


class State(StrEnum):
    """Which folder a lease is in."""

    ACTIVE = "active"
    ENDING = "ending"
    ENDED = "ended"


class LeaseStore:
    """The leases below the folder of a run; changes are made with `locked` held."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "leases"

    def locked(self) -> AbstractContextManager[None]:
        """Keep other processes from changing leases; StoreError `locked`. Makes the folders."""
        for folder in (self.folder, *(self.folder / name for name in (*State, "locks"))):
            make_private(folder)
        return folder_lock(self.folder)

    def sweep(self) -> None:
        """Remove the files of writers that died."""
        for folder in (self.folder, *(self.folder / name for name in State)):
            sweep(folder)

    def admit(self, epoch: int) -> None:
        """Remember an epoch; StaleEpoch if a higher one was seen."""
        seen = self.epoch()
        if epoch < seen:
            message = "another coordinator has taken over this run"
            hint = f"unlatch run status {quote(self.folder.parent.name)}"
            raise StaleEpoch("run-taken-over", message, where=str(self.folder), hint=hint)
        if epoch > seen:
            replace_file(self.folder / "epoch", f"{epoch}\n".encode(), mode=PRIVATE)

    def epoch(self) -> int:
        """The highest epoch that was seen."""
        path = self.folder / "epoch"
        try:
            return int(read_file(path, at_most=32))
        except FileNotFoundError:
            return 0
        except ValueError as error:
            raise _damaged(path, "it is not a number") from error

    def find(self, run_id: str) -> tuple[Lease, State] | None:
        """The lease of a run id, if it ever had one."""
        for state in State:
            with suppress(FileNotFoundError):
                return self._read(self._path(run_id, state)), state
        return None

    def state(self, run_id: str) -> State | None:
        """The state of the lease of a run id, if it ever had one."""
        return next((state for state in State if exists(self._path(run_id, state))), None)

    def list(self, *states: State) -> Iterator[Lease]:
        """The leases in these states, by their run ids."""
        for state in states:
            names: Iterable[str] = ()
            with suppress(FileNotFoundError), open_folder(self.folder / state) as opened:
                names = (name.removesuffix(".json") for name in opened.names())
            for run_id in filter(is_ulid, names):
                with suppress(FileNotFoundError):  # it was moved meanwhile
                    yield self._read(self._path(run_id, state))

    def write(self, lease: Lease) -> None:
        """Write an active lease, on disk when this returns."""
        content = json.dumps(_LEASE.write(lease), ensure_ascii=False, indent=2)
        path = self._path(lease.run_id, State.ACTIVE)
        replace_file(path, f"{content}\n".encode(), mode=PRIVATE)

    def move(self, run_id: str, state: State) -> None:
        """Move a lease on to a later state, on disk when this returns."""
        before = self.state(run_id)
        if before not in (None, state):
            move_folder(self._path(run_id, before), self._path(run_id, state))
        if state is State.ENDED:
            remove_file(self.lock(run_id))

    def lock(self, run_id: str) -> Path:
        return self.folder / "locks" / run_id

    def active(self, run_id: str) -> Path:
        """The file that is there as long as the worker may start."""
        return self._path(run_id, State.ACTIVE)

    def _path(self, run_id: str, state: State) -> Path:
        if not is_ulid(run_id):
            raise ValueError(f"not a ULID: {run_id!r}")
        return self.folder / state / f"{run_id}.json"

    def _read(self, path: Path) -> Lease:
        try:
            value = json_or_none(read_file(path).decode(errors="replace"))
            lease: Lease = _LEASE.read(object_in(value, ""))
            return replace(lease, run_id=path.stem)
        except BadRecord as error:
            raise _damaged(path, str(error).lstrip("/")) from error


def _damaged(path: Path, why: str) -> StoreError:
    return StoreError(
        "lease-damaged",
        f"{path.name} is damaged: {why}",
        where=str(path),
        hint="restore the file, or start the plan as a new run",
    )
