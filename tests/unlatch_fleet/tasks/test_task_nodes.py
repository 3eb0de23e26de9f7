"""Nodes that die, freeze, are lied to, or cannot push."""

from __future__ import annotations

import json
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.unlatch_fleet.tasks.fleet_harness import FleetHarness, git, wait_for_nodes

from unlatch.worklog.ids import new_ulid
from unlatch_fleet.database.connect import connect
from unlatch_runs.dispatch.port import End, Ended, Placed
from unlatch_runs.dispatch.protocol import Checkpoint, Done
from unlatch_runs.testing.stage import DONE, HANG, READY, assign, poll_until, the_end

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.unlatch_fleet.tasks.fleet_harness import Stage

# Seconds after which a silent node of these tests counts as dead.
LEASE = 3.0
# What a shell does.
_UNTIL = "until [ -e {} ]; do sleep 0.05; done"
_SAY_DONE = 'echo \'{"type": "done"}\''


@pytest.fixture
def run(stage: Stage) -> Iterator[FleetHarness]:
    harness = FleetHarness(stage)
    yield harness
    for node in stage.nodes:
        node.signal(signal.SIGCONT)
    harness.end()


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize(
    "blow", [pytest.param(signal.SIGKILL, marks=pytest.mark.sweep), signal.SIGSTOP], ids=str
)
def test_tasks_of_a_silent_node_are_free_for_others(
    stage: Stage, run: FleetHarness, blow: signal.Signals
) -> None:
    east = stage.node("east", lease=LEASE)
    dispatcher, first = run.dispatcher(), assign(run, ["ignore"], ["child"], READY, HANG)
    lease = dispatcher.claim(first, epoch=1)
    poll_until(dispatcher, first.run_id, Checkpoint)
    stage.node("west", lease=LEASE)
    wait_for_nodes(stage.address, 2)
    began = time.monotonic()
    east.signal(blow)
    assert the_end(dispatcher, first.run_id) == Ended(End.UNSEEN, errors="its node fell silent")
    assert not run.is_alive(first.run_id)
    assert time.monotonic() - began < 2 * LEASE + 10  # a busy machine
    dispatcher.complete(lease)
    second = assign(run, DONE)
    dispatcher.claim(second, epoch=1)
    messages: list[object] = []

    def has_ended() -> bool:
        reports = [report for report in dispatcher.poll(1.0) if report.run_id == second.run_id]
        messages.extend(report.message for report in reports)
        return any(isinstance(message, Ended) for message in messages)

    until(has_ended)
    assert Placed("west") in messages
    if blow is signal.SIGSTOP:  # it comes back as another, and what it had does not count
        east.signal(signal.SIGCONT)
        wait_for_nodes(stage.address, 3, ended=1)
    assert [run.starts(first.run_id), run.starts(second.run_id)] == [1, 1]


def test_workers_go_on_while_the_database_is_away(fleet: FleetHarness) -> None:
    gate = fleet.stage.root / "away"
    dispatcher, task = (
        fleet.dispatcher(("sh", "-c", f"{_UNTIL.format(gate)}; {_SAY_DONE}")),
        assign(fleet),
    )
    lease = dispatcher.claim(task, epoch=1)
    assert [Placed("east")] == [report.message for report in dispatcher.poll(30)]
    with connect(fleet.stage.address) as connection:  # as if it were restarted
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    gate.touch()
    assert poll_until(dispatcher, task.run_id, Ended) == [Done(), Ended(End.EXIT, 0)]
    dispatcher.complete(lease)


FORGED: list[dict[str, Any]] = [
    {"worker": ["bash", "-c", "true"]},
    {"branch": "main"},
    {"branch": "unlatch/../x"},
    {"folder": "../"},
    {"commit": "--upload-pack=x"},
    {"needs": ["HEAD"]},
    {"variables": ["HOME_TOKEN"]},
    {"role": "auditor", "text": json.dumps({"commands": [["sh", "x"]], "auditor": []})},
    {"role": "auditor", "text": json.dumps({"commands": ["sh"], "auditor": []})},
    {"role": "auditor", "text": "{}"},
    {"timeout": -1.0},
]


_COPY = """INSERT INTO run_dispatch
    (run_id, v, origin, task, owner, epoch, until, repository, work)
    SELECT %s, v + %s, origin, task, owner, epoch, until, repository,
      (work::jsonb || %s::jsonb)::text
    FROM run_dispatch WHERE run_id = %s"""


def test_a_row_starts_nothing_that_the_node_does_not_list(fleet: FleetHarness) -> None:
    branches = git(fleet.stage.remote, "for-each-ref")
    dispatcher = fleet.dispatcher()
    good = assign(fleet, DONE)
    lease = dispatcher.claim(good, epoch=1)
    the_end(dispatcher, good.run_id)
    dispatcher.complete(lease)
    with connect(fleet.stage.address) as connection:
        forged = [new_ulid() for _ in FORGED]
        for run_id, change in zip(forged, FORGED, strict=True):
            connection.execute(_COPY, (run_id, 0, json.dumps(change), good.run_id))
        newer = new_ulid()
        connection.execute(_COPY, (newer, 1, "{}", good.run_id))
        forged.append(f"../../../{new_ulid()}")  # the name of a folder
        connection.execute(_COPY, (forged[-1], 0, "{}", good.run_id))
        query = "SELECT count(*) FROM run_dispatch WHERE refused LIKE 'east does not offer %'"
        until(lambda: bool(connection.execute(query).fetchall()[0][0] == len(forged)))
        rows = connection.execute("SELECT run_id FROM run_dispatch WHERE node IS NULL").fetchall()
        assert {row.run_id for row in rows} == {*forged, newer}
    assert not any(fleet.starts(run_id) for run_id in [*forged, newer])
    assert git(fleet.stage.remote, "for-each-ref") == branches


def test_a_branch_that_moved_meanwhile_is_left_and_said(fleet: FleetHarness) -> None:
    gate = fleet.stage.root / "gate"
    script = f"echo mine > mine; {_UNTIL.format(gate)}; {_SAY_DONE}"
    dispatcher = fleet.dispatcher(("sh", "-c", script))
    branch = "unlatch/first/1"
    tasks = [assign(fleet, branch=branch) for _ in range(2)]
    lease = dispatcher.claim(tasks[0], epoch=1)
    until(lambda: any(fleet.stage.root.glob("east/tasks/*/checkout/mine")))
    other = fleet.stage.root / "first"
    git(other, "commit", "--allow-empty", "-qm", "Other")
    git(other, "push", "-q", "origin", f"HEAD:{branch}")
    gate.touch()
    ended = the_end(dispatcher, tasks[0].run_id)
    assert (ended.end, ended.commit) == (End.EXIT, "")
    assert "could not be pushed" in ended.errors
    assert git(fleet.stage.remote, "rev-parse", branch) == git(other, "rev-parse", "HEAD")
    (kept,) = fleet.stage.root.glob("east/tasks/*/checkout/mine")
    assert str(kept.parent) in ended.errors
    dispatcher.complete(lease)
    # The next one goes on where the branch is.
    dispatcher.claim(tasks[1], epoch=1)
    ended = the_end(dispatcher, tasks[1].run_id)
    assert git(fleet.stage.remote, "rev-parse", f"{ended.commit}^") == git(
        other, "rev-parse", "HEAD"
    )


@pytest.mark.sweep
def test_work_that_does_not_fit_together_fails_with_gits_words(fleet: FleetHarness) -> None:
    clone, needs = fleet.stage.root / "first", []
    for text in ("one", "two"):
        git(clone, "checkout", "-q", "-B", text, "origin/main")
        (clone / "README.md").write_text(text)
        git(clone, "commit", "-qam", text)
        git(clone, "push", "-q", "origin", text)
        needs.append(git(clone, "rev-parse", "HEAD"))
    dispatcher = fleet.dispatcher()
    task = assign(fleet, DONE, branch="unlatch/first/1", needs=tuple(needs))
    dispatcher.claim(task, epoch=1)
    ended = the_end(dispatcher, task.run_id)
    assert (ended.end, ended.code) == (End.EXIT, 128)
    assert "README.md" in ended.errors
    assert fleet.starts(task.run_id) == 0
