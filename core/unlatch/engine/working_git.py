"""Letting git change a checkout and talk to its remote: argument lists, no shell, no questions."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

_PATIENCE = 300.0
_SECRET = re.compile(r"(?<=://)[^/@\s]*@")
# Nobody is there to be asked, and what git says is read.
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "LC_ALL": "C"}


@dataclass(frozen=True, slots=True)
class Ran:
    """What a git command came to."""

    code: int
    out: bytes
    said: str

    @property
    def is_done(self) -> bool:
        """Whether it did what it was asked for."""
        return self.code == 0

    @property
    def line(self) -> str:
        """What it printed, as one value."""
        return os.fsdecode(self.out).strip()

    @property
    def complaint(self) -> str:
        """Why it did not, in git's words."""
        lines = [line.strip() for line in self.said.splitlines() if line.strip()]
        # Advice follows the error, and says nothing about it.
        errors = [line for line in lines if line.startswith(("fatal:", "error:", "remote:"))]
        return "; ".join(errors[:2] or lines[-1:]) or f"exit code {self.code}"


@dataclass(frozen=True, slots=True)
class WorkingGit:
    """git in one checkout.

    Args:
        top: the top of the checkout.
        settings: settings for these commands alone.
    """

    top: Path
    settings: tuple[tuple[str, str], ...] = ()

    def __call__(self, *arguments: str, paths: tuple[str, ...] | None = None) -> Ran:
        """Run a git command.

        Args:
            paths: files that it is about, from the top, to the letter.
        """
        git = shutil.which("git")
        if git is None:
            raise UsageError("no-git", "git is not installed", hint="install it")
        given = [part for name, value in self.settings for part in ("-c", f"{name}={value}")]
        if paths is not None:
            given.append("--literal-pathspecs")
            arguments = (*arguments, "--pathspec-from-file=-", "--pathspec-file-nul")
        fed = "\0".join(paths or ())
        try:
            done = subprocess.run(  # noqa: S603  (an argument list of our own)
                [git, *given, *arguments],
                cwd=self.top,
                env={**os.environ, **_QUIET},
                input=os.fsencode(fed),
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            return Ran(-1, b"", without_secrets(str(error)))
        return Ran(done.returncode, done.stdout, without_secrets(os.fsdecode(done.stderr)))


def without_secrets(said: str) -> str:
    """What git said, without the credentials that it shows in addresses."""
    return _SECRET.sub("", said)
