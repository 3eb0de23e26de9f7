"""Messages that come twice, late and in any order, while people work on both sides."""

import itertools
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from tests.cli.project import Project
from tests.cli.trackers.test_ingest import ingest, payload

from unlatch_sandbox import Sandbox

ISSUE = ("octo/widgets", 4)
ACTIONS = ("reopened", "closed", "labeled", "unlabeled")


class Team(RuleBasedStateMachine):
    """People at the issue and at the increment; GitHub tells of each change, some time."""

    box: ClassVar[Sandbox]
    programs: ClassVar[Path]
    patch: ClassVar[pytest.MonkeyPatch]

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory(prefix="unlatch-ingest-")
        self.messages: list[dict[str, Any]] = []
        self.reasons = itertools.count(1)

    @initialize()
    def begin(self) -> None:
        self.box.reset()
        place = Path(self._folder.name)
        for name in ("project", "home"):
            (place / name).mkdir()
        self.project = Project(
            self.box, place / "project", place / "home", self.programs, self.patch
        )
        self.project.configure(
            f"{self.box.config()}\n[sync]\non_close = 'follow'\nconflict = 'local'\n"
        )
        self.project.increment(links=self.project.items("github"))
        self.quietly("sync")

    @rule(action=st.sampled_from(["reopened", "closed"]))
    def a_person_changes_the_issue(self, action: str) -> None:
        self.box.github.edit(*ISSUE, state="open" if action == "reopened" else "closed")
        self.messages.append(payload(self.project, action))

    @rule()
    def a_person_changes_the_increment(self) -> None:
        if self.project.metadata()["status"] == "completed":
            reason = f"reason {next(self.reasons)}."
            self.quietly("resume", "7", "--reason", reason, "--yes", "--even-if-not-planned")
            self.messages.append(payload(self.project, "reopened"))
        else:
            self.quietly("complete", "7", "--force")
            self.messages.append(payload(self.project, "closed"))

    @rule(data=st.data())
    def a_message_arrives(self, data: st.DataObject) -> None:
        made = [payload(self.project, action) for action in ACTIONS]
        done = ingest(self.project, data.draw(st.sampled_from([*self.messages, *made]))).ends(0)
        assert self.is_in_step(), done.said

    @invariant()
    def nothing_is_told_twice(self) -> None:
        if hasattr(self, "project"):
            said = [body for body in self.project.comments()["github"] if "reason" in body]
            assert len(said) == len(set(said))

    def is_in_step(self) -> bool:
        is_open = self.box.github.issue(*ISSUE)["state"] == "open"
        return is_open is (self.project.metadata()["status"] == "active")

    def quietly(self, *arguments: str) -> None:
        done = self.project.run(*arguments)
        assert done.code == 0, done.said

    def teardown(self) -> None:
        if hasattr(self, "project") and self.messages:
            assert ingest(self.project, self.messages[-1]).code == 0
            before = self.project.tree()
            self.box.requests.clear()
            for message in {str(one): one for one in reversed(self.messages)}.values():
                assert ingest(self.project, message).code == 0
            assert [] == self.project.wrote()
            assert before == self.project.tree()
        self._folder.cleanup()


@pytest.mark.parametrize("examples", [2, pytest.param(60, marks=pytest.mark.sweep)])
def test_whatever_comes_when_both_sides_agree_and_nothing_is_told_twice(
    project: Project, monkeypatch: pytest.MonkeyPatch, examples: int
) -> None:
    class Here(Team):
        box, programs, patch = project.box, project.bin, monkeypatch

    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=examples,
            stateful_step_count=8,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
