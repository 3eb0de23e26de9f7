"""A coordinator that claims, completes and releases until it is killed; run as a program."""

import random
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tests.unlatch_runs.dispatch.local_harness import LIMITS, LocalHarness

from unlatch_runs.dispatch.port import Ended, LeaseLost
from unlatch_runs.testing.stage import DONE, HANG, READY, Step, assign

SCRIPTS: list[list[Step]] = [
    [HANG],
    [["child"], HANG],
    [["ignore"], ["child"], READY, HANG],
    [DONE],
    [["child"], DONE],
    [["exit", 1]],
]


def main(root: Path, epoch: int) -> None:
    """Take the run over, and dispatch one task after another."""
    dice = random.Random(epoch)
    harness = LocalHarness(root, replace(LIMITS, grace=0.05, settle=0.05))
    dispatcher = harness.dispatcher()
    dispatcher.recover(epoch)
    tell("ready")
    leases = {}
    reports = 0
    for number in range(1_000_000):
        if dispatcher.room():
            task = assign(harness, *dice.choice(SCRIPTS), task=f"{epoch}-{number}")
            leases[task.run_id] = dispatcher.claim(task, epoch=epoch)
        for report in dispatcher.poll(0.01):
            reports += 1
            if reports == 1:
                tell("reported")
            if isinstance(report.message, Ended):
                with suppress(LeaseLost):  # it was released
                    dispatcher.complete(leases.pop(report.run_id))
        if leases and dice.random() < 0.05:
            dispatcher.release(leases[dice.choice([*leases])])


def tell(line: str) -> None:
    """Tell the test how far it is."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
