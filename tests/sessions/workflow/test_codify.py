"""Workflow Codification: the scenarios of the requirement, under their own names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from unlatch.errors import StoreError
from unlatch.llm.scripted import Scripted, said
from unlatch.sessions.document import read_document
from unlatch.sessions.markup import call_line
from unlatch.sessions.model import Agent
from unlatch.sessions.workflow.codify import codify
from unlatch.sessions.workflow.graph import check, data_edges
from unlatch.sessions.workflow.model import Dialect
from unlatch.sessions.workflow.reading import read_workflow
from unlatch.sessions.workflow.refine import refine
from unlatch.sessions.workflow.writing import write_workflow

if TYPE_CHECKING:
    from tests.sessions.conftest import Log

    from unlatch.sessions.model import Session


def fill(log: Log) -> Session:
    recorder = log.recorder
    for attempt in range(2):
        recorder.phase("Research", Agent("coder", "1.2"), "dev")
        recorder.call("Read", "/home/dev/project/src/login.py", "120 lines")
        recorder.call("Write", "notes/plan.md", "ok")
        recorder.call("Bash", "npm test", "3 failed", failed=not attempt)
        recorder.phase("Build", Agent("worker"))
        recorder.call("Read", "notes/plan.md", "ok")
        recorder.call("Edit", "src/login.py", "ok")
        recorder.decision("Use a lock -> not a queue")
        recorder.error("npm missing in /usr/local/bin/npm", "installed node")
    recorder.phase("Ship /home/dev/project/app → now!", Agent("coder", "1.2"))
    recorder.call("Read", "src/login.py", "ok")
    return log.session


def test_auto_extract_workflow(log: Log) -> None:
    text = write_workflow(codify(fill(log)))
    workflow = read_workflow(text)
    research, _, ship = workflow.nodes
    assert (str(research.agent), research.channel) == ("coder@1.2", "dev")
    assert workflow.source == log.session.id
    assert check(workflow) == []
    assert [(a, b, data) for a, b, data in data_edges(workflow)] == [
        (0, 1, "notes_plan_md"),
        (1, 2, "src_login_py"),
    ]
    assert "\n## Build @worker\n" in text
    assert ship.name == "Ship app to now"


def test_repeated_phases_are_one_step_and_retries_are_told_from_loops(log: Log) -> None:
    research, build, _ = codify(fill(log)).nodes
    assert research.steps[0] == (
        "Repeat until it is done (2 times in the session, retried after failures)."
    )
    assert build.steps[0] == "Repeat until it is done (2 times in the session, a loop)."
    assert len(research.steps) == len({*research.steps})


def test_errors_are_what_happens_otherwise(log: Log) -> None:
    research, build, _ = codify(fill(log)).nodes
    assert [(one.condition, one.text) for one in research.branches] == [
        ("it succeeds", "proceed to Build"),
        (None, "fix: 3 failed"),
    ]
    assert [one.text for one in build.branches if one.condition is None] == ["installed node"]


@pytest.mark.parametrize("dialect", [*Dialect])
def test_no_absolute_path_is_left(log: Log, dialect: Dialect) -> None:
    text = write_workflow(codify(fill(log), dialect))
    assert not re.search(r"(?<![\w.:])/(?:home|usr)", text)
    assert check(read_workflow(text)) == []


def test_a_long_session_has_less_than_40_nodes() -> None:
    head = "---\ntype: session\nsession_id: a\nstatus: active\n---\n"
    call = call_line("Edit", "src/{}.py", "ok", failed=False)
    phases = "".join(
        f"\n## Step {n}!\n\n**Tool calls:**\n{call.format(n)}\n{call.format(n // 2)}\n"
        for n in range(500)
    )
    workflow = read_workflow(write_workflow(codify(read_document(head + phases).session)))
    assert len(workflow.nodes) < 40
    assert check(workflow) == []


def test_agent_refined_codification(log: Log) -> None:
    workflow = write_workflow(codify(fill(log)))
    better = workflow.replace("## Research", "## Understand the failure")
    model = Scripted([said(f"Here it is:\n\n````markdown\n{better}````\n")])
    refined = refine(model, log.text, workflow)
    assert read_workflow(refined).nodes[0].name == "Understand the failure"
    messages = model.requests[0].messages
    assert [one["role"] for one in messages] == ["system", "user"]
    assert "Use a lock" in messages[1]["content"]
    assert "Use a lock" not in messages[0]["content"]


def test_an_answer_without_a_workflow_is_an_error() -> None:
    with pytest.raises(StoreError, match="refinement-missing"):
        refine(Scripted([said("I cannot do that.")]), "session", "workflow")
