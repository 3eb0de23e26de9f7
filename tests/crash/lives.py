"""Live random lives, as the programs of state machines do."""

import argparse
import json
import os
from collections import Counter

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test
from tests.crash.stage import Stage


class Life(RuleBasedStateMachine):
    """A life on a stage.

    Args:
        number: how many have begun.
    """

    stage: Stage
    number = 0

    @classmethod
    def begin_next(cls) -> str:
        """Empty the stage for one more life; its name."""
        cls.number += 1
        cls.stage.reset()
        return f"life-{cls.number}"


def live(machine: type[Life], statistics: Counter[str], about: str | None) -> None:
    """Live some lives, and print what was met; a failure is shown with the steps to it."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--examples", type=int, default=20)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--random", action="store_true", help="other ones at each run")
    parser.add_argument("--shrink", action="store_true", help="look for the shortest failure")
    options = parser.parse_args()
    with Stage() as stage:
        machine.stage = stage
        os.environ.update(stage.environ)
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=options.examples,
                stateful_step_count=options.steps,
                derandomize=not options.random,
                database=None,
                deadline=None,
                suppress_health_check=list(HealthCheck),
                phases=[Phase.generate, *([Phase.shrink] if options.shrink else [])],
            ),
        )
    told = {"lives": machine.number, **dict(sorted(statistics.items()))}
    print(json.dumps(told, indent=1))  # noqa: T201
