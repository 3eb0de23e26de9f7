"""unlatch fleet init: create the tables of a fleet, or bring them to this version."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from unlatch.cli.options.common import JSON
from unlatch.cli.terminal import output
from unlatch.errors import StoreError
from unlatch_fleet.cli.connected import NODE_FILE, find_address, open_node_file
from unlatch_fleet.node_file import default_file, write_node


@click.command("init", help="Create the tables of a fleet in PostgreSQL, or upgrade them. (local)")
@click.argument("database", required=False)
@click.option(
    "--fleet",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write a first node.toml for the repositories of this fleet.toml.",
)
@NODE_FILE
@JSON
def init_fleet(
    *, database: str | None, fleet: Path | None, node_file: Path | None, as_json: bool
) -> int:
    path = (node_file or default_file()).absolute()
    is_new = fleet is not None and not path.exists()
    address = find_address(open_node_file(None if is_new else node_file), database)
    from unlatch_fleet.database.setup import set_up  # noqa: PLC0415  (loads psycopg)

    tables = set_up(address)
    if fleet is not None and is_new:
        _write(path, fleet.absolute())
    written = str(path) if is_new else None
    if as_json:
        parts = {"before": tables.before, "version": tables.version, "roles": list(tables.roles)}
        output.document("fleet-init", **parts, nodeFile=written)
        return 0
    if tables.before == tables.version:
        output.ok(f"the tables have version {tables.version} already")
    else:
        output.ok(f"the tables have version {tables.version}")
    enqueue, worker = tables.roles
    output.data(
        "Two roles, for logins that you create:",
        f"  {enqueue}  servers that take webhooks: GRANT {enqueue} TO your_server;",
        f"  {worker}   nodes and commands: GRANT {worker} TO your_node;",
    )
    if written:
        output.ok(f"{written}: copy it to the other nodes; it has their common key")
    elif fleet is not None:
        output.note(f"{path} exists and stays as it is")
    return 0


def _write(path: Path, fleet: Path) -> None:
    try:
        write_node(path, fleet)
    except OSError as error:
        raise StoreError(
            "not-writable",
            f"the file cannot be written: {error.strerror}",
            where=str(path),
            hint=f"unlatch fleet init --fleet {quote(str(fleet))} --node-file FILE",
        ) from error
