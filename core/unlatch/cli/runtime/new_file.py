"""New files at a place that the user names."""

from __future__ import annotations

import os
from pathlib import Path

import click

from unlatch.errors import StoreError

STDOUT = Path("-")

# The value is None for stdout.
OUTPUT = click.option(
    "--output",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=lambda _ctx, _option, value: None if value == STDOUT else value,
    help="Write to this file, which must not exist; by default to stdout.",
)


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
