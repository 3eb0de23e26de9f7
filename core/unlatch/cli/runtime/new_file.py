"""New files at a place that the user names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.errors import StoreError

if TYPE_CHECKING:
    import click

STDOUT = Path("-")


def none_for_stdout(
    _ctx: click.Context, _option: click.Parameter, value: Path | None
) -> Path | None:
    """The file of an option, which writes to stdout without one, and for -."""
    return None if value == STDOUT else value


def write_new(file: Path, text: str) -> None:
    """Write a file that only its owner can read; StoreError `not-writable` if it exists."""
    # A lone surrogate has no UTF-8 form.
    content = text.encode(errors="backslashreplace")
    try:
        private = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(private, "wb") as opened:
            opened.write(content)
    except OSError as error:
        message = f"cannot write {file}: {error.strerror}"
        raise StoreError("not-writable", message, hint="choose another file") from error
