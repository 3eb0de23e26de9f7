"""A fleet under load: many repositories, webhooks, nodes, and blows at them.

    python -m tests.fleet.load [--repositories N] [--items N] [--webhooks N] [--nodes N] [--blows N]

The stand-ins enforce GitHub's limits, in scaled time, and a part of all comments takes effect up to
the settle time late. Webhooks are signed and come over HTTP. Prints one JSON document: figures, and
what was wrong. Ended with SIGTERM or Ctrl-C, it judges what is finished, and says how much that is.
With `--plain` the job is one without markers: that it doubles comments shows that the test can
fail. With `--limits-decide` the limits are low, so that they take longer than the CPU.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tests.crash.sweep import report
from tests.fleet import cpu
from tests.fleet.blows import Blows
from tests.fleet.costs import Spent, judge_cost
from tests.fleet.limits import LimitedSandbox, Meter
from tests.fleet.many_repositories import ManyRepositories
from tests.fleet.nodes import Nodes
from tests.fleet.proxy import Proxy
from tests.fleet.runs import judge_runs
from tests.fleet.shell_loop import Cost, sync_each
from tests.fleet.timeline import Timeline
from tests.fleet.verdicts import (
    Verdicts,
    comments_of,
    judge_items,
    judge_limits,
    judge_takeovers,
    judge_units,
    reached,
)
from tests.fleet.webhooks import Webhooks, server
from tests.servers import postgres

from unlatch_fleet.database.connect import opened
from unlatch_fleet.database.setup import set_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.unlatch_fleet.repositories import Repository

_HERE = Path(__file__).parent
_ANSWERS = {"queued", "queued for later", "known already"}


@dataclass(frozen=True)
class Load:
    """The size of a run.

    Args:
        tokens: accounts of GitHub.
        scale: how many times faster than real the time of limits passes.
        fewer: of GitHub's number for an hour, 1 / `fewer` may pass.
        late: of 1, the part of comments that takes effect late.
        tasks: of a run that nodes carry out afterwards, under further blows.
        sample: repositories that a shell loop syncs, to compare cost.
        is_warm: whether units start fast, without limits in scaled time; after the loss of the
            database, a third of the repositories is enough then.
        plain: whether units run the control.
        seconds: after which the run has failed.
        out: a file for figures of the unfinished run.
    """

    repositories: int
    items: int
    webhooks: int
    nodes: int
    blows: int
    jobs: int = 2
    tokens: int = 1
    scale: float = 60.0
    fewer: int = 1
    late: float = 0.02
    settle: float = 1.0
    lease: float = 6.0
    tasks: int = 0
    sample: int = 0
    seed: int = 1
    plain: bool = False
    is_warm: bool = False
    seconds: float = 300.0
    out: Path | None = None

    @property
    def command(self) -> tuple[str, ...] | None:
        """The program of a unit; None for one that starts fast."""
        if self.plain:
            return (sys.executable, "-P", str(_HERE / "plain_sync.py"))
        scaled = str(_HERE / "scaled_unlatch.py"), str(self.scale), str(self.fewer)
        return None if self.is_warm else (sys.executable, "-P", *scaled)


class Stopped(Exception):
    """Somebody ended the run before its end."""


class Run:
    """One run on a database and stand-ins of its own."""

    def __init__(
        self,
        load: Load,
        fleet: ManyRepositories,
        server: postgres.Postgres,
        database: str,
        restart: Callable[[], None],
    ) -> None:
        self.load = load
        self.fleet = fleet
        self.server = server
        self.database = database
        self._restart = restart
        self._verdicts = Verdicts()
        self._is_whole = True

    @property
    def figures(self) -> dict[str, Any]:
        return self._verdicts.figures

    @property
    def wrong(self) -> list[str]:
        return self._verdicts.wrong

    def __call__(self) -> None:
        load, fleet = self.load, self.fleet
        began = time.monotonic()
        sample = self._build()
        self._verdicts.note(secondsToBuild=round(time.monotonic() - began, 1))
        half = len(sample) // 2
        before = self._costs(sample[:half])
        webhooks, blows, spent = self._carry_out()
        after = self._costs(sample[half:])
        names = {str(repository.path) for repository in fleet.repositories}
        names = names if self._is_whole else reached(self.database)
        verdicts = self._verdicts
        verdicts.note(
            isWhole=self._is_whole,
            finished=f"{len(names)} of {load.repositories} repositories",
            realTimeIs={
                "limits": load.scale,
                "pausesOfUnits": 1 if load.is_warm else load.scale,
                "settle": round(10 / load.settle, 1),
                "lease": round(70 / load.lease, 1),
            },
            mostRequestsAnHour=self._box.quota.most,
        )
        judge_items(verdicts, fleet, names, plain=load.plain)
        judge_units(verdicts, self.database, names, webhooks.bursts, blows.hit)
        judge_limits(verdicts, self._box.meter, plain=load.plain)
        judge_takeovers(verdicts, self.database, load.lease)
        if load.sample:
            begun = self.figures["unitsBegun"]
            first, again = ((one + other) * 0.5 for one, other in zip(before, after, strict=True))
            verdicts.note(firstUnit=first.document(), unitAgain=again.document())
            rest = max(0, begun - len(names))
            judge_cost(verdicts, spent, self._box.meter, (first * len(names), again), rest)
        if not load.plain and self._is_whole:
            try:
                self._judge_new_database()
                if load.tasks:
                    self._judge_runs()
            except (Stopped, KeyboardInterrupt):
                verdicts.note(isWhole=False)

    def _build(self) -> list[Repository]:
        """Make all repositories; those of the sample, which the fleet does not list."""
        load, fleet = self.load, self.fleet
        for _ in range(load.repositories + load.sample):
            fleet.add(items=load.items, settle=load.settle)
        sample = fleet.repositories[load.repositories :]
        del fleet.repositories[load.repositories :]
        fleet.write_all()
        return sample

    def _carry_out(self) -> tuple[Webhooks, Blows, Spent]:
        load = self.load
        before = self._spent()
        with ExitStack() as stack:
            address = ""
            if load.webhooks:
                serving = server(self.fleet, self.database, is_warm=load.is_warm)
                address = stack.enter_context(serving)
            nodes = self._nodes(stack)
            ways = [stack.enter_context(Proxy(self.database)) for _ in range(load.nodes)]
            for way in ways:
                nodes.add(database=way.address)
            timeline = Timeline(self.database, load.nodes * load.jobs, load.repositories, load.out)
            share, seed = timeline.share, load.seed
            webhooks = Webhooks(address, self.fleet, load.webhooks, share, seed)
            blows = Blows(nodes, ways, self._restart, load.blows, share, seed)
            timeline.also = {"webhooks": webhooks.answers, "blows": blows.struck}
            watching, threads = timeline.start(), [webhooks.start(), blows.start()]
            self._wait(nodes, threads, timeline, (webhooks.stop, blows.stop))
            self.fleet.box.settle()
            elapsed = time.monotonic()
            timeline.stop()
            watching.join()
            codes = Counter(node.stop() for node in nodes.nodes)
        spent = replace(self._spent(), elapsed=elapsed) - before
        note, check = self._verdicts.note, self._verdicts.check
        note(**timeline.document(), webhooksSentAgain=webhooks.refused, unitsHit=blows.hit)
        # The signal ends a node that has only just been started again.
        codes_are_right = codes.keys() <= {0, -signal.SIGTERM}
        check(is_right=codes_are_right, what=f"exit codes of nodes: {dict(codes)}")
        answers = webhooks.answers.keys() - _ANSWERS
        check(is_right=not answers or not self._is_whole, what=f"answers to webhooks: {answers}")
        return webhooks, blows, spent

    def _wait(
        self,
        nodes: Nodes,
        threads: Sequence[threading.Thread],
        timeline: Timeline,
        stops: Sequence[Callable[[], None]],
    ) -> None:
        """Wait until all is done; when somebody ends the run, until what is at work has ended."""
        try:
            nodes.wait(lambda: not any(each.is_alive() for each in threads), self.load.seconds)
            nodes.wait(lambda: not timeline.is_busy and nodes.is_idle(), self.load.seconds)
        except (Stopped, KeyboardInterrupt, AssertionError) as error:
            self._is_whole = False
            self._verdicts.check(is_right=not isinstance(error, AssertionError), what=str(error))
            for stop in stops:
                stop()
            for thread in threads:
                thread.join()

    def _spent(self) -> Spent:
        if self.load.sample:
            cpu.reap_orphans()
        return Spent.so_far(self.server)

    def _nodes(self, stack: ExitStack, *, step: int = 1) -> Nodes:
        load = self.load
        nodes = Nodes(self.fleet, self.database, load.jobs, load.lease, load.settle, load.command)
        stack.callback(nodes.close)
        nodes.list_repositories(step=step)
        return nodes

    @property
    def _box(self) -> LimitedSandbox:
        assert isinstance(self.fleet.box, LimitedSandbox)
        return self.fleet.box

    def _costs(self, sample: Sequence[Repository]) -> tuple[Cost, Cost]:
        """The cost of a first sync, and of one with nothing to do, in a shell loop."""
        program = self.load.command
        if not sample or program is None:
            return Cost(), Cost()
        box, late = self._box, self._box.late
        box.late, box.meter.is_on = 0.0, False  # a shell loop has no second try
        try:
            return sync_each(self.fleet, sample, program), sync_each(self.fleet, sample, program)
        finally:
            box.late, box.meter.is_on = late, True

    def _judge_new_database(self) -> None:
        """After the loss of the database, a sweep finds all done, and posts nothing."""
        before, began = comments_of(self.fleet), time.monotonic()
        with opened(self.database) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        set_up(self.database)
        with ExitStack() as stack:
            nodes = self._nodes(stack, step=3 if self.load.is_warm else 1)
            for turn in range(2 if self.load.sample else 1):
                nodes.add(folder=f"after-{turn}")
            nodes.wait(nodes.is_idle, self.load.seconds)
            for node in nodes.nodes:
                node.stop()
        added = comments_of(self.fleet) - before
        seconds = round(time.monotonic() - began, 1)
        self._verdicts.note(commentsAfterLossOfDatabase=added, secondsAfterLoss=seconds)
        what = f"{added} comments after the loss of the database"
        self._verdicts.check(is_right=not added, what=what)

    def _judge_runs(self) -> None:
        load = self.load

        def nodes(database: str) -> Nodes:
            return Nodes(self.fleet, database, 1, load.lease, load.settle, load.command)

        judge_runs(
            self._verdicts,
            self.fleet.folder / "runs",
            self.server,
            nodes,
            tasks=load.tasks,
            seconds=load.seconds,
        )


def carry_out(
    load: Load, folder: Path, server: postgres.Postgres, restart: Callable[[str], None]
) -> Run:
    """Run a load, with a database of its own on a server."""
    meter = Meter(load.scale, load.fewer)
    with (
        server.database() as database,
        LimitedSandbox(meter, late=load.late, settle=load.settle, seed=load.seed) as box,
    ):
        set_up(database)
        place = folder / "fleet"
        place.mkdir()
        fleet = ManyRepositories(box, place, tokens=load.tokens)
        run = Run(load, fleet, server, database, lambda: restart(database))
        run()
    return run


def _options() -> Iterator[tuple[str, type, float | None]]:
    """Names, types and defaults."""
    for name, default in (
        ("repositories", 1000),
        ("items", 20),
        ("webhooks", None),
        ("nodes", 4),
        ("blows", None),
        ("jobs", 2),
        ("tokens", 4),
        ("sample", 20),
        ("tasks", 40),
        ("seed", 1),
        ("fewer", 1),
    ):
        yield name, int, default
    for name, seconds in (("scale", 60.0), ("late", 0.02), ("lease", 6.0), ("seconds", 7200.0)):
        yield name, float, seconds


def _read_arguments() -> Load:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, kind, default in _options():
        parser.add_argument(f"--{name}", type=kind, default=default)
    parser.add_argument("--out", type=Path, help="a file for figures of the unfinished run")
    parser.add_argument("--plain", action="store_true", help="the control, which has to fail")
    parser.add_argument("--limits-decide", action="store_true", help="one account, low limits")
    given = vars(parser.parse_args())
    number = given["repositories"]
    given["webhooks"] = 10 * number if given["webhooks"] is None else given["webhooks"]
    given["blows"] = number // 10 if given["blows"] is None else given["blows"]
    decide = given.pop("limits_decide")
    load = Load(**given)
    return replace(load, tokens=1, fewer=10) if decide else load


def _stop(*_: object) -> None:
    raise Stopped


def main() -> None:
    """Carry out one run; the exit code is 0 if nothing was wrong."""
    load = _read_arguments()
    signal.signal(signal.SIGTERM, _stop)
    cpu.adopt_orphans()
    with TemporaryDirectory() as name, postgres.running(Path(name), is_own=True) as server:
        run = carry_out(load, Path(name), server, lambda _: server.restart())
    if load.plain and not run.figures["doubled"]:
        run.wrong.append("the control doubled nothing: the test cannot fail")
    elif load.plain:
        run.wrong.clear()
    if load.out:
        load.out.write_text(json.dumps({**run.figures, "wrong": run.wrong}, indent=1))
    report(run.figures, run.wrong)


if __name__ == "__main__":
    main()
