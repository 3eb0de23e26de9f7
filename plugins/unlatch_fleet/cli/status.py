"""unlatch fleet status: what each repository of a fleet waits for."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import JSON, flag
from unlatch.cli.terminal import output
from unlatch.worklog.times import duration
from unlatch_fleet.cli.connected import NODE_FILE, connected

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from unlatch_fleet.database.rows import RepositoryRow, Status

# States that a person may want to look at, and what is under way.
_SHOWN = frozenset({"person", "failed", "lost", "later", "waiting", "at-work", "paused"})


@click.command("status", help="Show queue, nodes, budgets and what waits for a person. (local)")
@flag("--all", "show_all", help="Also list repositories with nothing to do.")
@NODE_FILE
@JSON
def status_fleet(*, show_all: bool, node_file: Path | None, as_json: bool) -> int:
    with connected(node_file) as connection:
        from unlatch_fleet.database.rows import read_status  # noqa: PLC0415  (loads psycopg)

        status = read_status(connection)
    if as_json:
        output.document("fleet-status", **_document(status))
        return 0
    _tell(status)
    shown = [row for row in status.repositories if show_all or row.state in _SHOWN]
    if shown:
        headings = ("repository", "state", "since or at", "error")
        output.table(headings, [_row(status, row) for row in shown], flexible=(0, 3))
    return 0


def _document(status: Status) -> output.Json:
    return {
        **output.fields(status, "at", "oldest_waiting"),
        "repositories": [
            output.fields(
                row,
                *("repository", "group", "state", "waiting_since", "at_work_since", "node"),
                *("last_at", "last_outcome", "error", "failures", "next_at"),
            )
            for row in status.repositories
        ],
        "nodes": [
            output.fields(
                row,
                *("name", "epoch", "version", "jobs", "units", "began", "seen_at"),
                *("is_silent", "is_draining"),
            )
            for row in status.nodes
        ],
        "budgets": [
            output.fields(row, "account", "kind", "used", "reserved", "most")
            for row in status.budgets
        ],
        "recent": [
            {"outcome": outcome, "units": units} for outcome, units in status.recent.items()
        ],
    }


def _tell(status: Status) -> None:
    counts = Counter(row.state for row in status.repositories)
    words = ", ".join(f"{number} {state}" for state, number in sorted(counts.items()))
    output.data(f"{len(status.repositories)} repositories: {words or 'none listed'}")
    if since := status.oldest_waiting:
        output.data(f"the oldest request waits for {_span(status.at, since)}")
    for node in status.nodes:
        state = "silent" if node.is_silent else "draining" if node.is_draining else "alive"
        units = f"{node.units} of {node.jobs} units"
        seen = _span(status.at, node.seen_at)
        name = output.clean(node.name)
        output.data(f"node {name}: {state}, {units}, seen {seen} ago, {output.clean(node.version)}")
    for budget in status.budgets:
        limit = "" if budget.most is None else f" of {budget.most}"
        account = f"account {budget.account[:12]}, {output.clean(budget.kind)}"
        used = f"{budget.used}{limit} in the last hour, {budget.reserved} reserved"
        output.data(f"{account}: {used}")


def _row(status: Status, row: RepositoryRow) -> tuple[str, str, str, str]:
    since = row.at_work_since if row.state == "at-work" else row.waiting_since
    when = f"for {_span(status.at, since)}" if since else ""
    if row.state == "later" and row.next_at and row.next_at > status.at:
        when = f"in {_span(row.next_at, status.at)}"
    return row.repository, row.state, when, row.error or ""


def _span(later: datetime, earlier: datetime) -> str:
    return duration(max(0.0, (later - earlier).total_seconds()))
