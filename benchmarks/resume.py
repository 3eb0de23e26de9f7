"""How long resume takes over three trackers, beside the longest one's own requests."""

from __future__ import annotations

import sys
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import items
from benchmarks.children import Spent, least, run
from benchmarks.figures import Figure
from unlatch_sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.items import Project

PART = "resume"
ROUNDS = 10
LATENCY = 0.1
# What is left for everything that is neither the network nor an SDK.
ALLOWANCE = 350.0
TRACKERS = ("github", "ado", "jira")
BARE = (sys.executable, "-c", "pass")
# What the plugins import of the SDKs, without the plugins.
SDKS = (
    "github",
    "jira",
    "msrest.universal_http.requests",
    "azure.devops.v7_1.work_item_tracking.work_item_tracking_client",
)
IMPORTS = (sys.executable, "-c", f"import {', '.join(SDKS)}")


def figures() -> Iterator[Figure]:
    """Resume as a process, cold and warm, in turns with the import of the SDKs."""
    bare: list[Spent] = []
    imports: list[Spent] = []
    cold: list[tuple[Spent, int]] = []
    warm: list[tuple[Spent, int]] = []
    with Sandbox(latency=LATENCY) as box:
        for turn in range(ROUNDS):
            with items.project(box) as project:
                bare.append(run(BARE))
                imports.append(run(IMPORTS))
                cold.append(_resume(project, 2 * turn + 1))
                warm.append(_resume(project, 2 * turn + 2))
    loading = least(imports).wall - least(bare).wall
    for when, runs in (("cold", cold), ("warm", warm)):
        yield from _beside(when, runs, loading)


def _resume(project: Project, number: int) -> tuple[Spent, int]:
    """What resuming took, and how many requests the busiest tracker got."""
    box = project.box
    blocks = {name: getattr(items, name)(box, number, "completed") for name in TRACKERS}
    project.complete(number, **blocks)
    box.requests.clear()
    spent = run(project.resume(number), env=project.environ)
    return spent, max(map(box.requests.count, TRACKERS))


def _beside(when: str, runs: list[tuple[Spent, int]], loading: float) -> Iterator[Figure]:
    spent = least([one for one, _ in runs])
    requests = max(count for _, count in runs)
    chain = requests * LATENCY * 1000
    what = f"resume over three trackers, {when}"
    yield Figure(
        PART,
        f"{what} (wall)",
        spent.wall,
        "ms",
        chain + loading + ALLOWANCE,
        1,
        "chain + SDKs + 350 ms",
        pieces={
            f"chain of {requests} requests": chain,
            "importing the SDKs": loading,
            "the rest": spent.wall - chain - loading,
            "median": median(one.wall for one, _ in runs),
        },
    )
    yield Figure(PART, f"{what} (CPU)", spent.cpu, "ms", loading, None, "importing the SDKs")
