"""Letting git change a checkout and talk to its remote, without questions.

The commits hold the records of increments and nothing else, so local hooks do not run: one that
rejects or reformats them would leave items changed and their records behind. The hooks and the
branch protection of the remote count.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch.project.git.run import NoGit, start_git

if TYPE_CHECKING:
    from pathlib import Path

_SECONDS = 300.0
_SECRET = re.compile(r"(?<=://)[^/@\s]*@")


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
        if paths is not None:
            arguments = (
                *("--literal-pathspecs", *arguments),
                *("--pathspec-from-file=-", "--pathspec-file-nul"),
            )
        try:
            done = start_git(
                self.top,
                *arguments,
                environ={},
                seconds=_SECONDS,
                settings=self.settings,
                fed=os.fsencode("\0".join(paths or ())),
            )
        except NoGit as error:
            raise UsageError("no-git", str(error), hint="install git") from error
        except OSError as error:
            return Ran(-1, b"", without_secrets(str(error)))
        return Ran(done.code, done.out, without_secrets(done.err.decode("utf-8", "replace")))


def without_secrets(said: str) -> str:
    """What git said, without the credentials that it shows in addresses."""
    return _SECRET.sub("", said)
