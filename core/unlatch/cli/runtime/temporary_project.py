"""The folder of a demo, which leaves nothing on the machine."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from unlatch.worklog.disk.user_files import state_folder

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def temporary_project(command: str) -> Iterator[Path]:
    """A new folder for a command's project; it is removed at the end, with its local state."""
    prefix = f"unlatch-{command.replace(' ', '-')}-"
    with TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder:
        root = Path(folder).resolve()
        try:
            yield root
        finally:
            shutil.rmtree(state_folder(root), ignore_errors=True)
