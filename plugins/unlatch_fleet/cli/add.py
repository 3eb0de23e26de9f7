"""unlatch fleet add: list the repositories of fleet.toml in the database."""

from __future__ import annotations

from pathlib import Path

import click

from unlatch.cli.options.common import JSON, flag
from unlatch.cli.render.describe import times
from unlatch.cli.terminal import output
from unlatch.project.registry import Registry
from unlatch_fleet.cli.connected import NODE_FILE, connected
from unlatch_fleet.fleet_file import read_fleet


@click.command("add", help="Add the repositories of fleet.toml to the fleet's database. (local)")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@flag("--prune", help="Also remove the repositories that the file does not list.")
@NODE_FILE
@JSON
def add_fleet(*, file: Path, prune: bool, node_file: Path | None, as_json: bool) -> int:
    fleet = read_fleet(file, Registry().targets)
    with connected(node_file) as connection:
        from unlatch_fleet.database import rows  # noqa: PLC0415  (loads psycopg)

        entries = [
            rows.Listed(repository.address.key, repository.group, repository.every)
            for repository in fleet.repositories
        ]
        names = {entry.name for entry in entries}
        added, changed = rows.list_repositories(connection, entries)
        others = sorted({*rows.listed_names(connection)} - names)
        removed = rows.unlist(connection, others) if prune else 0
    kept = [] if prune else others
    if as_json:
        counts = {"added": added, "changed": changed, "removed": removed}
        output.document("fleet-add", listed=len(names), **counts, notInFile=kept)
        return 0
    count = times(len(names), "repository")
    output.ok(f"{count}: {added} added, {changed} changed, {removed} removed")
    if kept:
        words = "1 other stays" if len(kept) == 1 else f"{len(kept)} others stay"
        output.note(f"{words} listed; remove with --prune")
    return 0
