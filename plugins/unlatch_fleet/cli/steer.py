"""unlatch fleet retry, pause and drain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import JSON, flag
from unlatch.cli.render.describe import times
from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch_fleet.cli.connected import NODE_FILE, connected
from unlatch_fleet.repository_address import read_address

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_REPOSITORIES = click.argument("repositories", nargs=-1, metavar="[REPOSITORY]...")
# States that `retry` takes up without a name.
_STUCK = frozenset({"person", "failed", "lost", "later"})


@click.command("retry", help="Sync repositories again that wait or failed, now. (local)")
@_REPOSITORIES
@NODE_FILE
@JSON
def retry_fleet(*, repositories: tuple[str, ...], node_file: Path | None, as_json: bool) -> int:
    with connected(node_file) as connection:
        from unlatch_fleet.database import rows  # noqa: PLC0415  (loads psycopg)

        if repositories:
            names = rows.require_listed(connection, _keys(repositories))
        else:
            status = rows.read_status(connection)
            names = [row.repository for row in status.repositories if row.state in _STUCK]
        answers = rows.retry(connection, names)
    if as_json:
        entries = [{"repository": name, "answer": answer} for name, answer in answers.items()]
        output.document("fleet-retry", repositories=entries)
        return 0
    for name, answer in answers.items():
        output.ok(f"{output.clean(name)}: {answer}")
    if not answers:
        output.data("No repository waits for a person, or failed.")
    return 0


@click.command("pause", help="Begin no further syncs of repositories. (local)")
@_REPOSITORIES
@flag("--all", "is_all", help="All repositories.")
@flag("--end", "ends", help="End the pause, and begin what was requested meanwhile.")
@NODE_FILE
@JSON
def pause_fleet(
    *,
    repositories: tuple[str, ...],
    is_all: bool,
    ends: bool,
    node_file: Path | None,
    as_json: bool,
) -> int:
    if bool(repositories) == is_all:
        raise UsageError(
            "repository-missing" if not is_all else "repository-not-needed",
            "name repositories, or all of them with --all",
            hint="unlatch fleet pause --all",
        )
    with connected(node_file) as connection:
        from unlatch_fleet.database import rows  # noqa: PLC0415  (loads psycopg)

        names = rows.require_listed(connection, _keys(repositories))
        changed = rows.pause(connection, names, ends=ends)
    if as_json:
        output.document("fleet-pause", repositories=names, changed=changed, paused=not ends)
        return 0
    output.ok(f"{'continued' if ends else 'paused'}: {times(changed, 'repository')}")
    return 0


@click.command("drain", help="Let nodes finish their syncs, and end. (local)")
@click.argument("nodes", nargs=-1, metavar="[NODE]...")
@NODE_FILE
@JSON
def drain_fleet(*, nodes: tuple[str, ...], node_file: Path | None, as_json: bool) -> int:
    with connected(node_file) as connection:
        from unlatch_fleet.database import rows  # noqa: PLC0415  (loads psycopg)

        count = rows.drain(connection, nodes)
    if as_json:
        output.document("fleet-drain", nodes=count)
        return 0
    output.ok(f"told to end after the present syncs: {times(count, 'node')}")
    return 0


def _keys(given: Iterable[str]) -> list[str]:
    """The names of repositories, in any spelling that fleet.toml may have."""
    keys = []
    for text in given:
        try:
            keys.append(read_address(text).key)
        except ValueError:
            keys.append(text)  # as `fleet status` shows it
    return keys
