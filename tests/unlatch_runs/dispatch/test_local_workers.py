"""Workers of this machine that misbehave are ended whole, and harm no other."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unlatch_runs.dispatch.local_harness import LocalHarness
from tests.unlatch_runs.dispatch.test_commands import is_gone

from unlatch_runs.dispatch.local import LocalDispatcher
from unlatch_runs.dispatch.port import Assignment, End, Ended, Lease
from unlatch_runs.dispatch.protocol import Checkpoint, Done, Noise
from unlatch_runs.testing.stage import assign, poll_until, the_end

START = """
import json, os, signal, subprocess, sys, time
def say(**message):
    print(json.dumps(message), flush=True)
def done():
    say(type="done")
def hang():
    time.sleep(600)
def daemon(kind):
    # As daemons are made: a new session, and the parent gone.
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        if kind == "closed":
            os.closerange(0, 256)
        if kind == "polite":
            signal.signal(signal.SIGTERM, lambda *_: (open("polite", "w").close(), os._exit(0)))
        else:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        open("daemon", "w").write(str(os.getpid()))
        os.rename("daemon", "pid")
        if kind == "bare":
            os.execve("/bin/sleep", ["sleep", "600"], {})
        hang()
    while not os.path.exists("pid"):
        time.sleep(0.01)
"""
# One that keeps the lock and its mark, one without the lock, and one without its mark.
DAEMONS = ["open", "closed", "bare"]


def run(
    local: LocalHarness, code: str, **changes: Any
) -> tuple[LocalDispatcher, Assignment, Lease]:
    """Claim a task for a worker in Python."""
    dispatcher = local.dispatcher(sys.executable, "-c", START + code)
    assignment = replace(assign(local), **changes)
    return dispatcher, assignment, dispatcher.claim(assignment, epoch=1)


def reports(local: LocalHarness, code: str, **changes: Any) -> list[Any]:
    dispatcher, assignment, _ = run(local, code, **changes)
    return poll_until(dispatcher, assignment.run_id, Ended)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("kind", "then"),
    [
        *((kind, "") for kind in DAEMONS),
        ("open", "done(); hang()"),
        pytest.param("closed", "done(); hang()", marks=pytest.mark.sweep),
        pytest.param("bare", "done(); hang()", marks=pytest.mark.sweep),
    ],
)
def test_a_daemon_ends_with_its_worker(local: LocalHarness, kind: str, then: str) -> None:
    ended = reports(local, f"daemon({kind!r}); {then}")[-1]
    assert ended.end is (End.LINGERED if then else End.EXIT)
    assert is_gone(int((local.folder / "pid").read_text()))


def test_a_daemon_is_asked_to_end_first(local: LocalHarness) -> None:
    dispatcher, assignment, lease = run(local, "daemon('polite'); say(type='done'); hang()")
    poll_until(dispatcher, assignment.run_id, Done)
    dispatcher.release(lease)
    assert (local.folder / "polite").exists()


@pytest.mark.sample
@pytest.mark.parametrize("kind", DAEMONS)
def test_recovery_ends_a_daemon_whose_worker_ended(local: LocalHarness, kind: str) -> None:
    old, _, lease = run(local, f"daemon({kind!r}); os.kill(os.getpid(), 9)")
    while not (local.folder / "pid").exists():
        os.sched_yield()
    local.abandon(old)
    new = local.dispatcher()
    assert [one.is_alive for one in new.leases()] == [True]
    assert new.recover(2).ended == (lease,)
    assert is_gone(int((local.folder / "pid").read_text()))


def test_a_worker_that_closes_its_output_and_lives_has_not_ended(local: LocalHarness) -> None:
    code = "say(type='checkpoint', text='a'); os.close(1); os.close(2); hang()"
    dispatcher, assignment, lease = run(local, code)
    assert poll_until(dispatcher, assignment.run_id, Checkpoint) == [Checkpoint("a")]
    assert dispatcher.poll(0.2) == []
    assert [one.is_alive for one in dispatcher.leases()] == [True]
    dispatcher.release(lease)
    assert the_end(dispatcher, assignment.run_id).end is End.RELEASED


def test_endless_output_ends_its_worker(local: LocalHarness) -> None:
    local.limits = replace(local.limits, most_output=1_000_000)
    *found, ended = reports(local, "while True: sys.stdout.write('x' * 1000 + '\\n')")
    assert ended.end is End.OUTPUT
    assert {type(one) for one in found} == {Noise}
    assert len(found) <= 20


def test_endless_errors_are_kept_in_part(local: LocalHarness) -> None:
    local.limits = replace(local.limits, most_errors=1_000_000)
    code = "sys.stderr.write('first\\n' + 'x' * 5_000_000 + '\\nKeyError: 7\\n'); sys.exit(1)"
    (ended,) = reports(local, code)
    assert (ended.end, ended.code) == (End.EXIT, 1)
    assert ended.errors.endswith("xx\nKeyError: 7\n")
    assert len(ended.errors) <= 4096
    (kept,) = (local.run / "workers").glob("*.err")
    assert kept.read_bytes()[:7] == b"first\nx"
    assert kept.stat().st_size == 1_000_000
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_worker_has_its_environment_and_no_other(local: LocalHarness) -> None:
    code = "say(type='checkpoint', text=json.dumps([dict(os.environ), os.getcwd()]))"
    local.environ = {"PATH": f"{local.folder}:/usr/bin:."}
    dispatcher, assignment, _ = run(local, code)
    message, *_ = poll_until(dispatcher, assignment.run_id, Checkpoint)
    assert isinstance(message, Checkpoint)
    environ, folder = json.loads(message.text)
    environ.pop("LC_CTYPE", None)  # Python sets it
    marks = {"UNLATCH_RUN_ID": assignment.run_id, "UNLATCH_TASK_ID": "1-1"}
    expected = {"PATH": "/usr/bin", **marks}
    assert (environ, folder) == (expected, str(local.folder))


@pytest.mark.sweep
def test_a_worker_leads_its_session_and_inherits_the_lock_alone(local: LocalHarness) -> None:
    code = """
places = {}
for fd in os.listdir("/proc/self/fd"):
    try:
        places[int(fd)] = os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        pass
extra = [place for fd, place in places.items() if fd > 2]
say(type="checkpoint", text=json.dumps([os.getsid(0) == os.getpid(), extra]))
"""
    found = reports(local, code)
    leads, extra = json.loads(found[0].text)
    assert leads
    assert [Path(place).parent for place in extra] == [local.run / "leases" / "locks"]


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (["no-such-program"], "program not found: no-such-program"),
        (["/dev/null"], "program not found: /dev/null"),
        (["./damaged"], "damaged cannot be started: Exec format error"),
    ],
)
def test_a_program_that_cannot_start_is_reported_as_an_end(
    local: LocalHarness, command: list[str], error: str
) -> None:
    damaged = local.folder / "damaged"
    damaged.write_bytes(b"\0\1")
    damaged.chmod(0o755)
    dispatcher, assignment = local.dispatcher(*command), assign(local)
    lease = dispatcher.claim(assignment, epoch=1)
    ended = the_end(dispatcher, assignment.run_id)
    assert (ended.end, ended.code) == (End.EXIT, 127)
    assert ended.errors.strip().endswith(error)
    dispatcher.complete(lease)


def test_a_folder_that_is_gone_is_reported_as_an_end(local: LocalHarness) -> None:
    local.folder /= "gone"
    (ended,) = reports(local, "done()")
    assert (ended.end, ended.code) == (End.EXIT, 127)
    assert "cannot be started" in ended.errors
