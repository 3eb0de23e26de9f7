"""Setting a project up: nothing that is there is changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.increments.files.layout import Layout, layout_at
from unlatch.project.git.folder import check_git_folder
from unlatch.project.git.run import ask_git
from unlatch.worklog.atomic import replace_file, writing
from unlatch.worklog.safe_open import UnsafePath, exists, make_folders

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from unlatch.spi import Manifest

_TEMPLATE = """\
# Configuration of unlatch; every setting is explained in docs/configuration.md.
# Tokens never stand here: they come from the environment or `unlatch auth login`.

# comment = "full"            # what is posted on an item: full, short or none

# [labels]
# reopened = "reopened"
# completed = "completed"
"""


@dataclass(frozen=True, slots=True)
class SetUp:
    """What setting up made.

    Args:
        made: files and folders that were not there before.
    """

    layout: Layout
    made: tuple[Path, ...]


def set_up(root: Path, manifests: Iterable[Manifest]) -> SetUp:
    """Make `.unlatch` with a configuration to fill in, and a place for increments.

    A project that has `.specweave/increments` keeps its increments there. What git's remote
    `origin` tells of a tracker is filled in; the other trackers' tables are proposed.

    Raises:
        StoreError: `not-writable`.
    """
    layout = layout_at(root.absolute())
    made: list[Path] = []
    for folder in (layout.home, layout.increments):
        if not exists(folder):
            with writing(folder):
                make_folders(folder)
            made.append(folder)
    if not exists(layout.config):
        replace_file(layout.config, _config(layout.root, manifests).encode())
        made.append(layout.config)
    return SetUp(layout, tuple(made))


def _config(root: Path, manifests: Iterable[Manifest]) -> str:
    remote = _remote(root)
    tables = (_table(manifest, remote) for manifest in manifests)
    return "\n".join((_TEMPLATE, *filter(None, tables)))


def _remote(root: Path) -> str:
    """The address of git's remote `origin`; empty where the repository is not the project's."""
    try:
        check_git_folder(root)
    except UnsafePath:
        return ""
    return ask_git(root, "remote", "get-url", "origin") or ""


def _table(manifest: Manifest, remote: str) -> str:
    """The tracker's table, or a proposal that is commented out."""
    told = manifest.from_remote(remote) if manifest.from_remote else None
    if told:
        return told
    return "".join(f"# {line}\n" for line in manifest.example.splitlines())
