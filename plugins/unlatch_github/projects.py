"""The status of an issue in its projects (GitHub Projects): read, and set where it may be.

https://docs.github.com/en/issues/planning-and-tracking-with-projects/automating-your-project/using-the-api-to-manage-projects
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import TrackerError
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from unlatch.spi import ItemRef
    from unlatch_github.preview import Writer

STATUS_OPTION = "project-status"
_UNREAD = "its projects could not be read"


@dataclass(frozen=True, slots=True)
class ProjectItem:
    """An issue's place in a project.

    Args:
        ids: the node ids that a change of its status needs; empty without a status field.
        status: None if it has none.
        options: the ids of the statuses that the project has, by their names.
    """

    project: str
    ids: Mapping[str, str]
    status: str | None
    options: Mapping[str, str]


def report_projects(
    client: Writer, ref: ItemRef, wanted: str | None, *, is_asked: bool
) -> Iterator[str]:
    """Set the status in each of an issue's projects, or report it; the notes for the user.

    The issue is already reopened, so that an error here is only a note.

    Args:
        wanted: the name of the status to set; None to report only.
        is_asked: whether the command names it, so that a project without it is worth a note.
    """
    try:
        answer = client.standing(ref, changes=wanted is not None)
    except TrackerError as error:
        yield f"{_UNREAD}: {error.message}"
        return
    try:
        items = [*_items(answer)]
    except (KeyError, TypeError, AttributeError):
        yield f"{_UNREAD}: the token may lack the right to read projects"
        return
    if wanted is None:
        yield from (_standing(item) for item in items if item.status)
        return
    if not items and is_asked:
        yield "it is in no open project that this token may see"
    for item in items:
        yield from _set_status(client, item, wanted, is_asked=is_asked)


def _items(answer: dict[str, Any]) -> Iterator[ProjectItem]:
    """The items of open projects that are not archived; raises for any other answer."""
    nodes = answer["data"]["repository"]["issueOrPullRequest"]["projectItems"]["nodes"]
    for node in filter(None, nodes):
        project, value = node["project"], node["fieldValueByName"] or {}
        field = project["field"] or {}
        if node["isArchived"] or project["closed"]:
            continue
        ids = {"project": project["id"], "item": node["id"], "field": field.get("id") or ""}
        options = {option["name"]: option["id"] for option in field.get("options") or ()}
        yield ProjectItem(project["title"], ids, value.get("name"), options)


def _standing(item: ProjectItem) -> str:
    return f'in the project "{item.project}" its status is "{item.status}"'


def _set_status(client: Writer, item: ProjectItem, wanted: str, *, is_asked: bool) -> Iterator[str]:
    spelled = {name.casefold(): name for name in item.options}
    name = spelled.get(wanted.casefold())
    if name is None:
        if is_asked:
            offered = ", ".join(item.options) or "none"
            yield f'the project "{item.project}" has no status "{wanted}" (it has: {offered})'
        return
    if name == item.status:
        return
    try:
        answer = client.set_project_status(item.ids, item.options[name], name)
        why = _refusal(answer)
    except TrackerError as error:
        why = error.message
    if why is None:
        yield f'moved to "{name}" in the project "{item.project}"'
    else:
        yield f'{_standing(item)}, and not "{name}": {why}'


def _refusal(answer: Mapping[str, Any]) -> str | None:
    """Why the status was not set, by GitHub's answer; None if it was."""
    changed = (answer.get("data") or {}).get("updateProjectV2ItemFieldValue")
    if changed and changed.get("projectV2Item"):
        return None
    errors = answer.get("errors")
    listed = errors if isinstance(errors, list) else []
    types = [error.get("type") for error in listed if isinstance(error, dict)]
    if "INSUFFICIENT_SCOPES" in types:
        return "the token needs the scope project"
    return "the token may not write to it (a job's GITHUB_TOKEN never may)"
