"""unlatch apply at a terminal, in a CI job, beside another process, and killed."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest
from tests.cli.mcp.test_applying import meanwhile
from tests.cli.plans.test_apply import FILE, active, completed, save, seen
from tests.cli.project import ALL, CLOSED, NAME, OPEN, REASON, Project
from tests.cli.terminal import Terminal
from tests.cli.work.test_interrupt import COMMENTING, Waiting
from tests.warm.client import unlatch

from unlatch_sandbox import Fault


def test_at_a_terminal_the_plan_is_shown_and_asked_about(single: Project) -> None:
    save(single, "resume", "7", "-m", "Line one\nLine two", "--by", "Ada")
    before = seen(single)
    with Terminal(single, "apply", FILE) as terminal:
        terminal.expect("Apply the plan? [y/N]")
        assert "Line two" in terminal.text
        assert "--by=Ada" in terminal.text
        terminal.type("n\r")
        assert terminal.end() == 2
        assert "Nothing was changed." in terminal.text
    assert seen(single) == before
    with Terminal(single, "apply", FILE) as terminal:
        terminal.answer("Apply the plan? [y/N]", "y\r")
        assert terminal.end() == 0
    assert single.states().items() <= OPEN.items()
    assert single.metadata()["reopenHistory"][0]["reopenedBy"] == "Ada"


def test_without_a_terminal_a_plan_needs_consent(single: Project) -> None:
    save(single, "resume", "7", "-m", REASON)
    before = seen(single)
    single.run("apply", FILE).ends(
        2, err=("error[not-interactive]", "next: unlatch apply plan.json --yes")
    )
    assert seen(single) == before


def test_texts_of_a_move_are_shown_before_it_is_made(single: Project) -> None:
    single.run("resume", "7", "-m", REASON, "--yes")
    save(single, "pause", "7", "--reason", "Waits for Grace", "--by", "Ada")
    single.run("apply", FILE).shows(
        err="Command: unlatch pause '--reason=Waits for Grace' --by=Ada -- 7"
    )


@pytest.mark.parametrize(
    "source",
    [
        "--reason=-",
        pytest.param("--reason-file=-", marks=pytest.mark.sweep),
        pytest.param("--reason-file=why.txt", marks=pytest.mark.sweep),
    ],
)
def test_a_plan_has_the_text_of_a_reason_not_its_source(single: Project, source: str) -> None:
    (single.root / "why.txt").write_text(REASON)
    single.run("resume", "7", source, "--plan-out", FILE, stdin=REASON).ends(0)
    (single.root / "why.txt").unlink()
    plan = json.loads((single.root / FILE).read_text())
    assert plan["command"]["options"]["--reason"] == [REASON]
    assert single.run("apply", FILE, "--yes").code == 0
    assert single.metadata()["reopenHistory"][0]["reason"] == REASON


def test_the_document_is_that_of_the_dry_run_and_then_of_the_command(single: Project) -> None:
    done = single.run("resume", "7", "-m", REASON, "--plan-out", FILE, "--json")
    plan = json.loads((single.root / FILE).read_text())
    assert plan["preview"] == done.document
    before = seen(single)
    checked = single.run("apply", FILE, "--dry-run", "--json")
    assert (checked.code, checked.document["schema"]) == (0, "unlatch.dry-run/1")
    assert seen(single) == before
    applied = single.run("apply", FILE, "--yes", "--json")
    assert (applied.code, applied.document["schema"]) == (0, "unlatch.resume/1")
    again = single.run("apply", FILE, "--yes", "--json")
    expected = {"schema": "unlatch.apply/1", "increments": [NAME], "pending": 0, "exitCode": 0}
    assert again.document == expected
    single.run("complete", "7", "--force", "--yes", "--offline").ends(0)
    refused = single.run("apply", FILE, "--yes", "--json").ends(5)
    assert refused.document["error"]["id"] == "plan-changed"


def test_an_edit_that_changes_nothing_in_the_plan_is_a_note(project: Project) -> None:
    project.increment(links=project.items("ado"))
    save(project, "resume", "7", "-m", REASON)
    project.box.ado.add_comment(101, "<div>Look</div>")
    project.run("apply", FILE, "--yes").ends(
        0, err="was edited since; that changes nothing in the plan"
    )


@pytest.mark.parametrize("tracker", ALL)
def test_a_killed_apply_is_finished_by_sync_and_posts_once(
    completed: Project, tracker: str
) -> None:
    save(completed, "resume", "7", "-m", REASON)
    waiting = Waiting()
    completed.box.faults.add(Fault(tracker, "human", action=waiting, **COMMENTING[tracker]))
    process = subprocess.Popen(
        [*unlatch(), "apply", FILE, "--yes"],
        cwd=completed.root,
        env=completed.environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert waiting.arrived.wait(30)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    waiting.released.set()
    completed.run("apply", FILE, "--yes").ends(
        3, out="This has been done already", err="pending. Next: unlatch sync"
    )
    assert completed.run("sync", "7").code == 0
    assert completed.states() == OPEN
    assert dict.fromkeys(ALL, 1) == {name: len(c) for name, c in completed.comments().items()}
    assert len(completed.metadata()["reopenHistory"]) == 1
    assert completed.run("apply", FILE, "--yes").code == 0


@pytest.mark.sweep
@pytest.mark.parametrize(
    "command",
    [
        ("abandon", "7"),
        pytest.param(("resume", "7", "-m", REASON), marks=pytest.mark.sweep),
        pytest.param(("complete", "7", "--force"), marks=pytest.mark.sweep),
    ],
)
def test_a_change_between_the_comparison_and_the_lock_is_refused(
    project: Project, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (completed if command[0] == "resume" else active)(project)
    save(project, *command)
    states = project.states()
    meanwhile(project, tmp_path / "other", "unlink", "7", project.urls["jira"], when="fcntl.flock")
    project.process("apply", FILE, "--yes", cold=True).ends(5, err="error[plan-changed]")
    assert states == project.states()
    assert project.states() in (OPEN, CLOSED)


def test_two_jobs_that_apply_one_plan_at_once_post_once(single: Project) -> None:
    save(single, "resume", "7", "-m", REASON)
    jobs = [
        subprocess.Popen(
            [*unlatch(), "apply", FILE, "--yes"],
            cwd=single.root,
            env=single.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for job in jobs:
        job.communicate(timeout=60)
    assert 0 in [job.returncode for job in jobs]
    assert {job.returncode for job in jobs} <= {0, 3, 5}
    assert single.run("sync", "7").code == 0
    assert single.states().items() <= OPEN.items()
    assert [1] == [len(comments) for comments in single.comments().values()]
    assert len(single.metadata()["reopenHistory"]) == 1
