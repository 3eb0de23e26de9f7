"""Setting a project up: nothing that is there is changed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.engine.git import ask_git
from unlatch.store.atomic import replace_file, writing
from unlatch.store.layout import Layout, layout_at
from unlatch.store.locks import prepare_local

if TYPE_CHECKING:
    from pathlib import Path

_GITHUB_REMOTE = re.compile(r"(?:https://|ssh://git@|git@)github\.com[:/](?P<name>[^/\s]+/[^/\s]+)")

_TEMPLATE = """\
# Configuration of unlatch; every setting is explained in docs/configuration.md.
# Tokens never stand here: they come from the environment or `unlatch auth login`.

# comment = "full"            # what is posted on an item: full, short or none

[labels]
reopened = "reopened"
completed = "completed"

{github}
# [trackers.ado]
# organization_url = "https://dev.azure.com/fabrikam"
# project = "widgets"

# [trackers.jira]
# site = "https://acme.atlassian.net"
# project = "SCRUM"
"""
_GITHUB = """\
{off}[trackers.github]
{off}repository = "{repository}"
"""


@dataclass(frozen=True, slots=True)
class SetUp:
    """What setting up made.

    Args:
        made: files and folders that were not there before.
    """

    layout: Layout
    made: tuple[Path, ...]


def set_up(root: Path) -> SetUp:
    """Make `.unlatch` with a configuration to fill in, and a place for increments.

    A project that has `.specweave/increments` keeps its increments there. The repository on
    GitHub is taken from git's remote `origin`.

    Raises:
        StoreError: `not-writable`.
    """
    layout = layout_at(root.absolute())
    made: list[Path] = []
    for folder in (layout.home, layout.increments):
        if not folder.is_dir():
            with writing(folder):
                folder.mkdir(parents=True)
            made.append(folder)
    prepare_local(layout)
    if not layout.config.exists():
        replace_file(layout.config, _config(layout.root).encode())
        made.append(layout.config)
    return SetUp(layout, tuple(made))


def _config(root: Path) -> str:
    found = github_repository(root)
    off = "" if found else "# "
    return _TEMPLATE.format(github=_GITHUB.format(off=off, repository=found or "octo/widgets"))


def github_repository(root: Path) -> str | None:
    """owner/name of the repository that git's remote `origin` names on github.com."""
    url = ask_git(root, "remote", "get-url", "origin") or ""
    match = _GITHUB_REMOTE.match(url)
    return match["name"].removesuffix(".git").rstrip("/") if match else None
