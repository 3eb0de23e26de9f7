"""The files that workers write to: `workers/ULID.out` and `.err` in the folder of a run.

They are no pipes, so that a worker whose coordinator died goes on, and its answer can be read.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import partial
from typing import IO, TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.values import dataclass
from unlatch.worklog.disk.atomic import PRIVATE, remove_file
from unlatch.worklog.disk.private_folder import make_private
from unlatch.worklog.disk.safe_open import exists, open_folder
from unlatch.worklog.ids import is_ulid

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CHUNK = 1 << 16
_TAIL = 4096


@dataclass(slots=True)
class Written:
    """A file to which a worker writes, and how far it was read."""

    file: IO[bytes]
    at: int = 0

    @property
    def size(self) -> int:
        return os.fstat(self.file.fileno()).st_size

    def read(self) -> bytes:
        """The next piece; empty if there is none yet."""
        if self.size < self.at:
            self.at = 0  # the worker opened /dev/stdout once more, which empties a file
        piece = os.pread(self.file.fileno(), _CHUNK, self.at)
        self.at += len(piece)
        return piece

    def close(self, *, most: int | None = None) -> str:
        """Close the file, cut to `most` bytes; returns the end of the whole."""
        start = max(0, self.size - _TAIL)
        tail = os.pread(self.file.fileno(), _TAIL, start).decode("utf-8", errors="replace")
        if most is not None and self.size > most:
            self.file.truncate(most)
        self.file.close()
        return tail


@dataclass(frozen=True, slots=True)
class WorkerFiles:
    """The files in one folder; the outputs of workers stay until their answers are recorded."""

    folder: Path

    @contextmanager
    def created(self, run_id: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """New files for the output and the errors of a worker, open for writing."""
        make_private(self.folder)
        with self._open(run_id, "out", "ab") as out, self._open(run_id, "err", "ab") as err:
            yield out, err

    def open(self, run_id: str) -> tuple[Written, Written]:
        """The output and the errors of a worker; StoreError for one that is too large."""
        out = self._open(run_id, "out", "rb")
        try:
            return Written(out), Written(self._open(run_id, "err", "r+b"))
        except BaseException:
            out.close()
            raise

    def is_readable(self, run_id: str) -> bool:
        try:
            written = self.open(run_id)
        except (FileNotFoundError, StoreError):
            return False
        for file in written:
            file.close()
        return True

    def remove_output(self, run_id: str) -> None:
        remove_file(self.folder / f"{run_id}.out")

    def outputs(self) -> list[str]:
        """The run ids whose output is there."""
        if not exists(self.folder):
            return []
        with open_folder(self.folder) as folder:
            names = [name.removesuffix(".out") for name in folder.names() if name.endswith(".out")]
        return [run_id for run_id in names if is_ulid(run_id)]

    def _open(self, run_id: str, kind: str, mode: str) -> IO[bytes]:
        with open_folder(self.folder) as folder:
            opener = partial(folder.file, mode=PRIVATE)
            return open(f"{run_id}.{kind}", mode, buffering=0, opener=opener)
