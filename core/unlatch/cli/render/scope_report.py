"""What a change of an increment's work came to, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.render.documents import link_entry
from unlatch.cli.runtime import output
from unlatch.increments.files.layout import SPEC, TASKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.lifecycle.scope import Scope


def document_lines(scope: Scope) -> Iterator[str]:
    """The result of the documents, and which items are left alone."""
    amendment, mark = scope.amended.amendment, output.good(output.sign("ok"))
    if amendment.change is not None and SPEC not in amendment.unwritten:
        yield f"{mark} {SPEC}: the scope change is at the end"
    if amendment.ids and TASKS not in amendment.unwritten:
        yield f"{mark} {TASKS}: {', '.join(amendment.ids)}"
    if amendment.parts:
        yield f"{mark} To be done again: {', '.join(map(output.clean, amendment.parts))}"
    yield from _spared_lines(scope)


def foreseen_lines(scope: Scope) -> Iterator[str]:
    """What would become of the documents, and which items would be left alone."""
    amendment = scope.amended.amendment
    if amendment.unwritten:
        yield f"    {' and '.join(amendment.unwritten)} would be changed"
    yield from _spared_lines(scope)
    yield from sum_lines(scope)


def _spared_lines(scope: Scope) -> Iterator[str]:
    for link in scope.spared:
        about = output.clean(link.story or "")
        yield f"    {output.clean(link.key)} stays as it is: it belongs to {about}"


def sum_lines(scope: Scope) -> Iterator[str]:
    """How much there is to do now."""
    if scope.amended.amendment.change is not None:
        yield f"Tasks: {scope.total} ({scope.original} original + {scope.new} new)"
        if scope.coverage is not None:
            yield f"Coverage target: {scope.coverage:g}%"


def scope_entry(scope: Scope | None) -> output.Json | None:
    """What changed about the work, for scripts."""
    if scope is None:
        return None
    amendment = scope.amended.amendment
    return {
        "change": amendment.change,
        "parts": list(amendment.parts),
        "newTasks": [
            {
                "id": task.id,
                "title": task.title,
                "story": task.story,
                "criteria": list(task.criteria),
            }
            for task in amendment.tasks
        ],
        "tasks": {"total": scope.total, "original": scope.original, "new": scope.new},
        "coverageTarget": scope.coverage,
        "spared": [link_entry(link) for link in scope.spared],
        "unwritten": list(amendment.unwritten),
    }
