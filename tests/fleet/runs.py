"""Runs whose tasks nodes carry out while blows fall: each run id starts at most once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING

from tests.fleet.blows import Blows
from tests.fleet.proxy import Proxy
from tests.unlatch_fleet.tasks.fleet_harness import a_repository, git, wait_for_nodes

from unlatch_fleet.database.setup import set_up

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.fleet.nodes import Nodes
    from tests.fleet.verdicts import Verdicts
    from tests.servers.postgres import Postgres

_TASK = """\
### Task {id}: Task {id}
**Work**: work
**Acceptance Criteria**:
- [ ] `test -f work-{id}`
**Blocked By**: none

"""
_WORKER = """\
cat > /dev/null
echo "$UNLATCH_TASK_ID $UNLATCH_RUN_ID" >> {marks}
sleep 4
echo done > "work-$UNLATCH_TASK_ID"
echo '{{"type": "done"}}'
"""
_PROGRAM = "sh worker.sh"
_START = ("start", "plan.md", "--on", "fleet", "--worker", _PROGRAM, "--jobs", "6", "--yes")


def judge_runs(
    verdicts: Verdicts,
    folder: Path,
    server: Postgres,
    make_nodes: Callable[[str], Nodes],
    *,
    tasks: int,
    seconds: float,
) -> None:
    """Carry out a run of so many tasks, with a blow for every fourth.

    Args:
        make_nodes: for a database; none is started yet.
    """
    folder.mkdir()
    marks, remote = folder / "started", folder / "remote.git"
    marks.touch()
    plan = "".join(_TASK.format(id=number + 1) for number in range(tasks))
    files = {"plan.md": plan, "worker.sh": _WORKER.format(marks=marks), ".unlatch/config.toml": ""}
    a_repository(remote, folder / "first", files)
    git(folder, "clone", "--quiet", str(remote), "clone")

    def share() -> float:
        return len({line.split()[0] for line in marks.read_text().splitlines()}) / tasks

    with ExitStack() as stack:
        database = stack.enter_context(server.database())
        set_up(database)
        nodes = make_nodes(database)
        stack.callback(nodes.close)
        offer = {"repositories": [str(remote)], "programs": [_PROGRAM, "test -f *"], "jobs": 2}
        ways = [stack.enter_context(Proxy(database)) for _ in range(3)]
        for turn, way in enumerate(ways):
            nodes.add(database=way.address, folder=f"runs-{turn}", runs=offer)
        wait_for_nodes(database, len(ways))
        blows = Blows(nodes, ways, server.restart, tasks // 4, share, seed=1)
        striking = blows.start()
        codes = _coordinate(folder, database, seconds)
        blows.stop()
        striking.join()
        for node in nodes.nodes:
            node.stop()
    starts = Counter(line.split()[1] for line in marks.read_text().splitlines())
    twice = sum(number > 1 for number in starts.values())
    done = _done(folder, database)
    verdicts.note(
        runs={
            "tasks": tasks,
            "done": done,
            "started": len(starts),
            "startedTwice": twice,
            "blows": blows.struck,
            "coordinatorsExitCodes": codes,
        }
    )
    verdicts.check(is_right=not twice, what=f"{twice} run ids started twice")
    verdicts.check(is_right=done == tasks, what=f"{done} of {tasks} tasks were done")


def _coordinate(folder: Path, database: str, seconds: float) -> list[int]:
    """Start the run, and take it up again as a person does when its coordinator gave up."""
    codes = [_run(folder, database, *_START, seconds=seconds).returncode]
    while codes[-1] and len(codes) < 5:
        recover = "recover", "--yes"
        codes.append(_run(folder, database, *recover, seconds=seconds).returncode)
    return codes


def _done(folder: Path, database: str) -> int:
    shown = _run(folder, database, "status", "--json", seconds=60.0)
    tasks = json.loads(shown.stdout)["tasks"]
    return sum(task["state"] == "done" for task in tasks)


def _run(
    folder: Path, database: str, *arguments: str, seconds: float
) -> subprocess.CompletedProcess[bytes]:
    state = str(folder / "state")
    environ = {
        **os.environ,
        "XDG_STATE_HOME": state,
        "XDG_CONFIG_HOME": state,
        "UNLATCH_FLEET_DATABASE": database,
    }
    with (folder / "coordinator.log").open("ab") as log:
        return subprocess.run(
            [sys.executable, "-m", "unlatch", "run", *arguments],
            cwd=folder / "clone",
            env=environ,
            stdout=subprocess.PIPE,
            stderr=log,
            timeout=seconds,
            check=False,
        )
