"""unlatch merge: resolve what git left in conflict."""

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

    from unlatch.cli.table import Entry
    from unlatch.lifecycle.merge import MergeResult

CONFLICT = 5
_LONGEST = 60


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=entry.own_help)
    @click.option("--resolve", "wanted", metavar="ID", required=True, help="The increment.")
    @click.option("--ours", is_flag=True, help="Take our side where the two clash.")
    @click.option("--theirs", is_flag=True, help="Take their side where the two clash.")
    @click.option("--add", is_flag=True, help="Also git add the files that are resolved.")
    @click.option("--dry-run", is_flag=True, help="Only show what would be left to decide.")
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

        take = _side(ours=ours, theirs=theirs)
        done = resolve(session.workspace, wanted, take=take, add=add, dry_run=dry_run)
        code = 0 if done.settled else CONFLICT
        if as_json:
            output.document("merge", code, **_document(session, done))
        else:
            _tell(session, done, dry_run=dry_run)
        return code

    return run


def _side(*, ours: bool, theirs: bool) -> Side | None:
    if ours and theirs:
        raise click.UsageError("--ours and --theirs exclude each other")
    if ours:
        return Side.OURS
    return Side.THEIRS if theirs else None


def clash_lines(clashes: Iterable[Clash]) -> Iterator[str]:
    """What both sides changed, a line for each field."""
    for clash in clashes:
        ours, theirs = _shown(clash.ours), _shown(clash.theirs)
        yield f"  {output.clean(clash.field)}  ours: {ours}  theirs: {theirs}"


def _shown(value: Any) -> str:
    if value is ABSENT:
        return "(not there)"
    text = output.clean(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _document(session: Session, done: MergeResult) -> output.Json:
    root = session.layout.root
    return {
        "id": done.increment,
        "resolved": done.settled,
        "files": [str(path.relative_to(root)) for path in done.paths],
        "kept": [str(path.relative_to(root)) for path in done.kept],
        "left": [str(path.relative_to(root)) for path in done.left],
        "added": done.added,
        "conflicts": [_entry(clash) for clash in done.clashes],
    }


def _entry(clash: Clash) -> output.Json:
    ours, theirs = (None if side is ABSENT else side for side in (clash.ours, clash.theirs))
    return {"field": clash.field, "ours": ours, "theirs": theirs}


def _tell(session: Session, done: MergeResult, *, dry_run: bool) -> None:
    if not done.settled:
        output.data(f"Increment {done.increment}: both sides changed this, differently:")
        for line in clash_lines(done.clashes):
            output.data(line)
        output.talk(f"Next: unlatch merge --resolve {done.increment} --ours (or --theirs)")
        return
    for path in done.paths:
        how = "was mended by hand, and stays so" if path in done.kept else "merged"
        how = f"would be {how}" if dry_run and path not in done.kept else how
        ok = output.good(output.sign("ok"))
        output.data(f"{ok} {output.clean(str(path.relative_to(session.layout.root)))} {how}")
    for warning in done.warnings:
        output.talk(output.warn(output.clean(warning)))
    for path in done.left:
        shown = output.clean(str(path.relative_to(session.layout.root)))
        output.talk(f"{shown} is in conflict, too: its text is yours to merge.")
    if not done.added and not dry_run:
        names = " ".join(shlex.quote(output.clean(_from_here(path))) for path in done.paths)
        output.talk(f"Next: git add {names}")


def _from_here(path: Path) -> str:
    return os.path.relpath(path)
