"""The units of a fleet in a shell loop, one on each core: what they cost at least."""

from __future__ import annotations

import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.fleet import cpu

from unlatch_fleet.children import with_git_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.fleet.many_repositories import ManyRepositories
    from tests.unlatch_fleet.repositories import Repository


@dataclass(frozen=True)
class Cost:
    """Of one unit, in seconds; sums and averages of them.

    Args:
        cpu: of git and unlatch.
        stand_ins: CPU of the stand-ins for its requests.
        wall: on all cores, divided by the number of units.
    """

    cpu: float = 0.0
    stand_ins: float = 0.0
    wall: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.cpu + other.cpu, self.stand_ins + other.stand_ins, self.wall + other.wall)

    def __mul__(self, number: float) -> Cost:
        return Cost(self.cpu * number, self.stand_ins * number, self.wall * number)

    def document(self) -> dict[str, float]:
        names = {"cpu": self.cpu, "standIns": self.stand_ins, "wall": self.wall}
        return {name: round(value, 3) for name, value in names.items()}


def sync_each(
    fleet: ManyRepositories, sample: Sequence[Repository], program: Sequence[str]
) -> Cost:
    """The cost of one sync of each of these, with a fresh clone, as a shell would do it."""
    began, before, own = time.monotonic(), cpu.of_children(), cpu.of_stand_ins()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as cores:
        for done in cores.map(lambda repository: _sync(fleet, repository, program), sample):
            assert done is None
    spent = Cost(cpu.of_children() - before, cpu.of_stand_ins() - own, time.monotonic() - began)
    return spent * (1 / len(sample))


def _sync(fleet: ManyRepositories, repository: Repository, program: Sequence[str]) -> None:
    with TemporaryDirectory() as folder:
        local = with_git_settings(fleet.environ, [("protocol.file.allow", "always")])
        environ = local | {"XDG_STATE_HOME": f"{folder}/state"}
        sync = [*program, "sync", "--json", "--yes", "--commit", "push"]
        for command, place in (
            (["git", "clone", "--quiet", str(repository.path), f"{folder}/tree"], folder),
            (sync, f"{folder}/tree"),
        ):
            done = subprocess.run(command, cwd=place, env=environ, check=False, capture_output=True)
            assert done.returncode == 0, done.stderr.decode()
