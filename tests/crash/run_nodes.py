"""A project whose runs are carried out on nodes, for `run_kill --nodes`."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.crash.run_kill import TASKS, Place
from tests.servers import postgres
from tests.unlatch_fleet.tasks.fleet_harness import Node, git, wait_for_nodes

from unlatch_fleet.database.setup import set_up

_WORKER = """\
cat > /dev/null
echo "$UNLATCH_TASK_ID $UNLATCH_RUN_ID" >> {marks}/started
echo "$UNLATCH_TASK_ID" >> work-$UNLATCH_TASK_ID
echo '{{"type": "checkpoint", "text": "begun"}}'
echo '{{"type": "done"}}'
"""
# Of an auditor, which gets the work of the task and of those that it needs.
_CHECK = """\
case $1 in 3) test -f work-1 && test -f work-2 || exit 1;; esac
test -f work-$1 || exit 1
echo "$1" >> {marks}/checked
"""


class NodePlace(Place):
    """A clone of a repository with a plan; its workers leave their marks elsewhere."""

    def __init__(self, root: Path, remote: Path, marks: Path) -> None:
        self.root, self.tasks, self.marks = root, TASKS, marks
        self.limits = {"jobs": 2, "timeout": 60, "on": "fleet"}
        shutil.rmtree(marks, ignore_errors=True)
        marks.mkdir()
        git(remote.parent, "clone", "--quiet", str(remote), str(root))

    @property
    def worker(self) -> tuple[str, ...]:
        return ("sh", "worker.sh")

    def alive(self) -> list[str]:
        agents = [line.split()[1].encode() for line in self.lines("started")]
        return [
            place.name
            for place in Path("/proc").glob("[0-9]*")
            if any(b"UNLATCH_RUN_ID=" + agent in environ(place) for agent in agents)
        ]

    def lines(self, name: str) -> list[str]:
        path = self.marks / name
        return path.read_text().split("\n")[:-1] if path.exists() else []


def environ(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:  # it ended, or is another user's
        return b""


@contextmanager
def with_nodes(folder: Path, count: int) -> Iterator[Callable[[Path], Place]]:
    """Nodes on a database of their own; makes places whose runs they carry out."""
    marks, remote = folder / "marks", folder / "remote.git"
    first = Place(folder / "first", worker=_WORKER.format(marks=marks))
    (first.root / "check.sh").write_text(_CHECK.format(marks=marks))
    (first.root / ".unlatch/increments/keep").touch()
    git(folder, "init", "--quiet", "--bare", "--initial-branch", "main", str(remote))
    for words in (
        ("init", "--quiet", "--initial-branch", "main"),
        ("add", "."),
        ("commit", "--quiet", "-m", "Begin"),
        ("push", "--quiet", str(remote), "main"),
    ):
        git(first.root, *words)
    offer = {"repositories": [str(remote)], "programs": ["sh worker.sh", "sh check.sh *"]}
    with postgres.running(folder) as server, server.database() as address:
        set_up(address)
        os.environ["UNLATCH_FLEET_DATABASE"] = address
        nodes = [Node(address, f"n{i}", folder / f"n{i}", offer) for i in range(count)]
        try:
            wait_for_nodes(address, count)
            yield partial(NodePlace, remote=remote, marks=marks)
        finally:
            for node in nodes:
                node.kill()
