"""The exit codes in docs/commands.md: each row, with commands that end with that code."""

import pytest
from tests.cli.conftest import _programs, completed, project, single
from tests.cli.project import NAME, Project
from tests.cli.trackers.test_sync import by_hand

from unlatch_sandbox import Fault

__all__ = ["_programs", "completed", "project", "single"]
RESUME = ("resume", "7", "--reason", "More", "--yes")
NO_TOKENS = ("GITHUB_TOKEN", "AZURE_DEVOPS_EXT_PAT", "JIRA_API_TOKEN")


@pytest.mark.parametrize("command", [RESUME, (*RESUME, "--offline"), ("sync",), ("list",)])
def test_0_is_done(single: Project, command: tuple[str, ...]) -> None:
    assert 0 == single.run(*command).code


def test_1_is_a_failure_that_changed_nothing(single: Project) -> None:
    single.configure("[trackers.github]\nrepository = 4\n")
    before = single.tree()
    assert (1, before) == (single.run(*RESUME).code, single.tree())
    assert 1 == single.run("doctor").code


@pytest.mark.parametrize("command", [("resume", "99"), ("sync", "--nonsense"), ("resume", "7")])
def test_2_is_wrong_usage(single: Project, command: tuple[str, ...]) -> None:
    before = single.tree()
    assert (2, before) == (single.run(*command).code, single.tree())


def test_3_is_recorded_and_not_delivered(completed: Project) -> None:
    completed.box.faults.add(Fault("jira", "status", code=503, times=1000))
    first = completed.run("--max-wait", "0", *RESUME)
    assert (3, "active") == (first.code, completed.metadata()["status"])
    completed.box.faults.clear()
    assert 0 == completed.run("sync").code


@pytest.mark.parametrize("token", ["wrong", ""], ids=["refused", "missing"])
def test_4_is_a_token_that_ended_the_command(completed: Project, token: str) -> None:
    completed.extra |= dict.fromkeys(NO_TOKENS, token)
    completed.increment("0008-other")
    url = completed.urls["github"]
    before = completed.tree()
    commands = ("link", "8", url), ("new", "--from", url), ("github", "status"), ("jira", "status")
    codes = [completed.run(*command).code for command in commands]
    assert ([4] * 4, before) == (codes, completed.tree())
    assert [5, 5] == [completed.run("sync").code, completed.run("sync", "--check").code]
    assert (3, "active") == (completed.run(*RESUME).code, completed.metadata(NAME)["status"])


def test_5_is_drift(completed: Project) -> None:
    assert 0 == completed.run("sync").code
    by_hand(completed, "github", opens=True)
    assert 5 == completed.run("sync", "--check").code
