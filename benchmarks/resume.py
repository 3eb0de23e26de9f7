"""The time of a resume with three trackers, compared with plain requests and with the SDKs."""

from __future__ import annotations

import json
import sys
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import items, naive
from benchmarks.children import Spent, minimum, run
from benchmarks.figures import Figure
from benchmarks.places import UNLATCH
from unlatch_sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.items import Project

PART = "resume"
ROUNDS = 10
LATENCY = 0.1
TRACKERS = ("github", "ado", "jira")
FLOOR_AT_MOST, NAIVE_AT_MOST, CPU_AT_MOST = 1.8, 0.5, 350.0
_HOSTS = "UNLATCH_TRUSTED_HOSTS"
# The processes of a round, in order; each changes its own items.
BESIDE = {
    "requests in parallel": ("benchmarks.rest",),
    "the SDKs, one after the other": ("benchmarks.naive",),
    "the same, with PyGithub's pauses": ("benchmarks.naive", "--pauses"),
}


def figures(other: str | None = None) -> Iterator[Figure]:
    """Resume in a process, cold and warm, alternating with the baselines.

    Args:
        other: the path of another `unlatch`, such as an earlier version, to compare with.
    """
    rounds: list[dict[str, Spent]] = []
    with Sandbox(latency=LATENCY) as box:
        for turn in range(ROUNDS):
            with items.project(box) as project:
                rounds.append(_round(project, 10 * turn + 1, other))
    columns = {name: [turn[name] for turn in rounds] for name in rounds[0]}
    floor, *scripts = BESIDE
    for when in ("cold", "warm"):
        yield _wall(when, columns, floor, FLOOR_AT_MOST)
    for script, at_most in zip(scripts, (NAIVE_AT_MOST, None), strict=True):
        yield _wall("warm", columns, script, at_most)
    what, cpu = "resume over three trackers, warm (CPU)", minimum(columns["warm"]).cpu
    yield Figure(PART, what, cpu, "ms", CPU_AT_MOST, 1, "350 ms")
    yield Figure(PART, what, cpu, "ms", minimum(columns[floor]).cpu, None, floor)
    yield Figure(PART, what, cpu, "ms", minimum(columns[scripts[0]]).cpu, None, scripts[0])
    if other:
        yield _wall("warm", columns, other, None)
        yield Figure(PART, what, cpu, "ms", minimum(columns[other]).cpu, None, other)


def _round(project: Project, number: int, other: str | None) -> dict[str, Spent]:
    spent = {when: _resume(project, number + at) for at, when in enumerate(("cold", "warm"))}
    if other:
        spent[other] = _resume(project, number + 2 + len(BESIDE), other)
    addresses = json.dumps(naive.addresses_of(project.box))
    for at, (name, (module, *options)) in enumerate(BESIDE.items(), 2):
        _closed(project, number + at)
        command = (sys.executable, "-m", module, addresses, str(number + at), *options)
        spent[name] = run(command, env=project.environ)
    return spent


def _resume(project: Project, number: int, program: str = UNLATCH) -> Spent:
    project.complete(number, **_closed(project, number))
    hosts = project.environ[_HOSTS].split(",")
    if program != UNLATCH:  # earlier versions named hosts without their trackers
        hosts += [host.partition("=")[2] for host in hosts]
    environ = {**project.environ, _HOSTS: ",".join(hosts)}
    return run((program, *project.resume(number)[1:]), env=environ)


def _closed(project: Project, number: int) -> dict[str, items.Block]:
    return {name: getattr(items, name)(project.box, number, "completed") for name in TRACKERS}


def _wall(when: str, columns: dict[str, list[Spent]], baseline: str, most: float | None) -> Figure:
    runs = columns[when]
    return Figure(
        PART,
        f"resume over three trackers, {when} (wall)",
        minimum(runs).wall,
        "ms",
        minimum(columns[baseline]).wall,
        most,
        baseline,
        details={
            f"{name}, median": median(run.wall for run in columns[name])
            for name in (when, baseline)
        },
    )
