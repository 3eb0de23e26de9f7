"""Writing a workflow in one of the dialects, and as a diagram."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unlatch_sessions import front_matter
from unlatch_sessions.heading import Heading, write_heading
from unlatch_sessions.workflow.graph import branch_edges, data_edges
from unlatch_sessions.workflow.workflow_model import Dialect, Node, Workflow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_sessions.front_matter import Value

_ARROW = "\u2192"
# Characters that end a label of Mermaid; the entities are those of its documentation
# (mermaid.js.org/syntax/flowchart.html, "Entity codes to escape characters").
_MERMAID = {'"': "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;", "`": "#96;", "&": "#amp;"}
_STRUCTURE = re.compile(r"\A(?=#{1,6}(?:[ \t]|\Z)|>|`{3}|~{3}|<!--)")


def write_workflow(workflow: Workflow) -> str:
    """The file of a workflow."""
    values: dict[str, Value] = {"type": "workflow", "dialect": workflow.dialect.value}
    if workflow.source:
        values["source"] = workflow.source
    write = _lines_1 if workflow.dialect is Dialect.CRUCIBLE_1 else _lines_2026
    parts = [f"{front_matter.written(values)}\n# {workflow.title}\n"]
    parts += ["\n".join(write(node)) + "\n" for node in workflow.nodes]
    return "\n".join(parts)


def mermaid(workflow: Workflow) -> str:
    """A flow chart: solid arrows for data, dotted ones for conditions."""
    lines = ["flowchart TD"]
    for number, node in enumerate(workflow.nodes):
        agent = f" @{node.agent.name}" if node.agent else ""
        lines.append(f'  n{number}["{_label(node.name + agent)}"]')
    lines += [f'  n{a} -->|"{_label(label)}"| n{b}' for a, b, label in data_edges(workflow)]
    lines += [f'  n{a} -.->|"{_label(label)}"| n{b}' for a, b, label in branch_edges(workflow)]
    return "\n".join(lines) + "\n"


def _label(text: str) -> str:
    return "".join(_MERMAID.get(sign, sign) for sign in text)


def _heading(node: Node) -> str:
    return "#" * (node.level - 2) + write_heading(Heading(node.name, node.agent, node.channel))


def _lines_1(node: Node) -> Iterator[str]:
    mark = " !" if node.required else " ?" if node.optional else ""
    yield _heading(node) + mark
    if node.takes:
        yield from ("", f"Takes {', '.join(map(str, node.takes))}")
    if node.creates:
        yield from ("", "creates:", *(f"- {data}" for data in node.creates))
    if node.steps:
        yield from ("", *map(_escaped, node.steps))
    if node.branches:
        yield ""
    yield from _branches(node)


def _lines_2026(node: Node) -> Iterator[str]:
    outputs = f" -> {', '.join(data.name for data in node.creates)}" if node.creates else ""
    agent = f" @{node.agent.name}" if node.agent else ""
    parallel = " (parallel)" if node.parallel else ""
    # This dialect has neither versions nor channels; it lets anybody add fields.
    version = f" [version:: {node.agent.version}]" if node.agent and node.agent.version else ""
    channel = f" [channel:: {node.channel}]" if node.channel else ""
    yield f"{'#' * node.level} {node.name}{agent}{parallel}{outputs}{version}{channel}"
    if node.gate:
        yield from ("", "> [!gate]", "> Sign-off")
    if node.takes:
        yield from ("", f"Uses {', '.join(f'**{data.name}**' for data in node.takes)}.")
    if node.steps:
        yield from ("", *map(_escaped, node.steps))
    for line in _branches(node):
        yield from ("", line)


def _branches(node: Node) -> Iterator[str]:
    for branch in node.branches:
        lead = f"If {branch.condition}" if branch.condition else "Otherwise"
        yield f"{lead} {_ARROW} {branch.text}"


def _escaped(line: str) -> str:
    return _STRUCTURE.sub(r"\\", line)
