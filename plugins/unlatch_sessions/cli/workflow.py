"""unlatch workflow validate and show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import JSON, flag
from unlatch.cli.render.describe import times
from unlatch.cli.runtime.failure import UNDECIDED
from unlatch.cli.terminal import output
from unlatch.errors import StoreError
from unlatch_sessions.workflow.graph import check, data_edges
from unlatch_sessions.workflow.read_workflow import read_workflow
from unlatch_sessions.workflow.workflow_model import Dialect, Node, Problem, Severity, Workflow
from unlatch_sessions.workflow.writing import mermaid

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_LARGEST = 1 << 20
_FILE = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
_DIALECT = click.option(
    "--dialect",
    type=click.Choice([dialect.value for dialect in Dialect]),
    metavar="NAME",
    help="Dialect of the file: crucible-1 or crucible-2026; by default as the file says.",
)


@click.command("validate", help="Find mistakes in a workflow. (local)")
@_FILE
@_DIALECT
@JSON
def validate_workflow(*, file: Path, dialect: str | None, as_json: bool) -> int:
    workflow = _read(file, dialect)
    problems = check(workflow)
    is_wrong = any(problem.severity is Severity.ERROR for problem in problems)
    code = UNDECIDED if is_wrong else 0
    if as_json:
        output.document("workflow", code, **_document(workflow, problems))
        return code
    for problem in problems:
        output.data(f"{file}:{problem.line}: {problem.severity}: {output.clean(problem.message)}")
    if not is_wrong:
        output.ok(f"{times(len(workflow.nodes), 'step')}, {workflow.dialect}")
    return code


@click.command("show", help="Show the steps of a workflow and their data. (local)")
@_FILE
@_DIALECT
@flag("--mermaid", "as_mermaid", help="Print a Mermaid flow chart.")
@JSON
def show_workflow(*, file: Path, dialect: str | None, as_mermaid: bool, as_json: bool) -> int:
    workflow = _read(file, dialect)
    if as_json:
        output.document("workflow", **_document(workflow, check(workflow)))
    elif as_mermaid:
        output.data(*mermaid(workflow).rstrip("\n").split("\n"))
    else:
        output.data(output.strong(output.clean(workflow.title)), *_lines(workflow))
    return 0


def _read(file: Path, dialect: str | None) -> Workflow:
    try:
        with file.open("rb") as opened:
            raw = opened.read(_LARGEST + 1)
    except OSError as error:
        message = f"cannot read {file}: {error.strerror}"
        raise StoreError(
            "workflow-unreadable", message, hint="check the file's permissions"
        ) from error
    if len(raw) > _LARGEST:
        message = f"{file} has more than {_LARGEST:,} bytes"
        raise StoreError("file-too-large", message, hint="split it into several workflows")
    try:
        return read_workflow(raw.decode(), Dialect(dialect) if dialect else None)
    except UnicodeDecodeError as error:
        message = f"byte {error.start + 1} is not UTF-8"
        raise StoreError(
            "workflow-damaged", message, where=str(file), hint="convert it to UTF-8"
        ) from error
    except StoreError as error:
        error.where = str(file)
        raise


def _lines(workflow: Workflow) -> Iterator[str]:
    for number, node in enumerate(workflow.nodes, 1):
        agent = f" @{node.agent}" if node.agent else ""
        channel = f" #{node.channel}" if node.channel else ""
        marks = ", ".join(_marks(node))
        yield ""
        yield output.clean(f"{number}. {node.name}{agent}{channel}") + (
            f" ({marks})" if marks else ""
        )
        if node.takes:
            yield f"   takes {', '.join(map(str, node.takes))}"
        if node.creates:
            yield f"   creates {', '.join(map(str, node.creates))}"
        for branch in node.branches:
            lead = f"if {branch.condition}" if branch.condition else "otherwise"
            yield output.harmless(f"   {lead}: {branch.text}")


def _marks(node: Node) -> list[str]:
    marks = ("required", "optional", "parallel", "gate")
    return [name for name in marks if getattr(node, name)]


def _document(workflow: Workflow, problems: Sequence[Problem]) -> output.Json:
    names = [node.name for node in workflow.nodes]
    return {
        "title": workflow.title,
        "dialect": workflow.dialect.value,
        "nodes": [_node(node) for node in workflow.nodes],
        "edges": [
            {"from": names[start], "to": names[end], "data": data}
            for start, end, data in data_edges(workflow)
        ],
        "problems": [output.fields(node, "severity", "line", "message") for node in problems],
    }


def _node(node: Node) -> output.Json:
    return {
        **output.fields(node, "name", "line", "level"),
        "agent": str(node.agent) if node.agent else None,
        "channel": node.channel,
        "marks": _marks(node),
        "takes": [str(data) for data in node.takes],
        "creates": [str(data) for data in node.creates],
        "branches": [
            output.fields(branch, "condition", "text", "node") for branch in node.branches
        ],
        "steps": list(node.steps),
    }
