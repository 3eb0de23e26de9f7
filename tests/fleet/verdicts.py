"""What has to be true of a fleet after a load, whatever struck it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unlatch_fleet.database.connect import opened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from tests.fleet.limits import Meter
    from tests.unlatch_fleet.repositories import Fleet, Repository

# Criteria: of units begun, and of the time until a unit begins elsewhere, in leases.
_UNITS, _TAKEOVER = 1.5, 2.0


@dataclass
class Verdicts:
    """Figures, and what was wrong."""

    figures: dict[str, Any] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def note(self, **figures: object) -> None:
        self.figures |= figures

    def check(self, *, is_right: bool, what: str) -> None:
        if not is_right:
            self.wrong.append(what)


def reached(database: str) -> set[str]:
    """The repositories whose last unit left nothing to do."""
    query = "SELECT name FROM fleet_repository WHERE outcome = 'done' AND unit IS NULL"
    with opened(database) as connection:
        return {row.name for row in connection.execute(query)}


def judge_items(verdicts: Verdicts, fleet: Fleet, names: set[str], *, plain: bool) -> None:
    """Each item is open and has one comment; nothing is pending, and no push is lost.

    Args:
        names: repositories that are finished; of others only doubled comments and pushes count.
        plain: whether the units were the control, which knows GitHub alone.
    """
    counts: Counter[int] = Counter()
    doubled = pending = lost = closed = 0
    for repository in fleet.repositories:
        comments = _github_comments(fleet, repository) if plain else fleet.comments(repository)
        doubled += sum(number > 1 for number in comments)
        lost += 0 if plain else _lost_pushes(repository)
        if str(repository.path) not in names or plain:
            continue
        counts.update(comments)
        closed += _closed(fleet, repository)
        pending += repository.pending
    figures = {"missing": counts[0], "doubled": doubled, "pending": pending, "lostPushes": lost}
    verdicts.note(itemsJudged=counts.total(), **figures, closed=closed)
    for name, number in {**figures, "closed": closed}.items():
        verdicts.check(is_right=not number, what=f"{name}: {number}")


def comments_of(fleet: Fleet) -> int:
    """All comments on all items."""
    return sum(sum(fleet.comments(repository)) for repository in fleet.repositories)


def _github_comments(fleet: Fleet, repository: Repository) -> list[int]:
    views = (fleet.view(repository, "github", item) for item in repository.due["github"])
    return [sum(comment.text != "" for comment in view.comments) for view in views]


def _closed(fleet: Fleet, repository: Repository) -> int:
    return sum(
        not fleet.view(repository, tracker, item).open
        for tracker, items in repository.due.items()
        for item in items
    )


def _lost_pushes(repository: Repository) -> int:
    """Commits that the branch pointed to and that it does not contain any more."""
    log = repository.path / "logs" / "refs" / "heads" / "main"
    if not log.exists():
        return 0
    pushed = {line.split()[1] for line in log.read_text(encoding="utf-8").splitlines()}
    return len(pushed - {*repository.git("rev-list", "main").split()})


def judge_units(
    verdicts: Verdicts,
    database: str,
    names: set[str],
    bursts: Mapping[str, Sequence[datetime]],
    hit: int,
) -> None:
    """No more units than were asked for, and those that a blow hit again."""
    with opened(database) as connection:
        units = connection.execute(_UNIT_ROWS).fetchall()
    first: dict[str, datetime] = {}
    for unit in units:
        first.setdefault(unit.repository, unit.began)
    # A burst before the first unit of its repository is answered by that one.
    events = sum(at > first[name] for name in bursts if name in first for at in bursts[name])
    owed = len(first) + events
    ratio = len(units) / max(1, owed + hit)
    outcomes = Counter(str(unit.outcome) for unit in units)
    errors = Counter(unit.error for unit in units if unit.error)
    verdicts.note(
        unitsOwed=owed,
        unitsBegun=len(units),
        unitsRatio=round(ratio, 2),
        outcomes=outcomes,
        unitErrors=errors,
    )
    verdicts.check(
        is_right=ratio <= _UNITS, what=f"{len(units)} units begun for {owed} owed and {hit} hit"
    )
    open_units = sum(unit.outcome is None and unit.repository in names for unit in units)
    verdicts.check(is_right=not open_units, what=f"{open_units} units never ended")


_UNIT_ROWS = "SELECT repository, began, outcome, error FROM fleet_unit ORDER BY began"


def judge_limits(verdicts: Verdicts, meter: Meter, *, plain: bool) -> None:
    """No account posts more than its limits in any window."""
    share = max(meter.shares().values(), default=0.0)
    verdicts.note(
        accounts=len(meter.moments), largestShareOfLimit=round(share, 2), refused=meter.refused
    )
    verdicts.check(is_right=share <= 1.0, what=f"a token used {share:.2f} of its limit")
    above = f"{meter.refused} requests above the limit were refused"
    verdicts.check(is_right=plain or not meter.refused, what=above)


def judge_takeovers(verdicts: Verdicts, database: str, lease: float) -> None:
    """A unit of a dead node begins elsewhere within two leases of its last sign of life.

    It is in the queue by then; where all nodes are busy, it begins when the next unit ends.
    """
    with opened(database) as connection:
        spans = connection.execute(_TAKEOVERS).fetchall()
        longest = connection.execute(_LONGEST).fetchone()
    assert longest is not None
    queued = max((row.queued.total_seconds() / lease for row in spans), default=0.0)
    begun = max((row.begun.total_seconds() / lease for row in spans if row.begun), default=0.0)
    slot = longest.seconds / lease
    verdicts.note(
        takeovers=len(spans),
        takeoverLeases={"queued": round(queued, 2), "begun": round(begun, 2)},
        longestUnitLeases=round(slot, 2),
    )
    verdicts.check(
        is_right=queued <= _TAKEOVER and begun <= _TAKEOVER + slot,
        what=f"a unit was taken over after {queued:.2f}, {begun:.2f} leases",
    )


_TAKEOVERS = """SELECT (SELECT min(next.began) FROM fleet_unit next
      WHERE next.repository = lost.repository AND next.id > lost.id) - node.beat AS begun,
      node.ended - node.beat AS queued
    FROM fleet_unit lost JOIN fleet_node node USING (epoch) WHERE lost.outcome = 'lost'"""
_LONGEST = """SELECT coalesce(max(extract(epoch FROM ended - began)), 0)::float AS seconds
    FROM fleet_unit WHERE outcome <> 'lost'"""
