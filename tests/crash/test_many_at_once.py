"""Another process acts between the plan of a command and its change, or during its delivery."""

import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import NAME, REASON, Project
from tests.cli.work.test_interrupt import COMMENTING, Waiting
from tests.warm.client import unlatch

from unlatch.delivery import dispatch
from unlatch.increments.files.manager import MetadataManager
from unlatch.lifecycle import resume as resuming
from unlatch_sandbox import Fault


def forestall(
    monkeypatch: pytest.MonkeyPatch,
    owner: object,
    name: str,
    act: Callable[[], object] | None = None,
) -> None:
    """Let another process act right before the next call of a function; by default, the same."""
    real = getattr(owner, name)

    def forestalled(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(owner, name, real)
        if act is None:
            real(*args, **kwargs)
        else:
            act()
        return real(*args, **kwargs)

    monkeypatch.setattr(owner, name, forestalled)


def other_process(project: Project, command: str, *options: str) -> Callable[[], None]:
    """A process that does the same a moment earlier, for `REASON`."""

    def act() -> None:
        consent = ["--yes"] * (command == "resume")
        done = project.process(command, "7", "--reason", REASON, *consent, *options)
        assert done.code == 0, done.said

    return act


@pytest.mark.parametrize("status", ["paused", "planning", "abandoned"])
def test_what_another_process_took_up_a_moment_ago_is_active_already(
    project: Project, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    project.increment(status=status)
    forestall(monkeypatch, MetadataManager, "apply")

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
    other = other_process(completed, "resume", "--offline")
    forestall(monkeypatch, resuming, "apply_resume", other)

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
    forestall(monkeypatch, MetadataManager, "apply", other_process(project, command))

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
    forestall(monkeypatch, MetadataManager, "apply", other_process(project, command))

    consent = ["--yes"] * (command != "pause")
    name = command + "-many" * len(ids[1:])
    document = check(project, name, command, *ids, "--reason", reason, *consent)

    (first, *others) = document.get("increments", [document.get("increment")])
    assert (reason != REASON or None) == first.get("reasonLost")
    assert [None] * len(others) == [one.get("reasonLost") for one in others]


def test_increments_that_another_process_forestalled_are_counted(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (NAME, "0008-other"):
        project.increment(name, status="completed")
    forestall(monkeypatch, resuming, "apply_resume", other_process(project, "resume"))

    done = project.run("resume", "7", "8", "--reason", "Another one", "--yes")

    assert done.code == 0, done.said
    said = "Another process resumed 1 increment first; this reason was not recorded there."
    assert said in done.err


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

        done = completed.run("sync", "7", "--yes")

        waiting.released.set()
    assert done.code == 3
    assert f"another process is changing {NAME}" in done.said
    assert process.returncode == 0
