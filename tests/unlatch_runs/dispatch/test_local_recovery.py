"""What a coordinator on this machine leaves behind is ended, and nothing else is."""

import fcntl
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unlatch_runs.dispatch.local_harness import LocalHarness

from unlatch.errors import StoreError
from unlatch_runs.dispatch import launcher
from unlatch_runs.dispatch.leases import LeaseStore, State
from unlatch_runs.dispatch.port import Ended, Lease, LeaseLost, Recovery, TaskLeased
from unlatch_runs.dispatch.processes import start_time
from unlatch_runs.dispatch.protocol import Checkpoint
from unlatch_runs.testing.stage import HANG, READY, assign, messages, poll_until


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process that leads its group, and has nothing to do with any run."""
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as process:
        yield process
        process.kill()


@pytest.fixture
def left(local: LocalHarness) -> tuple[LeaseStore, Lease]:
    """A lease of a dead coordinator whose worker never was."""
    local.dispatcher()
    store = LeaseStore(local.run)
    assignment = assign(local, HANG)
    lease = local.dispatcher("true").claim(assignment, epoch=1)
    poll_until(local.made[-1], lease.run_id, Ended)
    return store, lease


@pytest.mark.parametrize("boot", ["0000", None])
def test_a_process_id_alone_ends_nothing(
    local: LocalHarness,
    left: tuple[LeaseStore, Lease],
    bystander: subprocess.Popen[bytes],
    monkeypatch: pytest.MonkeyPatch,
    boot: str | None,
) -> None:
    monkeypatch.setattr("unlatch_runs.dispatch.recovery._PATIENCE", 0.1)
    store, lease = left
    real, ticks = (start_time(bystander.pid) or "").split()
    started = f"{boot} {ticks}" if boot else f"{real} {int(ticks) - 1}"
    held = store.lock(lease.run_id)
    held.write_text(f"{bystander.pid} {started}\n")
    with held.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert local.dispatcher().recover(2) == Recovery((), (lease,))
    assert bystander.poll() is None


def test_a_claim_that_is_interrupted_leaves_its_task_free(
    local: LocalHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    dispatcher = local.dispatcher()
    with monkeypatch.context() as patch:
        patch.setattr("unlatch_runs.dispatch.starting.send_go", interrupt)
        with pytest.raises(KeyboardInterrupt):
            dispatcher.claim(assign(local, HANG), epoch=1)
    assert dispatcher.leases() == []
    dispatcher.release(dispatcher.claim(assign(local, HANG), epoch=1))


def interrupt(_gate: object) -> None:
    raise KeyboardInterrupt


def test_the_recorded_group_is_ended_even_without_a_mark(
    local: LocalHarness,
    left: tuple[LeaseStore, Lease],
    bystander: subprocess.Popen[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("unlatch_runs.dispatch.recovery._PATIENCE", 0.1)
    store, lease = left
    held = store.lock(lease.run_id)
    held.write_text(f"{bystander.pid} {start_time(bystander.pid)}\n")
    with held.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        local.dispatcher().recover(2)
    assert bystander.wait(30) == -signal.SIGTERM


def test_a_worker_that_cannot_be_ended_keeps_its_task(
    local: LocalHarness, left: tuple[LeaseStore, Lease], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unlatch_runs.dispatch.recovery._PATIENCE", 0.1)
    store, lease = left
    new = local.dispatcher()
    with store.lock(lease.run_id).open("r+b") as file:
        # Held by this very process, which no recovery ends.
        fcntl.flock(file, fcntl.LOCK_EX)
        assert new.recover(2) == Recovery((), (lease,))
        assert [one.is_alive for one in new.leases()] == [True]
        with pytest.raises(TaskLeased):
            new.claim(assign(local), epoch=2)
        assert new.recover(3) == Recovery((), (lease,))
    new.release(new.claim(assign(local), epoch=3))
    assert new.recover(4) == Recovery((), ())


def test_recovery_takes_over_from_a_coordinator_that_still_lives(local: LocalHarness) -> None:
    old, assignment = local.dispatcher(), assign(local, READY, HANG)
    lease = old.claim(assignment, epoch=1)
    poll_until(old, lease.run_id, Checkpoint)
    assert local.dispatcher().recover(2).ended == (lease,)
    assert not local.is_alive(lease.run_id)
    with pytest.raises(LeaseLost):
        old.heartbeat(lease)
    ends = poll_until(old, lease.run_id, Ended)
    assert len(ends) == 1
    old.release(lease)
    assert messages(old.poll(0), lease.run_id) == []


def test_an_interruption_of_the_coordinator_ends_its_workers(local: LocalHarness) -> None:
    code = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from unlatch_runs.dispatch.processes import marked
from unlatch_runs.dispatch.local import LocalDispatcher
from unlatch_runs.dispatch.worker import Limits
from unlatch_runs.dispatch.port import Assignment, Place, Role
from unlatch_runs.dispatch.protocol import Checkpoint
run, folder, run_id, text, *command = sys.argv[1:]
place = Place(Path(folder), marked({}, run_id=run_id, task_id="1-1"))
with LocalDispatcher(
    Path(run),
    {Role.DEVELOPER: command},
    place=lambda _: place,
    clock=lambda: datetime.now(UTC),
    limits=Limits(grace=0.2),
) as dispatcher:
    dispatcher.claim(Assignment(run_id, "1-1", Role.DEVELOPER, text), epoch=1)
    while not any(isinstance(one.message, Checkpoint) for one in dispatcher.poll(60)):
        pass
    print("ready", flush=True)
    dispatcher.poll(60)
"""
    task = assign(local, ["ignore"], ["child"], READY, HANG)
    command = [str(local.run), str(local.folder), task.run_id, task.text, *local.journal.command]
    argv = [sys.executable, "-c", code, *command]
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as coordinator:
        assert coordinator.stdout is not None
        assert coordinator.stdout.readline() == b"ready\n"
        assert local.is_alive(task.run_id)
        os.killpg(coordinator.pid, signal.SIGINT)
        _, errors = coordinator.communicate(timeout=60)
        assert errors.rstrip().endswith(b"KeyboardInterrupt")
    assert not local.is_alive(task.run_id)
    assert local.dispatcher().leases() == []
    assert [*LeaseStore(local.run).list(State.ENDED)]


def test_to_look_at_leases_changes_nothing(local: LocalHarness) -> None:
    assert local.dispatcher().leases() == []
    assert [*local.run.iterdir()] == []


def test_leases_are_private_files(local: LocalHarness) -> None:
    dispatcher, assignment = local.dispatcher(), assign(local, READY, HANG)
    lease = dispatcher.claim(assignment, epoch=1)
    files = [path for path in (local.run / "leases").rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert len(files) == 3
    dispatcher.release(lease)
    assert [*(local.run / "leases" / "locks").iterdir()] == []


def test_a_damaged_lease_is_named(local: LocalHarness, left: tuple[LeaseStore, Lease]) -> None:
    store, lease = left
    store.active(lease.run_id).write_text("{}")
    with pytest.raises(StoreError, match="lease-damaged"):
        local.dispatcher().recover(2)
    store.active(lease.run_id).unlink()


def test_a_lock_that_is_a_link_is_refused(
    local: LocalHarness, left: tuple[LeaseStore, Lease], tmp_path: Path
) -> None:
    store, lease = left
    store.lock(lease.run_id).unlink()
    store.lock(lease.run_id).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="unsafe-path"):
        local.dispatcher().recover(2)
    store.lock(lease.run_id).unlink()


class Launched:
    """A launcher whose coordinator is the test."""

    def __init__(self, folder: Path, *, lease: bool = True) -> None:
        self.lock, self.lease = folder / "lock", folder / "lease"
        self.lock.touch()
        if lease:
            self.lease.touch()
        self.ready, its_ready = os.pipe()
        its_go, self.go = os.pipe()
        argv = [sys.executable, launcher.__file__, str(self.lock), str(self.lease)]
        self.process = subprocess.Popen(
            [*argv, str(its_ready), str(its_go), "/bin/sh", "-c", "echo ran"],
            pass_fds=(its_ready, its_go),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        os.close(its_ready)
        os.close(its_go)

    def end(self) -> tuple[int, bytes]:
        os.close(self.go)
        out, _ = self.process.communicate(timeout=60)
        os.close(self.ready)
        return self.process.returncode, out


def test_a_launcher_without_a_coordinator_starts_nothing(tmp_path: Path) -> None:
    launched = Launched(tmp_path)
    assert os.read(launched.ready, 1) == b"r"
    assert launched.end() == (125, b"")


def test_a_launcher_without_a_lease_starts_nothing(tmp_path: Path) -> None:
    launched = Launched(tmp_path)
    assert os.read(launched.ready, 1) == b"r"
    launched.lease.unlink()
    os.write(launched.go, b"g")
    assert launched.end() == (125, b"")


def test_a_second_launcher_of_a_run_id_starts_nothing(
    tmp_path: Path,
) -> None:
    first = Launched(tmp_path)
    assert os.read(first.ready, 1) == b"r"
    second = Launched(tmp_path)
    os.write(second.go, b"g")
    assert second.process.wait(60) == 126
    assert second.end() == (126, b"")
    os.write(first.go, b"g")
    assert first.end() == (0, b"ran\n")
