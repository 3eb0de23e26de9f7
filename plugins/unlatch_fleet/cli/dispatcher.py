"""`unlatch run start --on fleet`: finds the database as the commands of the fleet do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch_fleet.cli.connected import find_address, open_node_file

if TYPE_CHECKING:
    from unlatch_runs.dispatch.places import RemoteDispatcher, RemoteRun


def open_dispatcher(run: RemoteRun) -> RemoteDispatcher:
    """The dispatcher of a run, connected to nothing yet; the errors of `find_address`."""
    address = find_address(open_node_file(None))
    from unlatch_fleet.database.connect import Line  # noqa: PLC0415  (loads psycopg)
    from unlatch_fleet.tasks.remote import FleetDispatcher  # noqa: PLC0415  (as above)

    return FleetDispatcher(Line(address), run)
