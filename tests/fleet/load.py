"""A fleet under load: many repositories, webhooks, nodes, and blows at them.

    python -m tests.fleet.load [--repositories N] [--items N] [--webhooks N] [--nodes N] [--blows N]

The stand-ins enforce GitHub's limits, in scaled time, and a part of all comments takes effect up to
the settle time late. Prints one JSON document: figures, and what was wrong. With `--plain` the job
is one without markers: that it doubles comments shows that the test can fail.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tests.crash.sweep import report
from tests.fleet.blows import Blows
from tests.fleet.limits import LIMITS, LimitedSandbox, Meter
from tests.fleet.nodes import Nodes
from tests.fleet.proxy import Proxy
from tests.fleet.webhooks import Webhooks
from tests.servers import postgres
from tests.unlatch_fleet.repositories import Fleet

from unlatch_fleet.database.connect import opened
from unlatch_fleet.database.setup import set_up

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.unlatch_fleet.repositories import Repository

_HERE = Path(__file__).parent
# Criteria: of total time, of CPU, and of units begun.
_TIME, _CPU, _UNITS = 1.3, 1.25, 1.5
_KEPT = 0.2  # as fleet.toml has it by default


@dataclass(frozen=True)
class Load:
    """The size of a run.

    Args:
        scale: how many times faster than real the time of limits passes.
        late: of 1, the part of comments that takes effect late.
        sample: repositories that a shell loop syncs, to compare CPU.
        is_warm: whether units start fast, without limits in scaled time.
        plain: whether units run the control.
        seconds: after which the run has failed.
    """

    repositories: int
    items: int
    webhooks: int
    nodes: int
    blows: int
    jobs: int = 2
    scale: float = 60.0
    late: float = 0.02
    settle: float = 1.0
    lease: float = 6.0
    sample: int = 0
    seed: int = 1
    plain: bool = False
    is_warm: bool = False
    seconds: float = 300.0

    @property
    def command(self) -> tuple[str, ...] | None:
        """The program of a unit; None for one that starts fast."""
        if self.plain:
            return (sys.executable, "-P", str(_HERE / "plain_sync.py"))
        scaled = sys.executable, "-P", str(_HERE / "scaled_unlatch.py"), str(self.scale)
        return None if self.is_warm else scaled


class Run:
    """One run on a database and stand-ins of its own."""

    def __init__(
        self, load: Load, fleet: Fleet, database: str, restart: Callable[[], None]
    ) -> None:
        self.load = load
        self.fleet = fleet
        self.database = database
        self._restart = restart
        self.figures: dict[str, Any] = {}
        self.wrong: list[str] = []
        self._lag = 0.0

    def __call__(self) -> None:
        load, fleet = self.load, self.fleet
        for _ in range(load.repositories):
            repository = fleet.add(items=load.items, settle=load.settle)
            repository.git("config", "core.logAllRefUpdates", "always")
        fleet.write()
        began, cpu = time.monotonic(), _children_cpu()
        webhooks, blows = self._carry_out()
        elapsed = time.monotonic() - began
        cpu = _children_cpu() - cpu
        self._judge_items()
        self._judge_units(webhooks, blows)
        self._judge_limits()
        self._judge_takeovers()
        if load.sample:
            self._judge_cost(elapsed, cpu)
        self.figures |= {"seconds": round(elapsed, 1), "cpuSeconds": round(cpu, 1)}
        if not load.plain:
            self._judge_new_database()

    def _carry_out(self) -> tuple[Webhooks, Blows]:
        load = self.load
        with ExitStack() as stack:
            nodes = self._nodes(stack)
            ways = [stack.enter_context(Proxy(self.database)) for _ in range(load.nodes)]
            for way in ways:
                nodes.add(database=way.address)
            names = [str(repository.path) for repository in self.fleet.repositories]
            seconds = load.repositories * 0.5
            webhooks = Webhooks(self.database, names, load.webhooks, seconds, load.seed)
            blows = Blows(nodes, ways, self._restart, load.blows, load.seed)
            threads = [webhooks.start(), blows.start()]
            nodes.wait(lambda: not any(thread.is_alive() for thread in threads), load.seconds)
            nodes.wait(nodes.is_idle, load.seconds)
            self.fleet.box.settle()
            codes = Counter(node.stop() for node in nodes.nodes)
        self.figures |= {
            "webhooks": webhooks.answers,
            "blows": blows.struck,
            "unitsHit": blows.hit,
        }
        # The signal ends a node that has only just been started again.
        if not codes.keys() <= {0, -signal.SIGTERM}:
            self.wrong.append(f"exit codes of nodes: {dict(codes)}")
        return webhooks, blows

    def _nodes(self, stack: ExitStack) -> Nodes:
        load = self.load
        nodes = Nodes(self.fleet, self.database, load.jobs, load.lease, load.settle, load.command)
        stack.callback(nodes.close)
        nodes.list_repositories()
        return nodes

    def _judge_items(self) -> None:
        """Each item is open and has one comment; nothing is pending, and no push is lost."""
        counts: Counter[int] = Counter()
        pending = lost = closed = 0
        for repository in self.fleet.repositories:
            if self.load.plain:
                github = [
                    sum(comment.text != "" for comment in self._view(repository, item).comments)
                    for item in repository.due["github"]
                ]
                counts.update(github)
                continue
            counts.update(self.fleet.comments(repository))
            closed += sum(
                not self.fleet.view(repository, tracker, item).open
                for tracker, items in repository.due.items()
                for item in items
            )
            pending += repository.pending
            lost += _lost_pushes(repository)
        missing = counts[0]
        doubled = sum(number for comments, number in counts.items() if comments > 1)
        found = {"missing": missing, "doubled": doubled, "pending": pending, "lostPushes": lost}
        self.figures |= {"comments": sum(counts.values()), **found, "closed": closed}
        self.wrong += [f"{name}: {number}" for name, number in found.items() if number]
        self.wrong += [f"closed items: {closed}"] if closed else []

    def _view(self, repository: Repository, item: str) -> Any:
        return self.fleet.view(repository, "github", item)

    def _judge_units(self, webhooks: Webhooks, blows: Blows) -> None:
        """No more units than were asked for, and those that a blow hit again."""
        with opened(self.database) as connection:
            units = connection.execute(
                "SELECT repository, began, outcome FROM fleet_unit ORDER BY began"
            ).fetchall()
        first: dict[str, datetime] = {}
        for unit in units:
            first.setdefault(unit.repository, unit.began)
        # A burst before the first unit of its repository is answered by that one.
        bursts = sum(at > first[name] for name, times in webhooks.bursts.items() for at in times)
        owed = len(self.fleet.repositories) + bursts
        ratio = len(units) / (owed + blows.hit)
        outcomes = Counter(unit.outcome for unit in units)
        self.figures |= {"unitsOwed": owed, "unitsBegun": len(units), "outcomes": outcomes}
        self.figures["unitsRatio"] = round(ratio, 2)
        if ratio > _UNITS:
            self.wrong.append(f"{len(units)} units begun for {owed} owed and {blows.hit} hit")
        if unfinished := outcomes[None]:
            self.wrong.append(f"{unfinished} units never ended")

    def _judge_limits(self) -> None:
        meter = self._box.meter
        share = max(meter.shares().values(), default=0.0)
        self.figures |= {"largestShareOfLimit": round(share, 2), "refusedByLimit": meter.refused}
        if share > 1.0:
            self.wrong.append(f"a token used {share:.2f} of its limit")
        if meter.refused and not self.load.plain:
            self.wrong.append(f"{meter.refused} requests above the limit were refused")

    @property
    def _box(self) -> LimitedSandbox:
        assert isinstance(self.fleet.box, LimitedSandbox)
        return self.fleet.box

    def _judge_takeovers(self) -> None:
        """A unit of a dead node begins elsewhere within two leases of its last sign of life.

        It is in the queue by then; where all nodes are busy, it begins when the next unit ends.
        """
        lease = self.load.lease
        with opened(self.database) as connection:
            spans = connection.execute(_TAKEOVERS).fetchall()
            longest = connection.execute(_LONGEST).fetchone()
        assert longest is not None
        queued = max((row.queued.total_seconds() / lease for row in spans), default=0.0)
        begun = max((row.begun.total_seconds() / lease for row in spans), default=0.0)
        slot = longest.seconds / lease
        self.figures |= {
            "takeovers": len(spans),
            "takeoverLeases": {"queued": round(queued, 2), "begun": round(begun, 2)},
            "longestUnitLeases": round(slot, 2),
        }
        if queued > 2 or begun > 2 + slot:
            self.wrong.append(f"a unit was taken over after {queued:.2f}, {begun:.2f} leases")

    def _judge_cost(self, elapsed: float, cpu: float) -> None:
        """CPU and time, against the same units in a shell loop and what the limits allow."""
        load, cores = self.load, len(os.sched_getaffinity(0))
        self._box.late = 0.0  # a shell loop has no second try
        first, again = _shell_loop(load, self.fleet)
        with opened(self.database) as connection:
            row = connection.execute("SELECT count(*) AS ended FROM fleet_unit").fetchone()
        assert row is not None
        number = len(self.fleet.repositories)
        loop = number * first + max(0, row.ended - number) * again
        comments = sum(map(len, self._box.meter.moments.values()))
        # Of each limit the part that is not kept for events: the first units have none.
        by_limits = max(
            (comments - 1) // round(count * (1 - _KEPT)) * span / load.scale
            for count, span in LIMITS
        )
        by_cpu = loop / cores
        bound = max(by_limits, by_cpu)
        self.figures |= {
            "shellLoop": {"firstSync": round(first, 2), "againCpu": round(again, 2)},
            "boundOfLimits": round(by_limits, 1),
            "boundOfCpu": round(by_cpu, 1),
            "timeRatio": round(elapsed / bound, 2),
            "cpuRatio": round(cpu / loop, 2),
        }
        if elapsed / bound > _TIME:
            self.wrong.append(f"{elapsed:.0f} s, where {bound:.0f} s are the least")
        if cpu / loop > _CPU:
            self.wrong.append(f"{cpu:.0f} CPU seconds, {loop:.0f} in a shell loop")

    def _judge_new_database(self) -> None:
        """After the loss of the database, a sweep finds all done, and posts nothing."""
        before = self._comments()
        with opened(self.database) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        set_up(self.database)
        with ExitStack() as stack:
            nodes = self._nodes(stack)
            nodes.add(folder="after")
            nodes.wait(nodes.is_idle, self.load.seconds)
            for node in nodes.nodes:
                node.stop()
        added = self._comments() - before
        self.figures["commentsAfterLossOfDatabase"] = added
        if added:
            self.wrong.append(f"{added} comments after the loss of the database")

    def _comments(self) -> int:
        return sum(sum(self.fleet.comments(each)) for each in self.fleet.repositories)


_TAKEOVERS = """SELECT (SELECT min(next.began) FROM fleet_unit next
      WHERE next.repository = lost.repository AND next.id > lost.id) - node.beat AS begun,
      node.ended - node.beat AS queued
    FROM fleet_unit lost JOIN fleet_node node USING (epoch) WHERE lost.outcome = 'lost'"""


# Lets git use a repository on this machine, as a node does.
_LOCAL = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "protocol.file.allow",
    "GIT_CONFIG_VALUE_0": "always",
}


_LONGEST = """SELECT coalesce(max(extract(epoch FROM ended - began)), 0)::float AS seconds
    FROM fleet_unit"""


def _lost_pushes(repository: Repository) -> int:
    """Commits that the branch pointed to and that it does not contain any more."""
    log = repository.path / "logs" / "refs" / "heads" / "main"
    if not log.exists():
        return 0
    pushed = {line.split()[1] for line in log.read_text(encoding="utf-8").splitlines()}
    return len(pushed - {*repository.git("rev-list", "main").split()})


def _children_cpu() -> float:
    """CPU seconds of the processes that this one waited for, and of theirs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _shell_loop(load: Load, fleet: Fleet) -> tuple[float, float]:
    """CPU seconds of a first sync of a repository, and of one with nothing to do, in a shell."""
    number = len(fleet.repositories)
    for _ in range(load.sample):
        fleet.add(items=load.items, settle=load.settle)
    sample = fleet.repositories[number:]
    del fleet.repositories[number:]
    return _sync_each(load, fleet, sample), _sync_each(load, fleet, sample)


def _sync_each(load: Load, fleet: Fleet, sample: Sequence[Repository]) -> float:
    before = _children_cpu()
    for repository in sample:
        with TemporaryDirectory() as folder:
            environ = fleet.environ | _LOCAL | {"XDG_STATE_HOME": f"{folder}/state"}
            assert load.command is not None
            sync = [*load.command, "sync", "--json", "--yes", "--commit", "push"]
            for command, place in (
                (["git", "clone", "--quiet", str(repository.path), f"{folder}/tree"], folder),
                (sync, f"{folder}/tree"),
            ):
                done = subprocess.run(
                    command, cwd=place, env=environ, check=False, capture_output=True
                )
                assert done.returncode == 0, done.stderr.decode()
    return (_children_cpu() - before) / len(sample)


def carry_out(
    load: Load, folder: Path, server: postgres.Postgres, restart: Callable[[str], None]
) -> Run:
    """Run a load, with a database of its own on a server."""
    meter = Meter(load.scale)
    with (
        server.database() as database,
        LimitedSandbox(meter, late=load.late, settle=load.settle, seed=load.seed) as box,
    ):
        set_up(database)
        place = folder / "fleet"
        place.mkdir()
        run = Run(load, Fleet(box, place), database, lambda: restart(database))
        run()
    return run


def main() -> None:
    """Carry out one run; the exit code is 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (
        ("repositories", 1000),
        ("items", 20),
        ("webhooks", 10_000),
        ("nodes", 4),
        ("blows", 100),
        ("jobs", 2),
        ("sample", 10),
        ("seed", 1),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, value in (("scale", 60.0), ("late", 0.02), ("lease", 6.0), ("seconds", 7200.0)):
        parser.add_argument(f"--{name}", type=float, default=value)
    parser.add_argument("--plain", action="store_true", help="the control, which has to fail")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # nodes end with this process
    load = Load(**vars(options))
    with TemporaryDirectory() as name, postgres.running(Path(name), is_own=True) as server:
        run = carry_out(load, Path(name), server, lambda _: server.restart())
    if options.plain and not run.figures["doubled"]:
        run.wrong.append("the control doubled nothing: the test cannot fail")
    elif options.plain:
        run.wrong.clear()
    report(run.figures, run.wrong)


if __name__ == "__main__":
    main()
