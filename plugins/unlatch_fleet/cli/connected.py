"""What the commands on the database have in common: its address, and the extra that they need."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unlatch.errors import UnlatchError, UsageError
from unlatch.project.plugins.loading import is_installed
from unlatch.worklog.disk import system
from unlatch.worklog.installer import install_command
from unlatch_fleet.node_file import NodeFile, default_file, read_node

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

NODE_FILE = click.option(
    "--node-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="node.toml; by default the one in your folder for configuration.",
)


def open_node_file(path: Path | None) -> NodeFile:
    """The named node.toml, or the user's own if there is one; the errors of `read_node`."""
    return read_node((path or default_file()).absolute(), is_named=path is not None)


def check_extra() -> None:
    """Raise unless the libraries of the extra are installed.

    Raises:
        UsageError: `platform-unsupported`.
        UnlatchError: `extra-missing`.
    """
    if not system.LOCKS_FOLDERS:
        message, hint = "the fleet needs Linux or macOS", "run it in WSL"
        raise UsageError("platform-unsupported", message, hint=hint)
    for library in ("psycopg", "psycopg_pool", "procrastinate"):
        if not is_installed(library):
            raise UnlatchError(
                "extra-missing",
                "the fleet's database needs a library that is not installed",
                where=library,
                hint=install_command("unlatch[fleet]"),
            )


def find_address(node: NodeFile, typed: str | None = None) -> str:
    """The address of the database; the errors of `check_extra` and `choose_address`."""
    check_extra()
    from unlatch_fleet.database.address import choose_address  # noqa: PLC0415  (loads psycopg)

    return choose_address(typed, node.database, os.environ)


@contextmanager
def connected(node_file: Path | None) -> Iterator[psycopg.Connection[Any]]:
    """A connection to the tables of this version.

    Raises:
        Transient: `fleet-database-away`.
        UnlatchError: `fleet-version`, `fleet-not-initialised`, `fleet-rights`.
    """
    address = find_address(open_node_file(node_file))
    from unlatch_fleet.database.connect import opened  # noqa: PLC0415  (loads psycopg)
    from unlatch_fleet.database.setup import check_version  # noqa: PLC0415  (as above)

    with opened(address) as connection:
        check_version(connection)
        yield connection
