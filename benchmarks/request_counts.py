"""The number of requests for a reopen, counted by the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks import items
from benchmarks.children import run
from benchmarks.figures import Figure
from unlatch_sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.items import Block, Project

PART = "requests"


def figures() -> Iterator[Figure]:
    """Each tracker, first in a project without caches, then again."""
    with Sandbox() as box, items.project(box) as project:
        yield from _cloud(project)
    with Sandbox() as box:
        box.jira.add_project("SCRUM", deployment="Server")
        with items.project(box) as project:
            for number, when in enumerate(("cold", "warm"), 1):
                block = items.jira(box, number, "completed")
                count = _count(project, number, "jira", block)
                yield _figure(f"Jira Data Center, {when}", count, 4, "4")


def _cloud(project: Project) -> Iterator[Figure]:
    box = project.box
    cases = (
        ("GitHub, cold", "github", items.github(box, 1), 4, "4"),
        ("GitHub, warm", "github", items.github(box, 2), 4, "4"),
        (
            "GitHub, with a label to remove",
            "github",
            items.github(box, 3, "completed"),
            5,
            "4, 1 for the label",
        ),
        (
            "Azure DevOps, cold",
            "ado",
            items.ado(box, 4, "completed"),
            4,
            "2, 1 for the type, 1 to discover",
        ),
        ("Azure DevOps, warm", "ado", items.ado(box, 5, "completed"), 2, "2"),
        (
            "Azure DevOps, of another type",
            "ado",
            items.ado(box, 6, type="Bug"),
            3,
            "2, 1 for the type",
        ),
        ("Jira Cloud, cold", "jira", items.jira(box, 7, "completed"), 3, "3"),
        ("Jira Cloud, warm", "jira", items.jira(box, 8, "completed"), 3, "3"),
    )
    for number, (what, tracker, block, most, why) in enumerate(cases, 1):
        yield _figure(what, _count(project, number, tracker, block), most, why)


def _count(project: Project, number: int, tracker: str, block: Block) -> int:
    project.complete(number, **{tracker: block})
    project.box.requests.clear()
    run(project.resume(number), env=project.environ)
    return project.box.requests.count(tracker)


def _figure(what: str, count: int, most: int, why: str) -> Figure:
    return Figure(PART, f"a reopen on {what}", count, "requests", most, 1, why)
