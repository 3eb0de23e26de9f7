"""The graph of a workflow: who creates data that another node takes, and mistakes in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from unlatch_sessions.workflow.workflow_model import Node, Problem, Severity, Workflow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Edge(NamedTuple):
    """Indexes of nodes, and the name of the data, or of the condition to proceed."""

    start: int
    end: int
    label: str


def data_edges(workflow: Workflow) -> list[Edge]:
    """An edge from each node that creates data to each other node that takes it."""
    creators: dict[str, list[int]] = {}
    for number, node in enumerate(workflow.nodes):
        for data in node.creates:
            creators.setdefault(data.name, []).append(number)
    return [
        Edge(creator, number, data.name)
        for number, node in enumerate(workflow.nodes)
        for data in node.takes
        for creator in creators.get(data.name, ())
        if creator != number
    ]


def branch_edges(workflow: Workflow) -> list[Edge]:
    """An edge for each branch to a node that there is."""
    names = _names(workflow)
    return [
        Edge(number, names[branch.node.casefold()], branch.condition or "otherwise")
        for number, node in enumerate(workflow.nodes)
        for branch in node.branches
        if branch.node and branch.node.casefold() in names
    ]


def check(workflow: Workflow) -> list[Problem]:
    """All mistakes, by line: unreadable lines, unknown nodes, names that are not unique, cycles."""
    problems = [*workflow.problems, *_unknown(workflow), *_repeated(workflow)]
    if not workflow.nodes:
        problems.append(Problem(Severity.ERROR, 1, "there is no node: add a heading `## Name`"))
    if cycle := _cycle(workflow):
        names = " -> ".join(f"{node.name} (line {node.line})" for node in cycle)
        problems.append(Problem(Severity.ERROR, cycle[0].line, f"cycle: {names}"))
    return sorted(problems, key=lambda problem: (problem.line, problem.message))


def _unknown(workflow: Workflow) -> list[Problem]:
    names = _names(workflow)
    return [
        Problem(Severity.ERROR, branch.line, f"there is no node '{branch.node}'")
        for node in workflow.nodes
        for branch in node.branches
        if branch.node and branch.node.casefold() not in names
    ]


def _repeated(workflow: Workflow) -> list[Problem]:
    seen: dict[str, int] = {}
    problems = []
    for node in workflow.nodes:
        if node.name and (first := seen.setdefault(node.name.casefold(), node.line)) != node.line:
            message = f"'{node.name}' is also the node of line {first}"
            problems.append(Problem(Severity.ERROR, node.line, message))
    return problems


def _names(workflow: Workflow) -> Mapping[str, int]:
    return {node.name.casefold(): number for number, node in enumerate(workflow.nodes)}


def _cycle(workflow: Workflow) -> Sequence[Node]:
    """The nodes of one cycle of data, the first one again at its end; empty without any."""
    after: dict[int, list[int]] = {}
    for edge in data_edges(workflow):
        after.setdefault(edge.start, []).append(edge.end)
    done: set[int] = set()
    for start in range(len(workflow.nodes)):
        way, places = [start], [iter(after.get(start, ()))]
        while way and start not in done:
            step = next(places[-1], None)
            if step is None:
                done.add(way.pop())
                places.pop()
            elif step in way:
                return [workflow.nodes[index] for index in (*way[way.index(step) :], step)]
            elif step not in done:
                way.append(step)
                places.append(iter(after.get(step, ())))
    return ()
