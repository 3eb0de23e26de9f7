"""Coordinators that are killed at any moment, one after another, start no worker twice."""

import os
import random
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from tests.unlatch_runs.dispatch import coordinating
from tests.unlatch_runs.dispatch.local_harness import LocalHarness

from unlatch_runs.dispatch.leases import LeaseStore, State


@pytest.mark.parametrize("rounds", [3, pytest.param(100, marks=pytest.mark.sweep)])
def test_no_worker_starts_twice_or_outlives_recovery(
    local: LocalHarness, tmp_path: Path, rounds: int
) -> None:
    dice = random.Random(rounds)
    for number in range(rounds):
        # On a busy machine no worker starts so soon; of the first coordinator one has.
        lines = ("ready",) if number else ("ready", "reported")
        lose_coordinator(tmp_path, 2 * number + 1, lines, seconds=dice.uniform(0, 0.5))
        dispatcher = local.dispatcher()
        recovery = dispatcher.recover(2 * number + 2)
        assert recovery.stuck == ()
        assert [*dispatcher.leases()] == []
        started = Counter(
            path.name.split(".")[0] for path in local.journal.folder.glob("*.*.worker")
        )
        assert {*started.values()} <= {1}
        assert not any(map(local.is_alive, started))
    ended = {lease.run_id for lease in LeaseStore(local.run).list(State.ENDED)}
    assert set() < started.keys() <= ended


def lose_coordinator(root: Path, epoch: int, lines: tuple[str, ...], *, seconds: float) -> None:
    """Start a coordinator, and kill it some seconds after it has written these lines."""
    argv = [sys.executable, coordinating.__file__, str(root), str(epoch)]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, env=environ) as coordinator:
        assert coordinator.stdout is not None
        for line in lines:
            assert coordinator.stdout.readline().decode() == f"{line}\n"
        with suppress(subprocess.TimeoutExpired):
            pytest.fail(f"it ended with {coordinator.wait(seconds)}")
        coordinator.kill()
