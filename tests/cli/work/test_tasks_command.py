"""tasks_command: a program of the user's own that proposes tasks for a scope change."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli import scoped
from tests.cli.project import REASON, Project
from tests.cli.terminal import Terminal

from unlatch.errors import ProposalError
from unlatch.lifecycle.scoping.proposed_tasks import propose_tasks

CHANGE = "Rules can be switched off"
RESUME = ("resume", "7", "--reason", REASON, "--scope", CHANGE)
TITLES = ("Add a switch", "Remember the switch")
GOOD = {"tasks": [{"title": title, "story": "US-002"} for title in TITLES]}
# Writes down what it got, and prints what the test wants it to.
PROGRAM = """
import json, os, sys
got = {{"stdin": json.load(sys.stdin), "environ": dict(os.environ), "argv": sys.argv[1:]}}
with open({seen!r}, "w") as file:
    json.dump(got, file)
print({answer!r})
sys.exit({code})
"""


class Proposer:
    """A program in a user's configuration."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._program = project.home / "propose.py"
        self._seen = project.home / "seen.json"
        self.says(json.dumps(GOOD))
        self.configured([sys.executable, str(self._program), "--fast", "a b; $(x)"])

    def configured(self, argv: list[str]) -> None:
        # On every system the configuration folder is in the home.
        self._project.extra["XDG_CONFIG_HOME"] = str(self._project.home / ".config")
        for place in (".config", "Library/Application Support"):
            folder = self._project.home / place / "unlatch"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "config.toml").write_text(f"tasks_command = {json.dumps(argv)}\n")

    def says(self, answer: str, code: int = 0) -> None:
        values = {"seen": str(self._seen), "answer": answer, "code": code}
        self._program.write_text(PROGRAM.format(**values))

    @property
    def got(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._seen.read_text())
        return found

    @property
    def was_run(self) -> bool:
        return self._seen.exists()


@pytest.fixture
def ready(project: Project) -> Project:
    project.increment()
    scoped.write(project)
    return project


@pytest.fixture
def proposer(ready: Project) -> Proposer:
    return Proposer(ready)


def added(project: Project) -> list[dict[str, Any]]:
    tasks: list[dict[str, Any]] = project.metadata()["reopenHistory"][0]["newTasks"]
    return tasks


def test_it_gets_the_files_and_the_change_and_its_tasks_are_written(
    ready: Project, proposer: Proposer
) -> None:
    secrets = {"GITHUB_TOKEN", "GH_TOKEN", "AZURE_DEVOPS_EXT_PAT", "JIRA_API_TOKEN", "JIRA_PAT"}
    secrets |= {"GITHUB_ENTERPRISE_TOKEN", "UNLATCH_PUSH_TOKEN"}
    ready.extra |= {name: f"secret of {name}" for name in secrets} | {"OTHER": "kept"}
    done = ready.run(*RESUME, "--yes").ends(0, err="New tasks, proposed by ")
    assert proposer.got["stdin"] == {
        "increment": "0007-smart-discipline",
        "title": "Smart discipline",
        "reason": REASON,
        "change": CHANGE,
        "spec": scoped.SPEC.format(status="completed"),
        "tasks": scoped.TASKS,
    }
    assert proposer.got["argv"] == ["--fast", "a b; $(x)"]
    assert [(task["id"], task["title"]) for task in added(ready)] == [
        ("T-004", TITLES[0]),
        ("T-005", TITLES[1]),
    ]
    assert "**User Story**: US-002" in scoped.text(ready, "tasks.md").partition("### T-004")[2]
    # Accepted by --yes, they are shown all the same.
    assert f"    - {TITLES[0]} (US-002)\n    - {TITLES[1]} (US-002)\n" in done.err
    environ = proposer.got["environ"]
    assert set() == secrets & environ.keys()
    assert [value for value in environ.values() if value.startswith("secret of")] == []
    assert environ["OTHER"] == "kept"


def test_what_it_gets_wrong_changes_nothing(ready: Project, proposer: Proposer) -> None:
    before = ready.tree()
    for answer, code, error, told in (
        ("", 0, "tasks-invalid", "invalid JSON"),
        ("no JSON", 0, "tasks-invalid", "invalid JSON"),
        ("[]", 0, "tasks-invalid", "valid"),
        ('{"tasks": [{"title": 7}]}', 0, "tasks-invalid", "tasks/0/title"),
        ('{"tasks": [{"name": "x"}]}', 0, "tasks-invalid", "tasks/0/title"),
        (json.dumps(GOOD), 3, "tasks-command-failed", "failed with exit code 3"),
    ):
        proposer.says(answer, code)
        ready.run(*RESUME, "--yes").ends(1, err=(f"error[{error}]", told))
    assert before == ready.tree()


def test_only_a_program_of_the_machine_is_run(ready: Project, proposer: Proposer) -> None:
    for place in ("propose", "tools/propose"):
        path = ready.root / place
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\necho '{json.dumps(GOOD)}'\n")
        path.chmod(0o755)
    for name in ("no-such-program", "./propose", "tools/propose"):
        proposer.configured([name])
        ready.run(*RESUME, "--yes").ends(1, err="error[tasks-command-missing]")
    # A repository cannot name it.
    ready.configure_more('tasks_command = ["true"]')
    ready.run(*RESUME, "--yes").ends(1, err="tasks_command: wrong file: it belongs in your own")
    assert ready.metadata()["status"] == "completed"


def test_it_may_not_take_for_ever(tmp_path: Path) -> None:
    endless = [sys.executable, "-c", "while True: pass"]
    with pytest.raises(ProposalError) as caught:
        propose_tasks(endless, {}, root=tmp_path, environ={}, patience=0.2)
    assert caught.value.id == "tasks-command-failed"
    assert "did not answer within 0.2 s" in caught.value.message


def test_at_a_terminal_they_are_shown_and_may_be_declined(
    ready: Project, proposer: Proposer
) -> None:
    before = ready.tree()
    with Terminal(ready, *RESUME) as terminal:
        terminal.answer("Continue?", "y\r")
        terminal.expect(f"- {TITLES[1]}")
        terminal.answer("Write these tasks?", "n\r")
        assert terminal.end() == 2
    assert before == ready.tree()
    assert proposer.was_run


def test_an_active_increment_needs_yes_where_nobody_can_be_asked(project: Project) -> None:
    project.increment(status="active")
    Proposer(project)
    project.run("resume", "7", "--scope", CHANGE).ends(2, err="error[not-interactive]")
    assert "amendments" not in project.metadata()
