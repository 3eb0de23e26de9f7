"""unlatch agents trust."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from unlatch.agents.trust import trust, withdraw_trust
from unlatch.cli.options.common import JSON, flag
from unlatch.cli.runtime.context import with_session
from unlatch.cli.terminal import output
from unlatch.increments.files.paths import find_paths
from unlatch.project.workspace import utc_now

if TYPE_CHECKING:
    from unlatch.cli.runtime.session import Session


@click.command(
    "trust", help="Let agents see this checkout's records, and git run its hooks. (local)"
)
@click.argument(
    "folder", metavar="[PATH]", required=False, type=click.Path(exists=True, path_type=Path)
)
@flag("--remove", help="Trust it no longer.")
@JSON
@with_session
def trust_agents(session: Session, *, folder: Path | None, remove: bool, as_json: bool) -> int:
    root = (find_paths(folder.absolute()) if folder else session.paths).root
    if remove:
        was_trusted = withdraw_trust(root)
    else:
        trust(root, now=utc_now())
    if as_json:
        output.document("agents-trust", root=str(root), trusted=not remove)
    elif not remove:
        output.ok(f"trusted: {root}")
        output.talk("Agents get briefings of its increments; sync --commit runs its git hooks.")
        output.talk("--remove takes that back.")
    elif was_trusted:
        output.ok(f"no longer trusted: {root}")
    else:
        output.talk(f"{root} was not trusted.")
    return 0
