"""What else a person should know of an issue that was reopened, and what is done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import TrackerError
from unlatch_github.queries import STANDING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.spi import ItemRef
    from unlatch_github.client import Client
    from unlatch_github.reading import Found, Milestone
    from unlatch_github.settings import OnReopen


def leaves_milestone(milestone: Milestone | None, wanted: OnReopen) -> bool:
    """Whether the issue is to be taken out of its milestone."""
    return milestone is not None and not milestone.is_open and wanted.milestone == "clear"


def wants_assignee(assigned: object, wanted: OnReopen) -> bool:
    """Whether the issue is to be assigned to the token's account."""
    return not assigned and wanted.assignee == "me"


def notes_on(found: Found) -> Iterator[str]:
    """What the issue's own answer shows."""
    if found.milestone is not None and not found.milestone.is_open:
        yield f'its milestone "{found.milestone.title}" is closed'
    if not found.assignees:
        yield "nobody is assigned to it"


def notes_on_projects(client: Client, ref: ItemRef) -> Iterator[str]:
    """Which status the issue has in its projects; words of each project's own, so not judged."""
    owner, _, name = ref.target.partition("/")
    try:
        answer = client.query(STANDING, {"owner": owner, "name": name, "number": int(ref.id)})
        yield from _standings(answer)
    except TrackerError as error:
        # The issue is reopened by now; that it could not be told more is no failure of that.
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
