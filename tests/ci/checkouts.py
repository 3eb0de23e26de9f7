"""Checkouts with programs and settings of their own, in a job and on a person's machine."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.ci.jobs import GITHUB, Job
from tests.git.clone import NAME

FILE = f".unlatch/increments/{NAME}/metadata.json"
PUBLISH = ("sync", "--yes", "--commit", "push")
ALLOW_LOCAL = '[protocol "file"]\n allow = always\n'
# Another account.
OTHER = 54321
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
_ON_GITHUB = (*GITHUB, "GITHUB_WORKSPACE")


def started(ran: Path) -> list[str]:
    """The programs that ran."""
    return sorted(path.name for path in ran.iterdir())


def program(ran: Path, name: str, then: str = "exit 0", *, at: Path | None = None) -> Path:
    """Write a program that leaves a file behind when it runs."""
    path = at or ran.parent / "programs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    # Another process writes it: one that starts meanwhile would keep the file open.
    script = f"#!/bin/sh\n: > '{ran / name}'\n{then}\n"
    writes = ["sh", "-c", 'cat > "$0"; chmod +x "$0"', str(path)]
    subprocess.run(writes, input=script, text=True, check=True)
    return path


def archive(here: Job) -> Job:
    """The same folder, with its .git, as a person on their own machine would have unpacked it."""
    kept = {name: one for name, one in here.extra.items() if name not in _ON_GITHUB}
    root = here.root.with_name("unpacked")
    shutil.copytree(here.root, root, symlinks=True)
    own = root.with_name("gitconfig")
    own.write_text("[user]\n name = Gil\n email = gil@example.com\n")
    member = Job(root, extra={**kept, "GIT_CONFIG_GLOBAL": str(own)})
    member.git("checkout", "--quiet", "-B", "main")
    return member


def append(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as file:
        file.write(text)


def set_here(checkout: Job, text: str) -> None:
    """Add to the git configuration of a checkout."""
    append(checkout.root / ".git/config", text)


def set_own(checkout: Job, text: str) -> None:
    """Add to the git configuration of its user."""
    append(Path(checkout.extra["GIT_CONFIG_GLOBAL"]), text)


def attribute(checkout: Job, line: str) -> None:
    append(checkout.root / ".git/info/attributes", f"{line}\n")


def give_away(folder: Path) -> None:
    """Make a folder with all its files that of another account."""
    for place in (folder, *folder.rglob("*")):
        os.chown(place, OTHER, -1, follow_symlinks=False)
