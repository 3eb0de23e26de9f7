"""Asking a vendor's own program for the token that it keeps."""

from __future__ import annotations

import shutil
import subprocess

_TIMEOUT = 10.0


def run_program(argv: tuple[str, ...]) -> str | None:
    """What a program prints, or None if it is not there, fails, or takes longer than 10 s.

    Its standard error is thrown away: it may repeat a token, and whoever wants to know why `gh` is
    not signed in asks `gh`.
    """
    program = shutil.which(argv[0])
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603  # an argument list from a manifest, no shell
            [program, *argv[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT,
            check=True,
            encoding="utf-8",
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout
