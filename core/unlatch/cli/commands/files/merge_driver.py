"""unlatch merge-driver: merge two versions of a metadata.json; git runs it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import click

from unlatch.cli.commands.files.merge import clash_lines
from unlatch.cli.runtime import output

if TYPE_CHECKING:
    from unlatch.cli.table import Entry
    from unlatch.lifecycle.merge import MergeDriverResult

# For git: merged; merged with conflicts left; not merged, so that git has to.
CLEAN, CONFLICT, NOTHING_DONE = 0, 1, 2
_SETUP = "unlatch init --git configures git to run it."
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, cls=_Driver, help=f"{entry.own_help}\n\n{_SETUP}")
    @click.argument("base", type=_FILE)
    @click.argument("ours", type=_FILE)
    @click.argument("theirs", type=_FILE)
    @click.argument("path", required=False, default="metadata.json")
    def run(*, base: Path, ours: Path, theirs: Path, path: str) -> int:
        from unlatch.errors import StoreError  # noqa: PLC0415
        from unlatch.lifecycle.merge import merge_versions  # noqa: PLC0415
        from unlatch.project.registry import Registry, shapes_of  # noqa: PLC0415

        try:
            done = merge_versions(base, ours, theirs, shapes=shapes_of(Registry().manifests))
        except StoreError as error:
            output.talk(f"unlatch: {output.clean(path)}: {output.clean(error.message)}")
            return NOTHING_DONE
        _tell(done, path)
        return CLEAN if done.clean else CONFLICT

    return run


class _Driver(click.Command):
    """Takes every argument as a name: a file of a repository may be called --help."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does after `--`; --help alone asks for help."""
        named = args == ["--help"] or args[:1] == ["--"]
        return super().parse_args(ctx, args if named else ["--", *args])


def _tell(done: MergeDriverResult, path: str) -> None:
    shown = output.clean(path)
    if done.problem:
        output.talk(f"unlatch: {shown} was merged as text: {output.clean(done.problem)}")
    if done.clashes:
        output.talk(f"unlatch: {shown}: both sides changed this, differently:")
        for line in clash_lines(done.clashes):
            output.talk(line)
        name = PurePosixPath(path).parent.name
        output.talk(f"  Next: unlatch merge --resolve {output.clean(name)} --ours (or --theirs)")
