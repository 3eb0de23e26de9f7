"""unlatch run: started, questioned, paused, recovered, and never by a clone."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.cli.output.test_documents import mistakes
from tests.cli.project import Done, Project
from tests.cli.runs.conftest import PLAN
from tests.cli.terminal import Terminal
from tests.warm.client import unlatch


def worker() -> str:
    return "/bin/sh worker.sh"


def run(project: Project, *arguments: str) -> Done:
    return project.run("run", *arguments)


def start(project: Project, *more: str) -> Done:
    return run(project, "start", "plan.md", "--worker", worker(), "--yes", *more)


def act(project: Project, task: str, words: str) -> None:
    (project.root / f"act-{task}").write_text(words)


def states(project: Project) -> dict[str, str]:
    document = run(project, "status", "--json").document
    assert mistakes(document, "run-status") == []
    return {one["id"]: one["state"] for one in document["tasks"]}


def test_a_plan_is_carried_out_and_its_commands_are_run(planned: Project) -> None:
    done = start(planned, "--pass-env", "JIRA_API_TOKEN", "--json").ends(0)
    assert mistakes(done.document, "run") == []
    assert done.document["run"]["status"] == "finished"
    assert (planned.root / "checked").read_text().split() == ["1", "2"]
    assert states(planned) == {"1": "done", "2": "done"}
    shown = run(planned, "status").out
    assert (shown.splitlines()[-2].split()[:3], "Failures" in shown) == (["1", "done", "0"], True)
    (listed,) = run(planned, "list", "--json").document["runs"]
    assert listed["tasks"]["done"] == 2
    events = run(planned, "events", "--json").document["events"]
    assert [one["sequence"] for one in events] == list(range(1, len(events) + 1))
    folder = planned.root / ".unlatch" / "runs"
    assert (folder / ".gitignore").read_text().endswith("*\n")
    modes = {path.stat().st_mode & 0o077 for path in folder.glob("*/**/*")}
    assert modes == {0}
    # Workers get only the trackers' tokens that were named.
    exported = (planned.root / "environ-1").read_text()
    assert "GITHUB_TOKEN" in planned.environ
    assert "GITHUB_TOKEN" not in exported
    assert f"JIRA_API_TOKEN='{planned.environ['JIRA_API_TOKEN']}'" in exported


def test_a_run_that_came_with_a_clone_starts_nothing(planned: Project) -> None:
    done = run(planned, "start", "plan.md", "--worker", worker())
    assert (done.code, "run-not-agreed" in done.err) == (2, True)
    assert "sh check.sh 2" in done.err
    assert not (planned.root / ".unlatch" / "runs").exists()

    act(planned, "1", "fail fail fail")
    assert start(planned).code == 3
    shutil.rmtree(planned.home / "state")
    for command in ("resume", "recover"):
        done = run(planned, command)
        assert (done.code, "run-no-consent" in done.err) == (2, True)
        assert re.search(rf"next: unlatch run {command} \S+ --worker COMMAND", done.err)
    done = run(planned, "resume", "--worker", worker())
    assert "run-not-agreed" in done.err
    assert not (planned.root / "checked").exists()


def test_a_changed_command_blocks_its_task_until_it_is_agreed_to(planned: Project) -> None:
    act(planned, "1", "fail fail fail")
    assert start(planned).code == 3
    plan = planned.root / "plan.md"
    plan.write_text(PLAN.replace("check.sh 2", "check.sh 2 more"))
    done = run(planned, "resume", "--retry", "1")
    assert "run-not-agreed" in done.err
    assert "sh check.sh 2 more" in done.err
    assert run(planned, "agree", "--yes").code == 0
    done = run(planned, "resume", "--retry", "1")
    assert done.code == 0, done.said
    assert "drift: 2 was changed" in done.err


def test_a_question_is_answered_by_a_person(planned: Project) -> None:
    act(planned, "1", "ask")
    start(planned).ends(5, err="unlatch run questions")
    document = run(planned, "questions", "--json").document
    assert mistakes(document, "run-questions") == []
    (question,) = document["questions"]
    assert question["options"] == ["a", "b"]
    assert run(planned, "answer", question["id"], "b; rm -rf /").code == 0
    assert run(planned, "answer", "1", "again").code == 2
    assert run(planned, "resume").code == 0
    assert "Answer: b; rm -rf /" in (planned.root / "text-1").read_text()


def test_a_task_that_failed_three_times_waits_for_a_person(planned: Project) -> None:
    act(planned, "1", "fail fail fail")
    start(planned).ends(3, out="SESSION PAUSED - Failed attempts", err=("resume 20", "--retry 1"))
    assert run(planned, "resume", "--retry", "9").code == 2
    assert run(planned, "resume", "--retry", "1").code == 0


def test_commands_that_do_not_fit_name_the_one_that_does(planned: Project) -> None:
    assert start(planned).code == 0
    wrong = {
        ("pause",): "run-no-coordinator",
        ("recover",): "run-over",
        ("resume",): "reason-required",
        ("stop",): "run-over",
        ("status", "nothing"): "run-unknown",
        ("check", "worker.sh"): "plan-invalid",
        ("check", "missing.md"): "plan-unreadable",
        ("start", "plan.md"): "run-no-worker",
        ("start", "plan.md", "--worker", "sh", "--yes", "--on", "nowhere"): "dispatcher-unknown",
        ("resume", "--reason", "again", "--on", "nowhere"): "run-moved",
    }
    for arguments, error in wrong.items():
        done = run(planned, *arguments)
        assert error in done.err, done.said
        assert done.code in (1, 2)

    # At a terminal it asks for the reason to resume a run that has ended.
    with Terminal(planned, "run", "resume") as terminal:
        terminal.answer("Reason for reopening", "Once more\n")
        assert terminal.end() == 0, terminal.text
    assert "Once more" in run(planned, "events", "--json").out
    assert run(planned, "resume", "--reason", "another look").code == 0


def test_an_auditor_of_the_user_decides(planned: Project) -> None:
    auditor = planned.root / "auditor.py"
    auditor.write_text(
        "import json, pathlib, sys\n"
        "text = sys.stdin.read()\n"
        "first = not pathlib.Path('seen').exists()\n"
        "pathlib.Path('seen').write_text(text)\n"
        "bad = {'type': 'failed', 'reason': 'no tests'}\n"
        "print(json.dumps(bad if first else {'type': 'done'}))\n"
    )
    start(planned, "--auditor", shlex.join((sys.executable, "auditor.py"))).ends(
        0, err="1 auditor: rejected: no tests"
    )
    assert "The auditor rejected the work: no tests" in (planned.root / "text-1").read_text()
    assert "sh check.sh 2: exit code 0" in (planned.root / "seen").read_text()


def test_the_tasks_of_an_increment_are_a_plan(planned: Project) -> None:
    planned.increment("0007-search", status="active")
    (planned.folder("0007-search") / "tasks.md").write_text(
        "# Tasks\n\n### T-001: Parse\n- [x] done\n\n### T-002: Search\n- [ ] open\n"
    )
    done = run(planned, "check", "increment:7", "--json")
    assert mistakes(done.document, "run-plan") == []
    assert [one["id"] for one in done.document["tasks"]] == ["T-002"]
    done = run(planned, "start", "increment:7", "--worker", worker())
    assert "run-no-auditor" in done.err


def test_a_log_that_is_older_than_the_state_continues_nothing(planned: Project) -> None:
    act(planned, "2", "fail fail fail")
    assert start(planned).code == 3
    (folder,) = (planned.root / ".unlatch" / "runs").glob("20*")
    log, whole = folder / "events.jsonl", (folder / "events.jsonl").read_bytes()
    older = b"".join(whole.splitlines(keepends=True)[:5])
    for content, message in ((older, "ends at event 5, but"), (b"", "has no event")):
        log.write_bytes(content)
        for command in ("recover", "stop", "resume", "context --left 9"):
            done = run(planned, *command.split())
            assert "run-damaged" in done.err, command
            assert f"events.jsonl {message}" in done.err
        assert log.read_bytes() == content
    assert (planned.root / "checked").read_text().split() == ["1"]
    log.write_bytes(older)
    assert "events.jsonl ends at event 5" in run(planned, "status").err
    # The hint of the error: what is later is done again, under an epoch that the leases accept.
    (folder / "state.json").unlink()
    done = run(planned, "recover")
    assert done.code == 0, done.said
    assert done.out.startswith("COORDINATOR RECOVERY\n\nNo prior state found\nEvents")
    assert (planned.root / "checked").read_text().split() == ["1", "1", "2"]


def process(project: Project, *arguments: str) -> subprocess.Popen[str]:
    """A command in a process of its own, with all that it prints in one stream."""
    return subprocess.Popen(
        [*unlatch(), "run", *arguments],
        cwd=project.root,
        env=project.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


class Live:
    """A coordinator in a process of its own, with the worker of a task that hangs."""

    def __init__(self, project: Project, *arguments: str, task: str = "1") -> None:
        self.project, self.hangs = project, project.root / f"hangs-{task}"
        self.hangs.unlink(missing_ok=True)
        self.process = process(project, *arguments)
        deadline = time.monotonic() + 30
        while not (self.hangs.exists() and self.hangs.read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.02)

    @property
    def worker_lives(self) -> bool:
        status = Path("/proc", self.hangs.read_text(), "status")
        # A dead process is a zombie until its parent looks.
        return status.exists() and "State:\tZ" not in status.read_text()

    def wait_until_dead(self) -> None:
        deadline = time.monotonic() + 30
        while self.worker_lives:
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def output(self) -> str:
        return self.process.communicate(timeout=60)[0]


@pytest.fixture
def live(planned: Project) -> Iterator[Live]:
    act(planned, "1", "hang")
    one = Live(planned, "start", "plan.md", "--worker", worker(), "--yes")
    yield one
    with one.process:
        one.process.kill()


def test_a_live_run_is_paused_and_its_workers_end(planned: Project, live: Live) -> None:
    second = run(planned, "recover")
    assert "run-active" in second.err
    done = run(planned, "pause", "--json")
    assert done.document["run"]["status"] == "paused"
    assert "SESSION PAUSED - User stop" in live.output()
    assert live.process.returncode == 0
    assert not live.worker_lives
    assert "run-paused" in run(planned, "recover").err
    done = run(planned, "resume")
    assert done.code == 0, done.said
    assert done.out.startswith("SESSION RESUMED\n")
    assert "Resume Context: begun 1" in (planned.root / "text-1").read_text()


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.sweep)]
)
def test_a_signal_pauses_a_run(planned: Project, live: Live, number: int) -> None:
    live.process.send_signal(number)
    said = live.output()
    assert "SESSION PAUSED - User stop" in said
    assert "is paused. Next: unlatch run resume 20" in said
    assert live.process.returncode == 130
    assert not live.worker_lives
    assert run(planned, "resume").code == 0


def test_a_live_run_is_compacted_and_stopped(planned: Project) -> None:
    asking = PLAN.replace("First", "Third").partition("### Task 2")[0].replace("1", "3")
    (planned.root / "plan.md").write_text(PLAN + asking)
    act(planned, "1", "hang")
    act(planned, "3", "ask")
    live = Live(planned, "start", "plan.md", "--worker", worker(), "--yes")
    while not (asked := run(planned, "questions", "--json").document["questions"]):
        assert live.worker_lives
    done = run(planned, "context", "--left", "9")
    assert done.out.startswith("AUTO-COMPACTION #1 - Context at 10%\n")
    assert "Restoring: 1 in-progress tasks" in done.out
    assert "State persisted to: .unlatch/runs/20" in done.out
    question = f"question {asked[0]['id']} of 3: Which one? (a, b)"
    assert (question in done.out, "drift" in done.out) == (True, False)
    (planned.root / "plan.md").write_text(PLAN.replace("two", "2") + asking)
    done = run(planned, "context", "--left", "9")
    assert f"\n\ndrift: 2 was changed\n{question}\n\n" in done.out
    done = run(planned, "context", "--left", "9", "--json")
    assert mistakes(done.document, "run") == []
    assert (done.document["drift"], done.document["questions"]) == ([], asked)
    done = run(planned, "stop", "--reason", "not needed", "--json")
    assert done.document["run"]["status"] == "failed"
    assert question in live.output()
    assert not live.worker_lives


def test_a_killed_coordinator_is_recovered_and_its_worker_ended(
    planned: Project, live: Live
) -> None:
    os.kill(coordinator(planned), signal.SIGKILL)
    live.output()
    assert live.worker_lives
    said = run(planned, "status").out
    assert "its coordinator is gone; next: unlatch run recover" in said
    assert alive(planned) is True
    os.kill(int((planned.root / "hangs-1").read_text()), signal.SIGKILL)
    live.wait_until_dead()
    assert alive(planned) is False
    assert "in progress (no process)" in run(planned, "status").out
    assert "run-crashed" in run(planned, "resume").err
    done = run(planned, "recover")
    assert done.code == 0, done.said
    assert not live.worker_lives
    assert "Orphaned agents: 1" in done.out
    assert (planned.root / "checked").read_text().split() == ["1", "2"]


@pytest.mark.parametrize("ended", [False, True], ids=["runs", "ended"])
@pytest.mark.parametrize("command", ["recover", "stop"])
def test_the_answer_of_a_worker_that_outlives_its_coordinator_counts(
    planned: Project, command: str, ended: bool
) -> None:
    act(planned, "1", "wait")
    live = Live(planned, "start", "plan.md", "--worker", worker(), "--yes")
    # What the dead coordinator recorded is not recorded again.
    while not run(planned, "events", "--type", "usage").out:
        assert live.worker_lives
    os.kill(coordinator(planned), signal.SIGKILL)
    live.output()
    if ended:
        (planned.root / "go-1").write_text("")
        live.wait_until_dead()
    if command == "stop":
        assert run(planned, "stop").code == 0
        assert not live.worker_lives
        (planned.root / "go-1").write_text("")
        done = run(planned, "resume", "--reason", "again")
        assert done.code == 0, done.said
    else:
        with process(planned, "recover") as again:
            assert again.stdout is not None
            said = ""
            while not ended and "1 developer: still at work" not in said:
                said += again.stdout.readline()
            (planned.root / "go-1").write_text("")
            # Not `communicate`: it does not have what `readline` has read ahead.
            said += again.stdout.read()
            again.wait(60)
        assert (again.returncode, "Orphaned agents: 0" in said) == (0, True), said
    events = run(planned, "events", "--json", "--task", "1").document["events"]
    kinds = [one["event_type"] for one in events]
    is_lost = command == "stop" and not ended
    assert kinds.count("developer_dispatched") == 1 + is_lost
    assert kinds.count("task_complete") == 1
    assert "orphan_agent_detected" not in kinds
    assert run(planned, "status", "--json").document["run"]["tokens"] == (100 if is_lost else 1000)
    assert not [*planned.root.glob(".unlatch/runs/*/workers/*.out")]


def alive(project: Project) -> object:
    """Whether the worker of task 1 is said to live."""
    return run(project, "status", "--json").document["tasks"][0]["alive"]


def coordinator(project: Project) -> int:
    """The process that has the lock of the only run."""
    (folder,) = (project.root / ".unlatch" / "runs").glob("20*")
    wanted = folder.stat()
    for lock in Path("/proc/locks").read_text().splitlines():
        words = lock.split()
        major, minor, inode = words[-3].split(":")
        device = os.makedev(int(major, 16), int(minor, 16))
        if "FLOCK" in words and (device, int(inode)) == (wanted.st_dev, wanted.st_ino):
            return int(words[-4])
    raise AssertionError("nobody has it")


# The ends of a run's coordinator: with its workers, as at a reboot.


def reboot(project: Project, *arguments: str, task: str = "1") -> None:
    """Run a coordinator until the worker of the task hangs, and kill it and all workers."""
    live = Live(project, *arguments, task=task)
    os.kill(coordinator(project), signal.SIGKILL)
    for pid in worker_processes(project):
        os.kill(pid, signal.SIGKILL)
    live.wait_until_dead()
    live.output()


def worker_processes(project: Project) -> list[int]:
    """The processes of workers, those that started others first."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            environ = (place / "environ").read_bytes()
            if b"UNLATCH_RUN_ID=" in environ and (place / "cwd").readlink() == project.root:
                found.append(int(place.name))
    return sorted(found)


def test_reboots_cost_a_task_no_attempt_and_five_in_a_row_pause_the_run(planned: Project) -> None:
    act(planned, "1", "hang hang hang hang hang hang")
    reboot(planned, "start", "plan.md", "--worker", worker(), "--yes")
    for _ in range(3):
        reboot(planned, "recover")
    (first, _) = run(planned, "status", "--json").document["tasks"]
    assert (first["attempts"], first["state"]) == (0, "in_progress")
    reboot(planned, "recover")
    done = run(planned, "recover")
    assert (done.code, "SESSION PAUSED - Ended with the coordinator" in done.out) == (3, True)
    assert "1: the coordinator ended 5 times in a row while the task was at work" in done.err
    assert "--retry 1" in done.err
    act(planned, "1", "")
    assert run(planned, "resume").code == 3
    done = run(planned, "resume", "--retry", "1")
    assert done.code == 0, done.said
