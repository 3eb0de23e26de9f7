"""Kill the coordinator of a run at every boundary, and recover the run with real workers.

    python -m tests.crash.run_kill [--every N] [--twice N] [--nodes N]

Prints one JSON document: how many deaths were died, and what was wrong afterwards. With --twice,
the recoveries after those at every N-th boundary are killed at each of their boundaries. With
--nodes, the workers are on N nodes, and statements of the database are boundaries, too.
"""

import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from tests.crash.boundaries import dies, in_fork
from tests.crash.sweep import die_until_the_end, different, report, twice_option

from unlatch.errors import UnlatchError
from unlatch.increments.files.paths import paths_at
from unlatch.project.workspace import Workspace
from unlatch_runs.consent import Consent
from unlatch_runs.journal import read_state
from unlatch_runs.plan.read_plan import read_plan
from unlatch_runs.project import Console, Runs, run_store
from unlatch_runs.run_model import Status

TASKS = {"1": "none", "2": "none", "3": "1, 2"}
_TASK = """\
### Task {id}: Task {id}
**Work**: work
**Acceptance Criteria**:
- [ ] `sh check.sh {id}`
**Blocked By**: {by}

"""
_WORKER = """\
cat > /dev/null
echo "$UNLATCH_TASK_ID $UNLATCH_RUN_ID" >> started
echo '{"type": "checkpoint", "text": "begun"}'
echo '{"type": "done"}'
"""
_CHECK = 'echo "$1" >> checked\n'


class Place:
    """A project with a plan; by default two workers run side by side."""

    def __init__(
        self,
        root: Path,
        tasks: Mapping[str, str] = TASKS,
        worker: str = _WORKER,
        limits: Mapping[str, Any] = MappingProxyType({"jobs": 2, "timeout": 60}),
    ) -> None:
        self.root, self.tasks, self.limits = root, tasks, limits
        (root / ".unlatch" / "increments").mkdir(parents=True)
        plan = "".join(_TASK.format(id=name, by=by) for name, by in tasks.items())
        for name, text in (("plan.md", plan), ("worker.sh", worker), ("check.sh", _CHECK)):
            (root / name).write_text(text)

    @property
    def runs(self) -> Runs:
        workspace = Workspace(
            paths_at(self.root), environ=os.environ, user_config=self.root / "none.toml"
        )
        plan = (self.root / "plan.md").read_text()
        quiet = Console(lambda _: None, lambda _: None)
        return Runs(workspace, quiet, lambda name, _: read_plan(plan, name))

    @property
    def worker(self) -> tuple[str, ...]:
        return (shutil.which("sh") or "", str(self.root / "worker.sh"))

    def start(self) -> None:
        consent = Consent("plan.md", self.worker, **self.limits)
        agreed = consent.agree(("sh", "check.sh", name) for name in self.tasks)
        self.runs.start("plan", agreed, by="ann")

    def folder(self) -> Path | None:
        names = run_store(self.runs.workspace).names()
        return run_store(self.runs.workspace).root / names[0] if names else None

    def go_on(self) -> None:
        """The command that a person would type next: the one that the errors name."""
        folder = self.folder()
        if folder is None or not read_state(folder).tasks:
            if folder:
                shutil.rmtree(folder)  # nothing of it was begun
            self.start()
            return
        try:
            self.runs.recover(folder)
        except UnlatchError as error:
            if error.id != "run-over":
                raise

    def alive(self) -> list[str]:
        """The processes of workers that are still there."""
        return alive(self.root)

    def lines(self, name: str) -> list[str]:
        path = self.root / name
        return path.read_text().split("\n")[:-1] if path.exists() else []


def problems(place: Place, code: int) -> list[str]:
    """Everything that is wrong after the last command."""
    folder = place.folder()
    if code or folder is None:
        return [f"the last command: {code}"]
    state = read_state(folder)
    events = [json.loads(one) for one in (folder / "events.jsonl").read_bytes().splitlines()]
    complete = Counter(one["task_id"] for one in events if one["event_type"] == "task_complete")
    dispatched = {one["agent_id"] for one in events if one["event_type"] == "developer_dispatched"}
    started = [line.split()[1] for line in place.lines("started")]
    facts: dict[str, tuple[object, object]] = {
        "status": (Status.FINISHED, state.status),
        "completions": (dict.fromkeys(TASKS, 1), dict(complete)),
        "acceptance": (set(TASKS), set(place.lines("checked"))),
        "workers started twice": ([], [one for one, n in Counter(started).items() if n > 1]),
        "workers that were not recorded": (set(), set(started) - dispatched),
        "left over": ([], [one.name for one in folder.rglob("*.tmp")]),
        "alive": ([], place.alive()),
    }
    return different(facts)


def alive(root: Path) -> list[str]:
    """The processes of workers that are still there."""
    found = subprocess.run(["pgrep", "-f", str(root)], capture_output=True, text=True, check=False)
    own = {str(os.getpid()), str(os.getppid())}
    return [pid for pid in found.stdout.split() if pid not in own]


class Sweep:
    """The deaths of a run's coordinator, and of its recovery."""

    def __init__(self, folder: Path, place: Callable[[Path], Place] = Place) -> None:
        self._folder, self._place = folder, place
        self.deaths: Counter[str] = Counter()
        self.wrong: dict[str, list[str]] = {}

    def trial(self, number: int, again: int | None) -> bool:
        """Die at a boundary of a run, and of its recovery; whether the last was died."""
        root = self._folder / "project"
        place = self._place(root)
        died = dies(place.start, number)
        if again:
            died = dies(place.go_on, again)
        self.deaths["recover" if again else "start"] += died
        status = in_fork(place.go_on) if died else 0
        if found := problems(place, status):
            self.wrong[f"{number} {again or ''}"] = found
        shutil.rmtree(root)
        return died


if __name__ == "__main__":
    parser = twice_option(__doc__)
    parser.add_argument("--nodes", type=int, default=0, help="let workers run on so many nodes")
    options = parser.parse_args()
    with TemporaryDirectory() as folder, ExitStack() as stack:
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"
        root = Path(folder).resolve()
        sweep = Sweep(root)
        if options.nodes:
            from tests.crash.run_nodes import with_nodes

            sweep = Sweep(root, stack.enter_context(with_nodes(root, options.nodes)))
        die_until_the_end(sweep.trial, every=options.every, twice=options.twice)
    report({"deaths": sweep.deaths}, sweep.wrong)
