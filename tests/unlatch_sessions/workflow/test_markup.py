"""Reading, checking and writing workflow markup."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.errors import StoreError
from unlatch_sessions.workflow.graph import branch_edges, check, data_edges
from unlatch_sessions.workflow.read_workflow import read_workflow
from unlatch_sessions.workflow.workflow_model import Data, Dialect, Severity
from unlatch_sessions.workflow.writing import mermaid, write_workflow

HEAD = "---\ntype: workflow\ndialect: crucible-1\n---\n\n# Release\n"
PROPOSED = (
    HEAD
    + """
## Plan @lead@1.0 #dev !

Takes issue::Issue, spec
creates:
- plan::Plan

If the plan is rejected → proceed to Ask
Otherwise → proceed to Build

### Ask

plan::Plan -> answer::Text

## Build @coder ?

plan, answer → code::Code → report
Write the tests first.
"""
)
TODAY = """---
type: workflow
---

# Release

## Goals

- [ ] Ship it

## Plan -> plan

## Build @developer -> code [model:: big]

Implement per **plan**.

## & Docs

## Deploy (parallel)

> [!gate]
> Sign-off

Uses **code**.

## Validation

`make test`
"""


def test_the_proposed_dialect() -> None:
    workflow = read_workflow(PROPOSED)
    plan, ask, build = workflow.nodes
    assert (workflow.title, workflow.dialect, workflow.problems) == ("Release", "crucible-1", ())
    assert (plan.name, str(plan.agent), plan.channel, plan.required) == (
        *("Plan", "lead@1.0", "dev", True),
    )
    assert plan.takes == (Data("issue", "Issue"), Data("spec"))
    assert plan.creates == (Data("plan", "Plan"),)
    assert [(one.condition, one.node) for one in plan.branches] == [
        ("the plan is rejected", "Ask"),
        (None, "Build"),
    ]
    assert (ask.level, build.optional) == (3, True)
    assert [one.name for one in build.takes] == ["plan", "answer"]
    assert [one.name for one in build.creates] == ["code", "report"]
    assert build.steps == ("Write the tests first.",)
    assert {(a, b, label) for a, b, label in data_edges(workflow)} == {
        *((0, 1, "plan"), (0, 2, "plan"), (1, 2, "answer")),
    }
    assert [(a, b) for a, b, _ in branch_edges(workflow)] == [(0, 1), (0, 2)]
    assert check(workflow) == []


def test_the_present_dialect() -> None:
    workflow = read_workflow(TODAY)
    plan, build, docs, deploy = workflow.nodes
    assert workflow.dialect is Dialect.CRUCIBLE_2026
    assert (plan.name, plan.creates) == ("Plan", (Data("plan"),))
    assert (build.name, str(build.agent), build.creates) == (
        *("Build", "developer", (Data("code"),)),
    )
    assert build.takes == (Data("plan"),)
    assert [(one.name, one.parallel) for one in (docs, deploy)] == [
        ("Docs", True),
        ("Deploy", True),
    ]
    assert (deploy.gate, deploy.takes) == (True, (Data("code"),))


def test_an_unknown_node_is_an_error_at_its_line() -> None:
    text = f"{HEAD}\n## One\n\nIf it rains -> proceed to Nowhere\n"
    (problem,) = check(read_workflow(text))
    assert (problem.severity, problem.message) == (Severity.ERROR, "there is no node 'Nowhere'")
    assert text.split("\n")[problem.line - 1].startswith("If it rains")


def test_a_cycle_is_an_error_with_its_path_and_lines() -> None:
    text = f"{HEAD}\n## A\n\nc → a\n\n## B\n\na → b\n\n## C\n\nb → c\n\n## D\n\na → d\n"
    (problem,) = check(read_workflow(text))
    assert problem.message == "cycle: A (line 8) -> B (line 12) -> C (line 16) -> A (line 8)"


def test_two_nodes_of_one_name_are_an_error() -> None:
    (problem,) = check(read_workflow(f"{HEAD}\n## A\n\n## a\n"))
    assert problem.message == "'a' is also the node of line 8"


def test_a_line_that_cannot_be_read_is_a_warning() -> None:
    (problem,) = check(read_workflow(f"{HEAD}\n## A\n\nTakes 1x::Bad\n"))
    assert (problem.severity, problem.line) == (Severity.WARNING, 10)


def test_a_workflow_without_nodes_is_an_error() -> None:
    assert [one.severity for one in check(read_workflow(HEAD))] == [Severity.ERROR]


@pytest.mark.parametrize(
    ("text", "why"),
    [("# No front matter\n", "no front matter"), ("---\ndialect: x-9\n---\n", "'x-9' is unknown")],
)
def test_a_file_that_is_no_workflow_is_an_error(text: str, why: str) -> None:
    with pytest.raises(StoreError, match=why):
        read_workflow(text)


@pytest.mark.parametrize("text", [PROPOSED, TODAY])
def test_what_is_written_is_read_again(text: str) -> None:
    first = write_workflow(read_workflow(text))
    again = read_workflow(first)
    assert write_workflow(again) == first
    assert check(again) == []


def test_labels_of_a_diagram_are_escaped() -> None:
    chart = mermaid(read_workflow(f'{HEAD}\n## A "x"]; click n0 <b>`#`\n'))
    assert chart == ('flowchart TD\n  n0["A #quot;x#quot;]; click n0 #lt;b#gt;#96;#35;#96;"]\n')


@pytest.mark.sweep
def test_a_long_chain_is_checked_without_recursion() -> None:
    nodes = "".join(f"\n## N{n}\n\nd{n} → d{n + 1}\n" for n in range(3000))
    assert check(read_workflow(HEAD + nodes)) == []


@given(
    st.lists(
        st.sampled_from(
            ["## A", "## B !", "a → b", "b -> a", "Takes x", "creates:", "- y::T", "```"]
        )
        | st.sampled_from(["If x → proceed to B", "Otherwise → z", "> [!gate]", "**a**", "", "→"])
        | st.text(max_size=6),
        max_size=12,
    ).map("\n".join),
    st.sampled_from([*Dialect]),
)
def test_any_text_is_read_and_checked(body: str, dialect: Dialect) -> None:
    workflow = read_workflow(f"{HEAD}\n{body}\n", dialect)
    check(workflow)
    mermaid(workflow)
