"""unlatch merge and merge-driver: resolve git conflicts in an increment, and merge for git."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.common import flag, with_json
from unlatch.cli.runtime.failure import UNDECIDED
from unlatch.cli.runtime.increments import named_increment
from unlatch.cli.runtime.work_references import read_reference
from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch.increments.files.paths import BRIEFING, METADATA
from unlatch.project.registry import Registry, shapes_of
from unlatch_merge.outcome import ABSENT, Clash, Side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.cli.runtime.context import Context
    from unlatch.cli.table import Entry
    from unlatch_merge.conflict import MergeResult
    from unlatch_merge.driver import MergeDriverResult

# For git: merged; merged with conflicts; not merged, so git must do it.
CLEAN, CONFLICT, NOTHING_DONE = 0, 1, 2
_SETUP = "unlatch init --git configures git to run it."
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_LONGEST = 60


@click.command()
@click.option("--resolve", "wanted", metavar="ID", required=True, help="The increment.")
@flag("--ours", help="Take our side of each conflict.")
@flag("--theirs", help="Take their side of each conflict.")
@flag("--add", help="Also git add the resolved files.")
@flag("--dry-run", help="Show the changes, and write nothing.")
@with_json
def run(
    context: Context,
    *,
    wanted: str,
    ours: bool,
    theirs: bool,
    add: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    if ours and theirs:
        raise click.UsageError("--ours and --theirs exclude each other")
    take = Side.OURS if ours else Side.THEIRS if theirs else None
    from unlatch_merge.resolve import resolve  # noqa: PLC0415

    _check_kind(wanted)
    context, wanted = _home_of(context, wanted)
    done = resolve(context.workspace, wanted, take=take, add=add, dry_run=dry_run)
    code = 0 if done.settled else UNDECIDED
    if as_json:
        output.document("merge", code, **_document(context, done))
    else:
        _tell(context, done, dry_run=dry_run)
    return code


def _check_kind(wanted: str) -> None:
    """Refuse the name of other work than an increment, which git merges as text."""
    if reference := read_reference(wanted):
        raise UsageError(
            "unknown-increment",
            f"'{reference}' is no increment; git merges its file as text",
            hint=f"fix the marked lines of {reference}, then git add the file",
        )


def _home_of(context: Context, wanted: str) -> tuple[Context, str]:
    """The increment, or the record of an item of this name, with the context over it."""
    from unlatch.lifecycle.items.places import group_in_project  # noqa: PLC0415

    records = group_in_project(context.workspace, ()).workspace
    is_record = not context.workspace.manager.collection.find(wanted)
    is_record = is_record and bool(records.manager.collection.find(wanted))
    if is_record:
        return context.over(records), wanted
    return context, named_increment(context, wanted)


def _clash_lines(clashes: Iterable[Clash]) -> Iterator[str]:
    """The conflicts, one line for each field."""
    for clash in clashes:
        ours, theirs = _shown(clash.ours), _shown(clash.theirs)
        yield f"  {output.clean(clash.field)}  ours: {ours}  theirs: {theirs}"


def _shown(value: Any) -> str:
    if value is ABSENT:
        return "(not there)"
    text = output.clean(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _document(context: Context, done: MergeResult) -> output.Json:
    return {
        "id": done.id,
        "resolved": done.settled,
        "files": [_name(context, path) for path in done.paths],
        "kept": [_name(context, path) for path in done.kept],
        "left": [_name(context, path) for path in done.left],
        "added": done.added,
        "conflicts": [
            {"field": clash.field, "ours": _entry(clash.ours), "theirs": _entry(clash.theirs)}
            for clash in done.clashes
        ],
    }


def _name(context: Context, path: Path) -> str:
    return str(path.relative_to(context.paths.root))


def _entry(value: Any) -> Any:
    return None if value is ABSENT else value


def _tell(context: Context, done: MergeResult, *, dry_run: bool) -> None:
    if not done.settled:
        output.data(f"Increment {done.id}: both sides changed this, differently:")
        output.data(*_clash_lines(done.clashes))
        step = f"unlatch merge --resolve {shlex.quote(done.id)} --ours"
        output.talk("--ours and --theirs decide.")
        output.talk(f"Next: {output.clean(step)}")
        return
    merged = "would be merged" if dry_run else "merged"
    for path in done.paths:
        result = "was resolved by hand; not changed" if path in done.kept else merged
        output.ok(f"{output.clean(_name(context, path))} {result}")
    for warning in done.warnings:
        output.talk(output.warn(output.clean(warning)))
    for path in done.left:
        output.talk(f"{output.clean(_name(context, path))} is in conflict, too: merge its text.")
    if not done.added and not dry_run:
        names = (shlex.quote(output.clean(os.path.relpath(path))) for path in done.paths)
        output.talk(f"Next: git add {' '.join(names)}")


def driver(entry: Entry) -> click.Command:
    """The command that git runs to merge two versions of a metadata.json or briefing.md.

    Another file, such as a session in a repository whose .gitattributes an earlier version wrote,
    is left to git's own merge.
    """

    @click.command(entry.name, cls=_Driver, help=f"{entry.own_help}\n\n{_SETUP}")
    @click.argument("base", type=_FILE)
    @click.argument("ours", type=_FILE)
    @click.argument("theirs", type=_FILE)
    @click.argument("path", required=False, default="metadata.json")
    def run(*, base: Path, ours: Path, theirs: Path, path: str) -> int:
        from unlatch.errors import StoreError  # noqa: PLC0415

        if PurePosixPath(path).name not in (METADATA, BRIEFING):
            return NOTHING_DONE
        try:
            done = _merge(base, ours, theirs, path)
        except StoreError as error:
            output.talk(f"unlatch: {output.clean(path)}: {output.clean(error.message)}")
            return NOTHING_DONE
        _tell_driver(done, path)
        return CLEAN if done.clean else CONFLICT

    return run


def _merge(base: Path, ours: Path, theirs: Path, path: str) -> MergeDriverResult:
    if PurePosixPath(path).name == BRIEFING:
        from unlatch_merge.resolve import merge_briefing_files  # noqa: PLC0415

        return merge_briefing_files(base, ours, theirs)
    from unlatch_merge.resolve import merge_versions  # noqa: PLC0415

    return merge_versions(base, ours, theirs, shapes=shapes_of(Registry().manifests))


class _Driver(click.Command):
    """Takes every argument as a name: a repository may have a file called --help."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does after `--`; only a single --help asks for help."""
        named = args == ["--help"] or args[:1] == ["--"]
        return super().parse_args(ctx, args if named else ["--", *args])


def _tell_driver(done: MergeDriverResult, path: str) -> None:
    file = output.clean(path)
    if done.problem:
        output.talk(f"unlatch: {file} was merged as text: {output.clean(done.problem)}")
    if done.clashes:
        output.talk(f"unlatch: {file}: both sides changed this, differently:")
        output.talk(*_clash_lines(done.clashes))
        name = output.clean(PurePosixPath(path).parent.name)  # briefings have no clashes
        output.talk(f"  Next: unlatch merge --resolve {shlex.quote(name)}")
