"""What a load cost, against the same units in a shell loop and what the limits allow."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.fleet import cpu

if TYPE_CHECKING:
    from tests.fleet.limits import Meter
    from tests.fleet.shell_loop import Cost
    from tests.fleet.verdicts import Verdicts
    from tests.servers.postgres import Postgres

# Criteria: of total time, and of CPU.
_TIME, _CPU = 1.3, 1.25
_KEPT = 0.2  # as fleet.toml has it by default


@dataclass(frozen=True)
class Spent:
    """Seconds: of the clock, and of the CPU by the fleet, the database and the stand-ins."""

    elapsed: float
    fleet: float
    database: float
    stand_ins: float

    @classmethod
    def so_far(cls, server: Postgres) -> Spent:
        return cls(time.monotonic(), cpu.of_children(), cpu.of_database(server), cpu.of_stand_ins())

    def __sub__(self, other: Spent) -> Spent:
        return Spent(
            self.elapsed - other.elapsed,
            self.fleet - other.fleet,
            self.database - other.database,
            self.stand_ins - other.stand_ins,
        )


def judge_cost(
    verdicts: Verdicts, spent: Spent, meter: Meter, costs: tuple[Cost, Cost], units: int
) -> None:
    """CPU and time, against the larger of two bounds.

    Args:
        costs: in a shell loop: of the first syncs, all together, and of one with nothing to do.
        units: how many of these there were, too.
    """
    cores = len(os.sched_getaffinity(0))
    loop = costs[0] + costs[1] * units
    by_limits = _bound_of_limits(meter)
    # On this machine the stand-ins take their CPU from the same cores.
    by_cpu = (loop.cpu + loop.stand_ins) / cores
    bound = max(by_limits, by_cpu)
    ratio, cost = spent.elapsed / bound, spent.fleet / loop.cpu
    used = {"fleet": spent.fleet, "database": spent.database, "standIns": spent.stand_ins}
    used["idleOrOthers"] = cores * spent.elapsed - sum(used.values())
    verdicts.note(
        seconds=round(spent.elapsed, 1),
        cpuSeconds={name: round(seconds, 1) for name, seconds in used.items()},
        shellLoop=loop.document(),
        boundOfLimits=round(by_limits, 1),
        boundOfCpu=round(by_cpu, 1),
        boundOfCpuWithoutStandIns=round(loop.cpu / cores, 1),
        decides="limits" if by_limits > by_cpu else "CPU",
        timeRatio=round(ratio, 2),
        # Where others use the cores, too: the loop, on all cores, had as much of them.
        timeRatioToShellLoop=round(spent.elapsed / loop.wall, 2),
        cpuRatio=round(cost, 2),
        cpuRatioWithDatabase=round((spent.fleet + spent.database) / loop.cpu, 2),
    )
    least = f"{spent.elapsed:.0f} s, where {bound:.0f} s are the least"
    verdicts.check(is_right=ratio <= _TIME, what=least)
    words = f"{spent.fleet:.0f} CPU seconds, {loop.cpu:.0f} in a shell loop"
    verdicts.check(is_right=cost <= _CPU, what=words)


def _bound_of_limits(meter: Meter) -> float:
    """Of each limit the part that is not kept for events: scheduled units have no more."""
    most = max(map(len, meter.moments.values()), default=0)
    return max(
        max(0, most - 1) // round(count * (1 - _KEPT)) * span for count, span in meter.limits
    )
