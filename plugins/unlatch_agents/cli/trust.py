"""unlatch agents trust."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import flag, with_json
from unlatch.cli.terminal import output
from unlatch.increments.files.paths import find_paths
from unlatch.project.workspace import Workspace, utc_now
from unlatch.worklog.text.neutral import without_passwords
from unlatch_agents.hooks.trust import trust, withdraw_trust
from unlatch_agents.hooks.trusted_texts import agree_to_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.cli.runtime.context import Context
    from unlatch_agents.hooks.tracked_branch import TrackedBranch


@click.command(
    "trust", help="Let agents see this checkout's records, and git run its hooks. (local)"
)
@click.argument(
    "folder", metavar="[PATH]", required=False, type=click.Path(exists=True, path_type=Path)
)
@flag("--remove", help="Trust it no longer.")
@with_json
def trust_agents(context: Context, *, folder: Path | None, remove: bool, as_json: bool) -> int:
    paths = find_paths(folder.absolute()) if folder else context.paths
    root, branch = paths.root, None
    if remove:
        was_trusted = withdraw_trust(root)
    else:
        trust(root, now=utc_now())
        branch = agree_to_all(Workspace(paths, os.environ))
    if as_json:
        entry = branch and output.fields(branch, "remote", "name") | {"address": _address(branch)}
        output.document("agents-trust", root=str(root), trusted=not remove, branch=entry)
    elif not remove:
        output.ok(f"trusted: {root}")
        output.talk(*_covered(branch), "sync --commit runs its git hooks.")
        output.talk("--remove takes that back.")
    elif was_trusted:
        output.ok(f"no longer trusted: {root}")
    else:
        output.talk(f"{root} was not trusted.")
    return 0


def _covered(branch: TrackedBranch | None) -> Iterator[str]:
    """What hooks may quote to agents."""
    yield "Agents get briefings of its increments: the texts that are here now, and"
    own = "those that you write with unlatch in this checkout"
    if branch is None:
        yield f"{own}."
    else:
        place = f"{branch.name} of {branch.remote} ({_address(branch)})"
        yield f"{own} or fetch with {place}."


def _address(branch: TrackedBranch) -> str:
    return without_passwords(branch.address)
