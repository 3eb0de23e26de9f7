"""What is read from and written to the fleet's tables, other than by nodes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from unlatch.errors import UnlatchError
from unlatch.values import dataclass
from unlatch_fleet.database.connect import opened, single

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import psycopg

# Priorities in the queue; a unit for an event may use the part of the budget that is kept.
EVENT, RETRY, SCHEDULE = 10, 5, 0


@dataclass(frozen=True, slots=True)
class Listed:
    """A repository as the database lists it.

    Args:
        name: as in fleet.toml, in its one spelling.
        every: seconds between two units without an event.
    """

    name: str
    token_group: str
    every: float


@dataclass(frozen=True, slots=True)
class RepositoryRow:
    """What a repository waits for.

    Args:
        state: `new`, `waiting`, `at-work`, `later`, `paused`, or as the last unit ended: `done`,
            `failed`, `person`, `lost`.
        waiting_since: of the oldest request that no unit has answered.
        next_at: of the next unit without an event; None if a person has to act first.
        error: the id of the last unit's error.
    """

    repository: str
    group: str
    state: str
    waiting_since: datetime | None
    at_work_since: datetime | None
    node: str | None
    last_at: datetime | None
    last_outcome: str | None
    error: str | None
    failures: int
    next_at: datetime | None


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node that has not left; `is_silent`: it counts as dead."""

    name: str
    epoch: int
    version: str
    jobs: int
    units: int
    began: datetime
    seen_at: datetime
    is_silent: bool
    is_draining: bool


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """The requests of an account and kind.

    Args:
        account: a keyed digest.
        used: sent in the last hour.
        reserved: to be sent.
        most: the limit of the longest window.
    """

    account: str
    kind: str
    used: int
    reserved: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Status:
    """The fleet at one moment.

    Args:
        recent: units that ended in the last hour, by outcome.
    """

    at: datetime
    repositories: tuple[RepositoryRow, ...]
    nodes: tuple[NodeRow, ...]
    budgets: tuple[BudgetRow, ...]
    recent: dict[str, int]

    @property
    def oldest_waiting(self) -> datetime | None:
        """Since when the oldest request waits."""
        since = [row.waiting_since for row in self.repositories if row.waiting_since]
        return min(since, default=None)


def enqueue(address: str, repository: str, deliveries: Sequence[str] = ()) -> str:
    """Ask for a unit because of an event.

    Args:
        deliveries: the digests of deliveries; nothing is asked for if all are noted already.

    Returns:
        `enqueued`, `later`, `paused`, `duplicate`, or `unknown`: it is not listed.

    Raises:
        Transient: `fleet-database-away`.
    """
    with opened(address) as connection:
        return ask(connection, repository, EVENT, deliveries)


def ask(
    connection: psycopg.Connection[Any], name: str, rank: int, deliveries: Sequence[str] = ()
) -> str:
    """As `enqueue`, over a connection that is open."""
    query: str = "SELECT fleet_enqueue(%s, %s, %s) AS answer"
    # A message about a shared project is one for each of its repositories.
    noted = [f"{delivery} {name}" for delivery in deliveries]
    return str(single(connection, query, name, rank, noted).answer)


def list_repositories(
    connection: psycopg.Connection[Any], repositories: Iterable[Listed]
) -> tuple[int, int]:
    """Add repositories and their changed settings; how many are new, and how many changed.

    A person's turn ends with a change of the entry. The first unit of each is due at once.
    """
    added = changed = 0
    with connection.transaction():
        for entry in sorted(repositories, key=lambda listed: listed.name):
            every = timedelta(seconds=entry.every)
            row = connection.execute(_LIST, (entry.name, entry.token_group, every)).fetchone()
            added += row is not None and row.is_new
            changed += row is not None and not row.is_new
    return added, changed


_LIST = """INSERT INTO fleet_repository AS old (name, token_group, every) VALUES (%s, %s, %s)
    ON CONFLICT (name) DO UPDATE SET token_group = excluded.token_group, every = excluded.every,
      failures = 0, next_at = least(old.next_at, clock_timestamp())
    WHERE (old.token_group, old.every) <> (excluded.token_group, excluded.every)
    RETURNING xmax = 0 AS is_new"""


def unlist(connection: psycopg.Connection[Any], names: Sequence[str]) -> int:
    """Remove repositories, also from the queue; how many there were."""
    with connection.transaction():
        query = "DELETE FROM fleet_repository WHERE name = ANY(%s)"
        removed = connection.execute(query, (list(names),)).rowcount
        connection.execute(_FORGET_JOBS, (list(names),))
    return removed


# After the rows of the repositories, which events lock first, too.
_FORGET_JOBS = "DELETE FROM procrastinate_jobs WHERE queueing_lock = ANY(%s) AND status = 'todo'"


def listed_names(connection: psycopg.Connection[Any]) -> list[str]:
    """All repositories of the database, sorted."""
    rows = connection.execute("SELECT repository FROM fleet_status ORDER BY 1")
    return [row.repository for row in rows]


def retry(connection: psycopg.Connection[Any], names: Sequence[str]) -> dict[str, str]:
    """Ask for a unit of each now; the answers as of `enqueue`."""
    answers = {}
    for name in names:
        with connection.transaction():
            query = "UPDATE fleet_repository SET failures = 0 WHERE name = %s"
            connection.execute(query, (name,))
            answers[name] = ask(connection, name, RETRY)
    return answers


def pause(connection: psycopg.Connection[Any], names: Sequence[str], *, ends: bool) -> int:
    """Begin no further units of these, or begin them again; how many changed.

    Events are counted meanwhile, and lead to one unit afterwards.
    """
    with connection.transaction():
        changed = connection.execute(_PAUSE, {"ends": ends, "names": list(names)}).rowcount
        if not ends:
            connection.execute(_FORGET_JOBS, (list(names),))
    return changed


_PAUSE = """UPDATE fleet_repository SET is_paused = NOT %(ends)s,
    next_at = CASE WHEN %(ends)s AND wanted > done THEN clock_timestamp() ELSE next_at END
    WHERE name = ANY(%(names)s) AND is_paused = %(ends)s"""


def drain(connection: psycopg.Connection[Any], names: Sequence[str]) -> int:
    """Tell nodes of these names, or all, to end after their units; how many.

    Raises:
        UnlatchError: `fleet-node-unknown`.
    """
    living = connection.execute("SELECT name FROM fleet_node WHERE ended IS NULL")
    if unknown := sorted({*names} - {row.name for row in living}):
        raise UnlatchError(
            "fleet-node-unknown",
            f"the fleet has no node {', '.join(unknown)}",
            hint="see `unlatch fleet status`",
        )
    query = """UPDATE fleet_node SET is_draining = true WHERE ended IS NULL AND NOT is_draining
        AND beat + lease > clock_timestamp() AND (%(all)s OR name = ANY(%(names)s))"""
    return connection.execute(query, {"all": not names, "names": list(names)}).rowcount


def status(address: str) -> Status:
    """The whole fleet.

    Raises:
        Transient: `fleet-database-away`.
    """
    with opened(address) as connection:
        return read_status(connection)


def read_status(connection: psycopg.Connection[Any]) -> Status:
    """As `status`, over a connection that is open; all of one moment."""
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        at = single(connection, "SELECT clock_timestamp() AS at").at
        recent = connection.execute("SELECT outcome, units FROM fleet_recent ORDER BY 1")
        return Status(
            at,
            tuple(RepositoryRow(*row) for row in connection.execute(_REPOSITORIES)),
            tuple(NodeRow(*row) for row in connection.execute(_NODES)),
            tuple(BudgetRow(*row) for row in connection.execute(_BUDGETS)),
            {row.outcome: row.units for row in recent},
        )


_REPOSITORIES = """SELECT repository, token_group, state, wanted_at, began, node, ended, outcome,
    error, failures, CASE WHEN isfinite(next_at) THEN greatest(next_at, not_before) END
    FROM fleet_status ORDER BY repository"""
_NODES = """SELECT name, epoch, version, jobs, units, began, beat, is_silent, is_draining
    FROM fleet_nodes ORDER BY name, epoch"""
_BUDGETS = "SELECT account, kind, used, reserved, most FROM fleet_budgets ORDER BY account, kind"


def require_listed(connection: psycopg.Connection[Any], names: Sequence[str]) -> list[str]:
    """These names, or all; raises UnlatchError `fleet-repository-unknown`."""
    listed = listed_names(connection)
    if unknown := sorted({*names} - {*listed}):
        raise UnlatchError(
            "fleet-repository-unknown",
            f"the fleet does not list {', '.join(unknown)}",
            hint="see `unlatch fleet status`, or add it with `unlatch fleet add FILE`",
        )
    return sorted({*names}) if names else listed
