"""unlatch run start --on fleet: tasks are carried out elsewhere, and their work comes back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.unlatch_fleet.tasks.fleet_harness import a_repository, git, wait_for_nodes
from tests.warm.client import unlatch

from unlatch_fleet.database.connect import connect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.unlatch_fleet.tasks.fleet_harness import Stage

_PLAN = """\
### Task 1: First
**Work**: one
**Acceptance Criteria**:
- [ ] `test -f work-1`
**Blocked By**: none

### Task 2: Second
**Work**: two
**Acceptance Criteria**:
- [ ] `test -f work-1`
- [ ] `test -f work-2`
**Blocked By**: 1
"""
_WORKER = """\
cat > /dev/null
echo "$GREETING$NODE_SECRET" > "work-$UNLATCH_TASK_ID"
echo '{"type": "checkpoint", "text": "begun"}'
echo '{"type": "done"}'
"""
OFFER: dict[str, Any] = {"programs": ["sh worker.sh", "test -f *"], "variables": ["GREETING"]}
START = ("start", "plan.md", "--on", "fleet", "--worker", "sh worker.sh", "--yes")


class Clone:
    """A clone of the stage's repository, in which a person starts a run."""

    def __init__(self, stage: Stage, root: Path) -> None:
        self.stage, self.root, self.state = stage, root / "clone", root / "state"
        git(root, "clone", "--quiet", str(stage.remote), str(self.root))

    def run(self, *arguments: str, code: int = 0) -> str:
        """Run `unlatch run`; its output."""
        environ = {
            **os.environ,
            "XDG_STATE_HOME": str(self.state),
            "XDG_CONFIG_HOME": str(self.state),
            "UNLATCH_FLEET_DATABASE": self.stage.address,
            "GREETING": "of the coordinator",
        }
        done = subprocess.run(
            [*unlatch(environ), "run", *arguments],
            cwd=self.root,
            env=environ,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def documents(self, command: str, key: str) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = json.loads(self.run(command, "--json"))[key]
        return entries


@pytest.fixture
def clone(stage: Stage, tmp_path: Path) -> Clone:
    files = {"plan.md": _PLAN, "worker.sh": _WORKER, ".unlatch/config.toml": ""}
    a_repository(stage.remote, tmp_path / "second", files)
    return Clone(stage, tmp_path)


@contextmanager
def fleet_node(stage: Stage, folder: Path) -> Iterator[None]:
    """`unlatch fleet node`, which is told to stop at the end, and does so."""
    folder.mkdir()
    settings = {
        "name": "east",
        "key": "0" * 64,
        "fleet": str(folder / "fleet.toml"),
        "clones": str(folder / "clones"),
        "lease": 50,
    }
    offer = {"repositories": [str(stage.remote)], **OFFER}
    (folder / "fleet.toml").write_text("repositories = []\n")
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    lines += ["[runs]", *(f"{name} = {json.dumps(value)}" for name, value in offer.items())]
    (folder / "node.toml").write_text("\n".join(lines))
    (folder / "node.toml").chmod(0o600)
    environ = {
        **os.environ,
        "UNLATCH_FLEET_DATABASE": stage.address,
        "XDG_STATE_HOME": str(folder),
        "GREETING": "of the node",
        "NODE_SECRET": "secret",
    }
    argv = [sys.executable, "-m", "unlatch", "fleet", "node", "--node-file", "node.toml"]
    with subprocess.Popen(argv, cwd=folder, env=environ) as node:
        try:
            yield
        finally:
            node.terminate()
            assert node.wait(60) == 0


def test_work_comes_back_as_branches_and_later_tasks_have_it(
    stage: Stage, clone: Clone, tmp_path: Path
) -> None:
    with fleet_node(stage, tmp_path / "node"):
        wait_for_nodes(stage.address, 1)
        said = clone.run(*START, "--pass-env", "GREETING")
        with connect(stage.address) as connection:
            leases = connection.execute("SELECT extract(epoch FROM lease)::int FROM run_node")
            assert [(50,)] == [*leases]
    wait_for_nodes(stage.address, 1, ended=1)
    assert "at work on east" in said
    assert {"1": "done", "2": "done"} == {
        task["id"]: task["state"] for task in clone.documents("status", "tasks")
    }
    events = clone.documents("events", "events")
    placed = [one for one in events if one["event_type"] == "agent_placed"]
    assert {("1", "east"), ("2", "east")} == {
        (one["task_id"], one["details"]["node"]) for one in placed
    }
    pushed = {
        one["task_id"]: one["details"]["commit"]
        for one in events
        if one["event_type"] == "task_submitted"
    }
    name = json.loads(clone.run("status", "--json"))["run"]["id"]
    heads = git(stage.remote, "show-ref", "--heads", "--", f"unlatch/{name}/1", f"unlatch/{name}/2")
    assert [*pushed.values()] == [line.split()[0] for line in heads.splitlines()]
    assert git(stage.remote, "show", f"{pushed['2']}:work-1") == "of the node"
    assert git(clone.root, "status", "--porcelain") == ""
    assert "secret" not in git(stage.remote, "grep", "-h", "", f"unlatch/{name}/2")


def test_nothing_begins_that_no_node_offers(stage: Stage, clone: Clone) -> None:
    assert "no node with [runs]" in clone.run(*START, code=2)
    offers: dict[str, dict[str, Any]] = {
        "a": {"programs": ["test -f *"]},
        "b": {"programs": ["sh worker.sh"]},
        "c": {"variables": []},
        "d": {"repositories": ["acme/other"]},
    }
    for name, changed in offers.items():
        stage.offer(name, **{**OFFER, **changed})
    said = clone.run(*START, "--pass-env", "GREETING", code=2)
    assert "fleet-no-node" in said
    for problem in (
        "a does not offer the program 'sh worker.sh'",
        "b does not offer the program 'test -f work-1', the program 'test -f work-2'",
        "c does not offer the variable GREETING",
        "d does not offer the repository ",
    ):
        assert problem in said
    assert clone.documents("list", "runs") == []


def test_a_commit_that_is_not_pushed_is_no_beginning(stage: Stage, clone: Clone) -> None:
    stage.offer("east", **OFFER)
    git(clone.root, "commit", "--allow-empty", "-qm", "Mine")
    assert "fleet-not-pushed" in clone.run(*START, code=2)
    git(clone.root, "remote", "remove", "origin")
    assert "fleet-no-remote" in clone.run(*START, code=2)
