"""Many processes at once, and long random lives; the scripts report the mistakes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import NAME, REASON, Project
from tests.cli.work.test_interrupt import COMMENTING, Waiting
from tests.warm.client import module, unlatch

from unlatch.cli.commands.work import resume_one
from unlatch.delivery import dispatch
from unlatch.increments.files.manager import MetadataManager
from unlatch.lifecycle import resume as resuming
from unlatch_sandbox import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.lifecycle.resume import ResumeResult
    from unlatch.lifecycle.resume_plan import ResumePlan
    from unlatch.project.workspace import Workspace

ROOT = Path(__file__).parents[2]


def told_by(name: str, *arguments: str) -> Any:
    # In a process of its own: a process with threads does not fork well.
    done = subprocess.run(
        [*module(name), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_many_processes_lose_nothing_and_do_nothing_twice(
    record_property: Callable[[str, object], None],
) -> None:
    told = told_by("tests.crash.crowd", "--processes", "6")

    record_property("crowd", f"{told['commands']} commands, {told['polls']} looks at the files")
    assert told["wrong"] == []
    assert told["sync"] == 0
    assert (told["processes"], told["commands"]) == (6, 12)
    assert told["reopens"] > 0
    assert told["polls"] > 20


def test_processes_that_resume_at_the_same_moment_reopen_once() -> None:
    told = told_by("tests.crash.at_once", "--processes", "4", "--rounds", "1")

    assert (told["wrong"], told["codes"]) == ([], {"0": 4})


@pytest.mark.parametrize("status", ["paused", "planning", "abandoned"])
def test_what_another_process_took_up_a_moment_ago_is_active_already(
    project: Project, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    project.increment(status=status)
    real = MetadataManager.apply

    def outrun(manager: MetadataManager, *args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(MetadataManager, "apply", real)
        real(manager, *args, **kwargs)  # the other process
        return real(manager, *args, **kwargs)

    monkeypatch.setattr(MetadataManager, "apply", outrun)

    done = project.run("resume", "7", "--reason", REASON, "--yes")

    assert done.code == 0, done.said
    assert "not recorded" not in done.said
    assert project.metadata()["status"] == "active"
    assert len([event for event in project.events() if event["event"] == "transitioned"]) == 1


@pytest.mark.parametrize("reason", [REASON, "Another one"])
def test_a_reason_that_another_process_forestalled_is_named(
    completed: Project, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    """After the plan was made; a reason that the other one recorded is not lost."""
    real = resuming.apply_resume

    def forestalled(workspace: Workspace, plan: ResumePlan) -> ResumeResult:
        other = completed.process("resume", "7", "--reason", REASON, "--yes", "--offline")
        assert other.code == 0
        return real(workspace, plan)

    monkeypatch.setattr(f"{resume_one.__name__}.apply_resume", forestalled)

    done = completed.run("resume", "7", "--reason", reason, "--yes")

    assert done.code == 0, done.said
    said = "Another process resumed it first; this reason was not recorded."
    assert (reason != REASON) == (said in done.said)
    assert [[True]] * 3 == [
        [REASON in comment for comment in comments] for comments in completed.comments().values()
    ]


@pytest.mark.parametrize("reason", [REASON, "Another one"])
@pytest.mark.parametrize("command", ["complete", "abandon", "pause"])
def test_what_another_process_changed_a_moment_ago_is_changed_already(
    project: Project, monkeypatch: pytest.MonkeyPatch, command: str, reason: str
) -> None:
    project.increment(status="active", links=project.items("github", finished=False))
    real = MetadataManager.apply

    def outrun(manager: MetadataManager, *args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(MetadataManager, "apply", real)
        assert project.process(command, "7", "--reason", REASON).code == 0
        return real(manager, *args, **kwargs)

    monkeypatch.setattr(MetadataManager, "apply", outrun)

    done = project.run(command, "7", "--reason", reason)

    assert done.code == 0, done.said
    assert f"Increment {NAME} is already {project.metadata()['status']}\n" in done.out
    assert (reason != REASON) == ("this reason was not recorded" in done.said)
    comments = project.comments()["github"]
    assert [True] * (command != "pause") == [REASON in comment for comment in comments]


@pytest.mark.parametrize("reason", [REASON, "Another one"])
@pytest.mark.parametrize("ids", [["7"], ["7", "8"]])
@pytest.mark.parametrize("command", ["complete", "pause", "resume"])
def test_a_script_sees_that_its_reason_was_not_recorded(
    project: Project, monkeypatch: pytest.MonkeyPatch, command: str, ids: list[str], reason: str
) -> None:
    for name in (NAME, "0008-other"):
        project.increment(name, status="completed" if command == "resume" else "active")
    real = MetadataManager.apply

    def outrun(manager: MetadataManager, *args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(MetadataManager, "apply", real)
        consent = ["--yes"] * (command == "resume")
        assert project.process(command, "7", "--reason", REASON, *consent).code == 0
        return real(manager, *args, **kwargs)

    monkeypatch.setattr(MetadataManager, "apply", outrun)

    consent = ["--yes"] * (command != "pause")
    name = command + "-many" * len(ids[1:])
    document = check(project, name, command, *ids, "--reason", reason, *consent)

    (first, *others) = document.get("increments", [document.get("increment")])
    assert (reason != REASON or None) == first.get("reasonLost")
    assert [None] * len(others) == [one.get("reasonLost") for one in others]


def test_increments_that_another_process_forestalled_are_counted(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("0007-smart-discipline", "0008-other"):
        project.increment(name, status="completed")
    real = resuming.apply_resume

    def forestalled(workspace: Workspace, plan: ResumePlan, **options: Any) -> ResumeResult:
        project.process("resume", "7", "--reason", REASON, "--yes")
        return real(workspace, plan, **options)

    monkeypatch.setattr(resuming, "apply_resume", forestalled)

    done = project.run("resume", "7", "8", "--reason", "Another one", "--yes")

    assert done.code == 0, done.said
    said = "Another process resumed 1 increment first; this reason was not recorded there."
    assert said in done.err


@pytest.mark.parametrize(
    ("lives", "met"),
    [
        (4, ("commands", "settled")),
        # Chance brings the others to many.
        pytest.param(
            20,
            ("commands", "settled", "deaths", "faults", "sure undos"),
            marks=pytest.mark.sweep,
        ),
    ],
)
def test_random_lives_end_as_they_were_meant_to(
    record_property: Callable[[str, object], None], lives: int, met: tuple[str, ...]
) -> None:
    told = told_by("tests.crash.random_life", "--examples", f"{lives}", "--steps", "12")

    record_property("random lives", json.dumps(told))
    assert told["lives"] >= lives
    assert [] == [what for what in met if not told.get(what)]


def test_who_waits_in_vain_for_a_delivery_is_told_that_another_process_is_at_it(
    completed: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = Waiting()
    completed.box.faults.add(Fault("github", "human", action=waiting, **COMMENTING["github"]))
    with subprocess.Popen(
        [*unlatch(), "resume", "7", "--reason", REASON, "--yes"],
        cwd=completed.root,
        env=completed.environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert waiting.arrived.wait(30)
        monkeypatch.setattr(dispatch, "LOCK_TIMEOUT", 0.1)

        done = completed.run("sync", "7")

        waiting.released.set()
    assert done.code == 3
    assert f"another process is changing {NAME}" in done.said
    assert process.returncode == 0
