"""unlatch fleet sync: many repositories on one machine."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from base64 import b64encode
from contextlib import closing
from pathlib import Path

import pytest
from tests.ci.git_server import serve
from tests.unlatch_fleet.repositories import Fleet
from tests.warm.client import COLD

from unlatch_sandbox import Fault


@pytest.mark.sweep
def test_sync_delivers_and_pushes_each_repository_once(fleet: Fleet) -> None:
    for _ in range(4):
        fleet.add()
    fleet.write()

    done = fleet.unlatch("fleet", "sync", str(fleet.file), "--json").ends(0)

    entries = done.document["repositories"]
    assert [("done", 3)] * 4 == [(entry["result"], entry["written"]) for entry in entries]
    assert all(fleet.is_delivered(repository) for repository in fleet.repositories)
    assert {2} == {repository.commits for repository in fleet.repositories}
    # The command counted the comments of all units on GitHub, for one account.
    counted = fleet.folder / "state" / "unlatch" / "requests" / "requests.sqlite"
    with closing(sqlite3.connect(counted)) as database:
        rows = database.execute("SELECT count(DISTINCT name), count(*) FROM requests").fetchone()
    assert (1, 4) == rows


def test_git_gets_the_token_of_the_group_and_leaves_it_nowhere(fleet: Fleet) -> None:
    repository, variables = fleet.add(), fleet.box.environ()
    pair = b64encode(f"x-access-token:{variables['GITHUB_TOKEN']}".encode()).decode()
    hosts = variables.pop("UNLATCH_TRUSTED_HOSTS").split(",")
    lines = [f'variables.{name} = "env:MY_{name}"' for name in variables]
    group = [
        "[groups.acme]",
        'git = "GITHUB_TOKEN"',
        f"trusted_hosts = {json.dumps(hosts)}",
        *lines,
    ]
    requests: list[str] = []
    with serve(fleet.folder, requests, authorization=f"Basic {pair}") as address:
        fleet.write("\n".join(group), group="acme")
        text = fleet.file.read_text()
        fleet.file.write_text(text.replace(str(repository.path), f"{address}/part-1.git"))
        mine = {f"MY_{name}": value for name, value in variables.items()}

        fleet.unlatch("fleet", "sync", str(fleet.file), **mine, GITHUB_TOKEN="another").ends(0)

    assert any("git-receive-pack" in path for path in requests)
    assert fleet.is_delivered(repository)
    files = [path for path in (fleet.folder / "state").rglob("*") if path.is_file()]
    secrets = [word.encode() for word in (pair, *variables.values()) if word]
    assert [] == [path for path in files if any(word in path.read_bytes() for word in secrets)]


def test_a_clone_follows_an_address_that_is_spelled_anew(fleet: Fleet, tmp_path: Path) -> None:
    repository, link = fleet.add(items=1), tmp_path / "link.git"
    link.symlink_to(repository.path)
    for place in (link, repository.path):
        fleet.file.write_text(f"[[repositories]]\nurl = '{place}'\n")
        done = fleet.unlatch("fleet", "sync", str(fleet.file), "--dry-run")
        assert "1 pending" in done.out, "its clone was read"
        link.unlink(missing_ok=True)


def test_a_dry_run_changes_nothing(fleet: Fleet) -> None:
    repository = fleet.add()
    fleet.write()
    fleet.box.requests.clear()

    done = fleet.unlatch("fleet", "sync", str(fleet.file), "--dry-run", "--json").ends(0)

    (entry,) = done.document["repositories"]
    assert ("done", 3, 3) == (entry["result"], entry["written"], entry["left"])
    assert [] == [e.path for e in fleet.box.requests.entries() if e.changes]
    assert 1 == repository.commits


def test_a_limited_account_is_left_alone_until_its_time(fleet: Fleet) -> None:
    for _ in range(2):
        fleet.add(items=1)
    fleet.write()
    fleet.box.faults.add(Fault("github", "rate-limit", method="PATCH", seconds=2))

    command = ("--max-wait", "0", "fleet", "sync", str(fleet.file), "--jobs", "1")
    done = fleet.unlatch(*command).ends(0)

    assert ("later, 1 pending" in done.err, "[rate-limited]; again at" in done.err) == (True, True)
    assert "2 synced." == done.out.splitlines()[-1]
    refused, *others = [
        entry.status for entry in fleet.box.requests.entries("github") if entry.changes
    ]
    assert (429, {200, 201}) == (refused, {*others})
    assert all(fleet.is_delivered(repository) for repository in fleet.repositories)


def test_repository_that_needs_a_person_says_why_and_is_not_left_out(fleet: Fleet) -> None:
    repository = fleet.add(items=1)
    fleet.write()
    command = ("fleet", "sync", str(fleet.file))
    fleet.unlatch(*command, "--dry-run").ends(0, "would sync, 1 to write", "nothing was written")
    fleet.unlatch(*command).ends(0, "1 synced.")
    fleet.box.github.edit(repository.name, int(repository.due["github"][0]), state="closed")

    why = ("needs a person, [decision-needed]", "the item was closed")
    for more in (), ("--resume",):
        done = fleet.unlatch(*command, *more).ends(5, *why, "1 need a person.")
        assert "synced before" not in done.said


@pytest.mark.skipif(sys.platform != "linux", reason="finds the programs of a process in /proc")
@pytest.mark.parametrize("whole_machine", [pytest.param(False, marks=pytest.mark.sweep), True])
def test_sync_that_was_killed_is_continued_without_a_doubled_comment(
    fleet: Fleet, whole_machine: bool
) -> None:
    for _ in range(3):
        fleet.add(settle=2)
    fleet.write()
    # A comment of the second unit is posted after that unit is dead.
    late = Fault("github", "late", method="POST", path="comments", after=1, seconds=1)
    fleet.box.faults.add(late)
    command = [*COLD, "fleet", "sync", str(fleet.file), "--jobs", "1"]
    with subprocess.Popen(
        command, env=fleet.environ, cwd=fleet.folder, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        _await_comment(fleet)  # of the second unit
        programs = _programs(process.pid)
        process.kill()
        for pid in programs if whole_machine else ():
            os.kill(pid, signal.SIGKILL)

    done = fleet.unlatch("fleet", "sync", str(fleet.file), "--resume", "--json").ends(0)

    assert "[1/3]" in first
    assert 1 == len(programs)
    assert [key in first for key in done.document["skipped"]] == [True]
    fleet.box.settle()
    assert all(fleet.is_delivered(repository) for repository in fleet.repositories)


def _await_comment(fleet: Fleet) -> None:
    """Wait until an item of another repository than the first has its comment."""
    while sum(map(sum, map(fleet.comments, fleet.repositories))) <= 3:
        time.sleep(0.01)


def _programs(pid: int) -> list[int]:
    """The programs that a process has started and that run."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]
