"""Asking a vendor's own program for the token that it keeps."""

from __future__ import annotations

import os
from pathlib import Path

from unlatch.worklog.programs import find_program, run

_SECONDS = 10.0
_MOST_BYTES = 1_000_000


def run_program(argv: tuple[str, ...]) -> str | None:
    """What a program prints, or None if it is not there, fails, or takes longer than 10 s.

    Its standard error is thrown away: it may repeat a token, and whoever wants to know why `gh` is
    not signed in asks `gh`. It runs in the root folder: `az` may be a Python program that imports
    modules from the current folder.
    """
    program = find_program(argv[0])
    if program is None:
        return None
    try:
        done = run(
            [program, *argv[1:]],
            cwd=Path(os.sep).absolute(),
            environ=os.environ,
            seconds=_SECONDS,
            most=_MOST_BYTES,
        )
        return done.out.decode("utf-8") if done.code == 0 else None
    except (OSError, UnicodeDecodeError):
        return None
