"""Kill the coordinator of a run of 12 tasks at random, half of the times with its workers.

    python -m tests.crash.run_crashes [--kills N] [--seed N]

The run has the default settings. Each begins with two kills in a row of the task that all others
wait for, and is killed at most four times in a row while one task is at work: the fifth pauses it.
Prints one JSON document; what is wrong is found by a second reader of events.jsonl.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.crash.run_kill import Place, alive
from tests.crash.sweep import different, report

from unlatch_runs.journal import LOG, read_state

TASKS = {"1": "none"} | {str(number): f"{(number + 1) // 2}" for number in range(2, 13)}
_TOKENS = 1000
_WORKER = """\
cat > /dev/null
echo "$UNLATCH_TASK_ID $UNLATCH_RUN_ID" >> started
echo '{"type": "checkpoint", "text": "begun"}'
sleep 0.$((UNLATCH_TASK_ID % 5 + 1))
echo '{"type": "usage", "input_tokens": 1000}'
echo "$UNLATCH_RUN_ID" >> paid
echo '{"type": "done"}'
echo "$UNLATCH_RUN_ID" >> finished
"""
_ENDS = ("task_submitted", "task_complete", "task_revalidated", "agent_stopped")
_FAILURES = ("agent_failed", "audit_rejected")
_KILLS_OF_ONE_RUN = 20
# Seconds, on a busy machine.
_PATIENCE = 120.0


class Log:
    """events.jsonl, read line by line without a part of unlatch."""

    def __init__(self, place: Place) -> None:
        self.events: list[dict[str, Any]] = []
        if folder := place.folder():
            lines = (folder / LOG).read_bytes().split(b"\n")[:-1] if (folder / LOG).exists() else []
            self.events = [json.loads(line) for line in lines]

    def of(self, *kinds: str) -> list[dict[str, Any]]:
        return [one for one in self.events if one["event_type"] in kinds]

    def tasks(self, kind: str) -> Counter[str]:
        return Counter(one["task_id"] for one in self.of(kind))

    def in_a_row(self) -> tuple[int, int]:
        """The orphans in a row of one task: the most of those now, and the most there ever were."""
        row, most = Counter[str](), 0
        for one in self.of("orphan_agent_detected", *_ENDS, *_FAILURES):
            is_orphan = one["event_type"] == "orphan_agent_detected"
            row[one["task_id"]] = row[one["task_id"]] + 1 if is_orphan else 0
            most = max(most, row[one["task_id"]])
        return max(row.values(), default=0), most

    @property
    def at_work(self) -> set[str]:
        """The tasks with a worker."""
        found: set[str] = set()
        for one in self.events:
            if one["event_type"] == "developer_dispatched":
                found.add(one["task_id"])
            elif one["event_type"] in ("orphan_agent_detected", *_ENDS, *_FAILURES):
                found.discard(one["task_id"])
        return found


class Life:
    """One run, from its start to its end."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.place, self.chance = Place(root, TASKS, _WORKER, {}), chance
        self.kills = 0

    def live(self, kills: int) -> list[str]:
        """Kill coordinators, and let the last one finish; returns what is wrong."""
        for number in range(kills):
            process = self.begin()
            if not (self.wait_for_task(process) if number < 2 else self.wait_for_events(process)):
                return self.problems(process.end())
            self.kills += 1
            process.kill(with_workers=number < 2 or self.chance.random() < 0.5)
        return self.problems(self.begin().end())

    def begin(self) -> Coordinator:
        return Coordinator(self.place)

    def wait_for_task(self, process: Coordinator) -> bool:
        """Wait until the worker of task 1 is at work; False if the coordinator ended."""
        before = len(Log(self.place).of("checkpoint"))
        return process.wait_until(
            lambda log: "1" in log.at_work and len(log.of("checkpoint")) > before
        )

    def wait_for_events(self, process: Coordinator) -> bool:
        """Wait for a random number of events, and until a kill cannot be the fifth in a row."""
        wanted = len(Log(self.place).events) + self.chance.randint(1, 40)
        return process.wait_until(lambda log: len(log.events) >= wanted and log.in_a_row()[0] < 4)

    def problems(self, code: int) -> list[str]:
        place, log = self.place, Log(self.place)
        folder = place.folder()
        if code or folder is None:
            return [f"the last command: {code}"]
        state = read_state(folder)
        agents = [line.split()[1] for line in place.lines("started")]
        paid = Counter(one["agent_id"] for one in log.of("usage"))
        submitted = {one["agent_id"] for one in log.of("task_submitted")}
        facts: dict[str, tuple[object, object]] = {
            "status": ("finished", state.status.value),
            "completions": (dict.fromkeys(TASKS, 1), dict(log.tasks("task_complete"))),
            "submissions": (dict.fromkeys(TASKS, 1), dict(log.tasks("task_submitted"))),
            "failures": ([], log.of(*_FAILURES)),
            "attempts": (
                {},
                {one.id: one.attempts for one in state.tasks.values() if one.attempts},
            ),
            "pauses": ([], log.of("session_pause")),
            "sequence": ([*range(1, len(log.events) + 1)], [one["sequence"] for one in log.events]),
            "workers started twice": ([], [one for one, n in Counter(agents).items() if n > 1]),
            "answers that were lost": (set(), {*place.lines("finished")} - submitted),
            "usage that was lost": (set(), {*place.lines("paid")} - set(paid)),
            "usage counted twice": ([], [one for one, n in paid.items() if n > 1]),
            "tokens": (_TOKENS * len(paid), state.tokens),
            "alive": ([], alive(place.root)),
        }
        return different(facts)


class Coordinator:
    """A process that carries out the run: the command that a person would type next."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                place.go_on()
                code = 0
            finally:
                os._exit(code)

    def wait_until(self, is_reached: Any) -> bool:
        """Wait until the log is so; False if the process ended before."""
        deadline = time.monotonic() + _PATIENCE
        while not is_reached(Log(self.place)):
            assert time.monotonic() < deadline, "the run stands still"
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return False
            time.sleep(0.005)
        return True

    def kill(self, *, with_workers: bool) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        if with_workers:
            for pid in workers(self.place.root):
                with suppress(ProcessLookupError):  # it ended meanwhile
                    os.kill(pid, signal.SIGKILL)

    def end(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def workers(root: Path) -> list[int]:
    """The processes of workers, those that started others first."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if b"UNLATCH_RUN_ID=" in (place / "environ").read_bytes():
                found += [int(place.name)] * ((place / "cwd").readlink() == root)
        except OSError:  # it ended
            continue
    return sorted(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    told: Counter[str] = Counter()
    wrong: dict[str, list[str]] = {}
    with TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"
        while told["kills"] < options.kills:
            root = Path(folder).resolve() / str(told["runs"])
            life = Life(root, chance)
            kills = min(_KILLS_OF_ONE_RUN, options.kills - told["kills"])
            if problems := life.live(max(2, kills)):
                wrong[str(told["runs"])] = problems
            told["runs"] += 1
            told["kills"] += life.kills
            log = Log(life.place)
            told["orphans"] += len(log.of("orphan_agent_detected"))
            told["two in a row"] += log.in_a_row()[1] > 1
            shutil.rmtree(root)
    report(told, wrong)


if __name__ == "__main__":
    main()
