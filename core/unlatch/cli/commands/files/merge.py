"""unlatch merge: resolve git conflicts in an increment."""

from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import JSON, Session, with_session
from unlatch.worklog.json_text.three_way import ABSENT, Clash, Side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from unlatch.lifecycle.merge import MergeResult

CONFLICT = 5
_LONGEST = 60


@click.command()
@click.option("--resolve", "wanted", metavar="ID", required=True, help="The increment.")
@click.option("--ours", is_flag=True, help="Take our side of each conflict.")
@click.option("--theirs", is_flag=True, help="Take their side of each conflict.")
@click.option("--add", is_flag=True, help="Also git add the resolved files.")
@click.option("--dry-run", is_flag=True, help="Show the conflicts, and write nothing.")
@JSON
@with_session
def run(
    session: Session,
    *,
    wanted: str,
    ours: bool,
    theirs: bool,
    add: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    from unlatch.lifecycle.merge import resolve  # noqa: PLC0415

    if ours and theirs:
        raise click.UsageError("--ours and --theirs exclude each other")
    take = Side.OURS if ours else Side.THEIRS if theirs else None
    done = resolve(session.workspace, wanted, take=take, add=add, dry_run=dry_run)
    code = 0 if done.settled else CONFLICT
    if as_json:
        output.document("merge", code, **_document(session, done))
    else:
        _tell(session, done, dry_run=dry_run)
    return code


def clash_lines(clashes: Iterable[Clash]) -> Iterator[str]:
    """The conflicts, one line for each field."""
    for clash in clashes:
        ours, theirs = _shown(clash.ours), _shown(clash.theirs)
        yield f"  {output.clean(clash.field)}  ours: {ours}  theirs: {theirs}"


def _shown(value: Any) -> str:
    if value is ABSENT:
        return "(not there)"
    text = output.clean(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _document(session: Session, done: MergeResult) -> output.Json:
    return {
        "id": done.increment,
        "resolved": done.settled,
        "files": [_name(session, path) for path in done.paths],
        "kept": [_name(session, path) for path in done.kept],
        "left": [_name(session, path) for path in done.left],
        "added": done.added,
        "conflicts": [
            {"field": one.field, "ours": _entry(one.ours), "theirs": _entry(one.theirs)}
            for one in done.clashes
        ],
    }


def _name(session: Session, path: Path) -> str:
    return str(path.relative_to(session.layout.root))


def _entry(value: Any) -> Any:
    return None if value is ABSENT else value


def _tell(session: Session, done: MergeResult, *, dry_run: bool) -> None:
    if not done.settled:
        output.data(f"Increment {done.increment}: both sides changed this, differently:")
        for line in clash_lines(done.clashes):
            output.data(line)
        output.talk(f"Next: unlatch merge --resolve {done.increment} --ours (or --theirs)")
        return
    merged = "would be merged" if dry_run else "merged"
    for path in done.paths:
        result = "was resolved by hand; not changed" if path in done.kept else merged
        output.ok(f"{output.clean(_name(session, path))} {result}")
    for warning in done.warnings:
        output.talk(output.warn(output.clean(warning)))
    for path in done.left:
        output.talk(f"{output.clean(_name(session, path))} is in conflict, too: merge its text.")
    if not done.added and not dry_run:
        names = (shlex.quote(output.clean(os.path.relpath(path))) for path in done.paths)
        output.talk(f"Next: git add {' '.join(names)}")
