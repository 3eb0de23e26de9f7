"""Workflow Codification: the scenarios of the requirement, under their own names."""

import re
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unlatch_sessions.conftest import Log

from unlatch.errors import StoreError, UsageError
from unlatch_efforts.llm.scripted import Scripted, said
from unlatch_sessions.document import read_document
from unlatch_sessions.heading import Heading, one_line, write_heading
from unlatch_sessions.markup import call_line
from unlatch_sessions.session_model import Agent, Session
from unlatch_sessions.workflow.codify import codify
from unlatch_sessions.workflow.graph import check
from unlatch_sessions.workflow.read_workflow import read_workflow
from unlatch_sessions.workflow.refine import refine
from unlatch_sessions.workflow.workflow_model import Dialect, Workflow
from unlatch_sessions.workflow.writing import write_workflow


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


def test_repeated_phases_are_one_step_and_errors_are_what_happens_otherwise(log: Log) -> None:
    research, build, _ = codify(fill(log)).nodes
    assert research.steps[0] == (
        "Repeat until it is done (2 times in the session, retried after failures)."
    )
    assert build.steps[0] == "Repeat until it is done (2 times in the session, a loop)."
    assert len(research.steps) == len({*research.steps})

    assert [(one.condition, one.text) for one in research.branches] == [
        ("it succeeds", "proceed to Build"),
        (None, "fix Bash npm test: failed tests"),
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


def of(*phases: str) -> Workflow:
    head = "---\ntype: session\nsession_id: a\nstatus: active\n---\n\n# Do it\n\n"
    return codify(read_document(head + "\n\n".join(phases)).session)


def phase(title: str, *lines: str, head: str = "") -> str:
    """A phase that a prompt began, as an import writes it."""
    said = f'> [!user] {head}\n> "{title}"'
    return f"## {title} @coder\n\n{said}\n\n**Tool calls:**\n" + "\n".join(lines)


EDIT, TEST, FAILED = (
    call_line("Edit", "calc.py", "ok", failed=False),
    call_line("Bash", "cd /home/dev/demo && pytest -q", "2 passed", failed=False),
    call_line("Bash", "cd /home/dev/demo && pytest -q", "Exit code 1 1 failed", failed=True),
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**Decision:** use a lock", "use a lock"),
        ("## Plan\n> \n> 1. Read it", "Plan 1. Read it"),
        ("We met. Decision: none", "We met. Decision: none"),
        ("word " * 30, "word " * 19 + "word…"),
    ],
)
def test_a_decision_is_a_line_without_its_label(text: str, shown: str) -> None:
    (step,) = of(phase("Fix add", EDIT) + f"\n\n> [!decision]\n> {text}").nodes
    assert step.steps[0] == f"- Decision: {shown}"


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("cd app && CI=1 npm test", "npm test"),
        ("bash -lc cd app; make", "make"),
        ("sudo env X=1 run", "run"),
        ("make && cd app && curl -d a=b x", "make && cd app && curl -d a=b x"),
        ("runtime time 3", "runtime time 3"),
    ],
)
def test_a_command_is_shown_without_the_words_before_it(command: str, shown: str) -> None:
    (step,) = of(phase("Run", call_line("Bash", command, "ok", failed=False))).nodes
    assert step.steps == (f"- `Bash {shown}`",)


def test_answers_alone_and_lists_of_the_agent_are_no_steps() -> None:
    todo = call_line("TodoWrite", '{"todos": []}', "ok", failed=False)
    answer = '## Why @coder\n\n> [!user]\n> "Why"\n\nBecause.'
    (step,) = of(answer, phase("Fix add", EDIT, todo)).nodes
    assert step.steps == ("- `Edit calc.py`",)
    assert [one.name for one in of(answer).nodes] == ["Why"]

    reads = [call_line("Read", f"src/{n}.py", "ok", failed=False) for n in range(9)]
    (step,) = of(phase("Fix add", *reads, EDIT, TEST)).nodes
    assert step.steps[-3:] == ("- `Edit calc.py`", "- `Bash pytest -q`", "- and 3 more")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Can you help me implement a new feature", "Implement a new feature"),
        ("Great! Can you also show me the output?", "Show me the output"),
        ("Hello Claude! Please fix `add`", "Fix add"),
        ("And add a docstring", "Add a docstring"),
        ("Hi! Can you please fix it? It fails: see below.", "Fix it"),
        ("Oh, I just found out", "Oh, I just found out"),
        ("Let us test a very long message to see how it handles tex…", None),
        ("Summary", "Summary step"),
        ("!?", "Step"),
    ],
)
def test_a_step_is_named_by_what_was_asked_for(title: str, name: str | None) -> None:
    (step,) = of(phase(title, EDIT)).nodes
    assert step.name == (name or "Test a very long message to see how it handles")


PATHS = [
    "/home/dev/a.py",
    "cat</etc/x/passwd",
    "file:///home/dev/a.py",
    "gcc -I/usr/include/x a.c",
    "PATH=/usr/bin:/home/dev/bin",
    "~/.ssh/id",
    "C:\\Users\\me\\a.py",
    r"C:\\Users\\me\\a.py",
    "cp('/tmp/a/b','/var/c')",
    "ssh host:/srv/www/a",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("dialect", [*Dialect])
def test_no_form_of_an_absolute_path_is_left(path: str, dialect: Dialect) -> None:
    text = phase(f"Do {path}", call_line("Bash", path, path, failed=False), head="")
    failed = call_line("Bash", f"x {path}", path, failed=True)
    workflow = of(text, "> [!decision]\n> " + path, f"**Tool calls:**\n{failed}")
    shown = write_workflow(replace(workflow, dialect=dialect))
    assert not re.search(r"/(?:home|etc|usr|tmp|var|srv)\b|~/|C:", shown)


_TITLES = st.lists(
    st.text(st.sampled_from("ab !?.&#@>-:\\[]()*→`/~…") | st.characters(), max_size=80)
    | st.sampled_from(
        ["Summary", "Goals", "validation", "A (parallel)", "& A", "a -> b", "a [k:: v]", "b @c #d"]
    ),
    min_size=1,
    max_size=5,
)


@pytest.mark.sample
@pytest.mark.parametrize("dialect", [*Dialect])
@given(titles=_TITLES)
def test_each_step_is_read_back_under_its_name(dialect: Dialect, titles: list[str]) -> None:
    lines = (
        write_heading(Heading(one or "x", Agent("coder"), None)) + f"\n\n**Tool calls:**\n{EDIT}"
        for one in map(one_line, titles)
    )
    workflow = replace(of(*lines), dialect=dialect)
    found = read_workflow(write_workflow(workflow))
    assert [one.name for one in found.nodes] == [one.name for one in workflow.nodes]
    assert [str(one.agent) for one in found.nodes] == ["coder"] * len(found.nodes)
    assert check(found) == []


def test_neither_a_session_without_phases_nor_an_answer_without_a_workflow_is_one() -> None:
    with pytest.raises(UsageError, match="session-empty"):
        of()
    with pytest.raises(StoreError, match="refinement-missing"):
        refine(Scripted([said("I cannot do that.")]), "session", "workflow")


@pytest.mark.sweep
def test_codify_takes_time_in_proportion_to_the_phases() -> None:
    def seconds(count: int) -> float:
        phases = [phase(f"Do {n}", EDIT.replace("calc", f"c{n}"), TEST) for n in range(count)]
        begin = time.process_time()
        assert len(of(*phases).nodes) == 39
        return time.process_time() - begin

    assert seconds(800) < 12 * max(seconds(160), 0.05)


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
