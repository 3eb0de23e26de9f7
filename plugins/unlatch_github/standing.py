"""Further facts about an issue that was reopened: milestone, assignees, projects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import TrackerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.spi import ItemRef
    from unlatch_github.reading import Found, Milestone
    from unlatch_github.settings import OnReopen
    from unlatch_github.writer import Writer


def leaves_milestone(milestone: Milestone | None, wanted: OnReopen) -> bool:
    """Whether the issue is to be taken out of its milestone."""
    return milestone is not None and not milestone.is_open and wanted.milestone == "clear"


def wants_assignee(assigned: object, wanted: OnReopen) -> bool:
    """Whether the issue is to be assigned to the token's account."""
    return not assigned and wanted.assignee == "me"


def notes_on(found: Found) -> Iterator[str]:
    """The facts in the issue's own answer."""
    if found.milestone is not None and not found.milestone.is_open:
        yield f'its milestone "{found.milestone.title}" is closed'
    if not found.assignees:
        yield "nobody is assigned to it"


def notes_on_projects(client: Writer, ref: ItemRef) -> Iterator[str]:
    """The issue's status in its projects; each project has its own words, so none is judged."""
    try:
        yield from _standings(client.standing(ref))
    except TrackerError as error:
        # The issue is reopened by now; a read that fails does not change that.
        yield f"its projects could not be read: {error.message}"


def _standings(answer: dict[str, Any]) -> Iterator[str]:
    try:
        nodes = answer["data"]["repository"]["issue"]["projectItems"]["nodes"]
        standings = [_standing(node) for node in nodes if node]
    except (KeyError, TypeError):
        yield "its projects could not be read: the token may lack the right to read projects"
        return
    for standing in standings:
        if standing:
            yield standing


def _standing(node: dict[str, Any]) -> str | None:
    project, status = node["project"], node["fieldValueByName"]
    if node["isArchived"] or project["closed"] or not status or not status.get("name"):
        return None
    return f'in the project "{project["title"]}" its status is "{status["name"]}"'
