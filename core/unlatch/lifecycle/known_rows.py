"""The rows of long lists between runs, as git's index knows files: docs/adr/0024."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from unlatch import __version__
from unlatch.errors import StoreError
from unlatch.increments.files.metadata_file import words_of
from unlatch.increments.files.paths import METADATA, SPEC
from unlatch.increments.files.snapshots import read_folder
from unlatch.increments.model.increment import Increment
from unlatch.lifecycle.listing import ListRow, row_of
from unlatch.worklog.disk.user_files import read_user_file, state_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from unlatch.increments.model.increment import BrokenIncrement
    from unlatch.increments.records.shapes import Shapes
    from unlatch.worklog.collection import Folder

_FORMAT = 2
# Bytes; a row has about 250.
_LARGEST = 64 << 20
_FEW = 50
# Nanoseconds. A file may change twice within one tick of its file system's clock, and the longest
# tick is that of FAT.
_UNSURE = 2_000_000_000
# So many facts about a folder, the last ones, are times.
_TIMES = 4


class KnownRows:
    """The rows of a project's increments, each valid while its files are unchanged.

    Only rows that metadata.json and spec.md alone determine are kept. Other increments are read.

    Args:
        root: of the project.
        now: nanoseconds since the epoch.
    """

    def __init__(
        self, root: Path, shapes: Shapes, *, now: Callable[[], int] = time.time_ns
    ) -> None:
        self._root, self._shapes, self._now = root, shapes, now
        # Versions and plugins may read the same files differently, and Pythons hash differently.
        self._about = f"{_FORMAT} {__version__} {shapes} {sys.version}".encode()

    def each(
        self, folders: Sequence[Folder], *, complete: bool
    ) -> Iterator[ListRow | Increment | BrokenIncrement]:
        """The increments in some folders; `complete` if the project has no others."""
        rows, new = self._read(), {}
        sure_before = self._now() - _UNSURE
        for folder in folders:
            mark = hash(facts) if (facts := _facts(folder)) else None
            if mark and (row := rows.get(folder.place)) and row[0] == mark:
                yield ListRow(folder.name, folder.archived, *row[1:])
                continue
            increment = read_folder(folder, self._shapes)
            if (
                facts
                and isinstance(increment, Increment)
                and _is_sure(increment, facts, sure_before)
            ):
                list_row = row_of(increment)
                new[folder.place] = (
                    mark,
                    list_row.status,
                    list_row.links,
                    list_row.pending,
                    list_row.title,
                )
            yield increment
        # Writing all rows takes as long as reading this part of them.
        if len(new) > len(folders) // _FEW:
            kept = (folder.place for folder in folders) if complete else rows
            self._write({**{place: rows[place] for place in kept if place in rows}, **new})

    @property
    def _file(self) -> Path:
        return state_folder(self._root) / "rows.json"

    def _read(self) -> dict[Path | str, Any]:
        with suppress(OSError, ValueError, RecursionError):
            digest, _, content = read_user_file(self._file, at_most=_LARGEST).partition(b"\n")
            if digest == self._digest(content):
                return dict(json.loads(content))
        return {}

    def _write(self, rows: dict[Any, Any]) -> None:
        from unlatch.worklog.disk.atomic import PRIVATE, replace_file  # noqa: PLC0415

        content = json.dumps(rows).encode()
        with suppress(StoreError):
            replace_file(self._file, self._digest(content) + b"\n" + content, mode=PRIVATE)

    def _digest(self, content: bytes) -> bytes:
        from hashlib import sha256  # noqa: PLC0415  (short lists do without)

        return sha256(self._about + content).hexdigest().encode()


def _facts(folder: Folder) -> tuple[int, ...] | None:
    """What any change to its files changes; None if they have to be read."""
    name, within = folder.name, folder.within
    if within is None or name in within.links:
        return None
    try:
        data = within.lstat(f"{name}{os.sep}{METADATA}")
        spec = within.lstat(f"{name}{os.sep}{SPEC}")
    except OSError:
        return None
    return (
        *(data.st_ino, data.st_size, spec.st_ino, spec.st_size),
        *(data.st_mtime_ns, spec.st_mtime_ns, data.st_ctime_ns, spec.st_ctime_ns),
    )


def _is_sure(increment: Increment, facts: tuple[int, ...], before: int) -> bool:
    """Whether a row shows all of an increment that `list` tells, and any change is noticed."""
    if increment.from_spec or increment.unit or max(facts[-_TIMES:]) >= before:
        return False
    # With the words of the folder's name, a document may be unreadable, which `list` reports.
    return increment.title != words_of(increment.id)
