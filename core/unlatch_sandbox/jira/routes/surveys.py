"""Projects: permissions, statuses, workflows; and a board's sprints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, request

from unlatch_sandbox.answers import NotKnownError, check_keys, check_query, reply
from unlatch_sandbox.jira import guards, shapes
from unlatch_sandbox.jira.workflows import DONE, INDETERMINATE, ISSUE_TYPES, WORKFLOWS

if TYPE_CHECKING:
    from unlatch_sandbox.jira.records import ProjectRecord
    from unlatch_sandbox.jira.workflows import Transition, Workflow

routes = Blueprint("surveys", __name__)

_PERMISSIONS = (
    "BROWSE_PROJECTS",
    "TRANSITION_ISSUES",
    "EDIT_ISSUES",
    "ADD_COMMENTS",
    "CREATE_ISSUES",
    "DELETE_OWN_COMMENTS",
    "ADMINISTER",
    "ADMINISTER_PROJECTS",
)
_CATEGORIES = {DONE.key: "DONE", INDETERMINATE.key: "IN_PROGRESS"}


@routes.get("/mypermissions")
def my_permissions() -> Response:
    check_query("projectKey", "permissions")
    project = _project(request.args.get("projectKey", ""))
    names = request.args.get("permissions", "").split(",")
    check_keys("permission", names, _PERMISSIONS)
    found = {name: _permission(name, project) for name in names}
    return reply({"permissions": found})


def _permission(name: str, project: ProjectRecord) -> dict[str, object]:
    rights = {
        "TRANSITION_ISSUES": project.can_transition,
        "ADMINISTER": False,
        "ADMINISTER_PROJECTS": project.can_administer,
    }
    has = rights.get(name, True)
    words = name.replace("_", " ").title()
    number = str(_PERMISSIONS.index(name) + 10)
    own = {"id": number, "key": name, "name": words, "type": "PROJECT", "description": words}
    return {**own, "havePermission": has}


@routes.get("/project/<key>/statuses")
def list_statuses(key: str) -> Response:
    check_query()
    workflow, dialect = WORKFLOWS[_project(key.upper()).workflow], guards.dialect()
    statuses = [shapes.status(one, dialect) for one in workflow.statuses]
    kinds = [shapes.issue_type(name, dialect) for name in ISSUE_TYPES]
    known = ("self", "id", "name", "subtask")
    return reply([{**{k: kind[k] for k in known}, "statuses": statuses} for kind in kinds])


@routes.post("/workflows/preview")
def preview_workflow() -> Response:
    """A map of a workflow (Cloud only), if the account may view it."""
    check_query()
    if guards.version() != "3":
        raise NotKnownError("route", "POST /workflows/preview of version 2")
    asked = guards.body()
    check_keys("body member", asked, ("projectId", "issueTypeIds"))
    for project in guards.tracks().projects.under():
        if project.id == asked.get("projectId") and not guards.is_anonymous():
            break
    else:
        raise guards.refusal(404, "The project does not exist.")
    if not project.can_view_workflow:
        raise guards.refusal(404, "The user does not have permission to view the workflow.")
    return reply(_map(WORKFLOWS[project.workflow], project, asked.get("issueTypeIds") or []))


def _map(workflow: Workflow, project: ProjectRecord, kinds: list[str]) -> dict[str, object]:
    everywhere = {"type": "GLOBAL"}
    statuses = [
        {
            "statusReference": one.id,
            "id": one.id,
            "name": one.name,
            "rawName": one.name,
            "description": "",
            "statusCategory": _CATEGORIES.get(one.category.key, "TODO"),
            "scope": everywhere,
        }
        for one in workflow.statuses
    ]
    shown = {
        "id": f"workflow-of-{project.key}",
        "name": workflow.name,
        "description": "",
        "scope": everywhere,
        "queryContext": [{"project": project.id, "issueTypes": kinds}],
        "statuses": [{"statusReference": one.id, "deprecated": False} for one in workflow.statuses],
        "transitions": [_way(one, workflow) for one in workflow.transitions],
    }
    return {"statuses": statuses, "workflows": [shown]}


def _way(found: Transition, workflow: Workflow) -> dict[str, object]:
    starts = [workflow.status(name).id for name in found.sources or ()]
    return {
        "id": found.id,
        "name": found.name,
        "description": "",
        "type": "DIRECTED" if starts else "GLOBAL",
        "toStatusReference": workflow.status(found.to).id,
        "links": [{"fromStatusReference": start, "fromPort": 0, "toPort": 0} for start in starts],
        "actions": [],
        "triggers": [],
        "validators": [],
    }


def list_sprints(board: str) -> Response:
    check_query("state")
    wanted = request.args.get("state", "active,future,closed").split(",")
    found = guards.tracks().sprints.under()
    own = [one for one in found if str(one.board) == board and one.state in wanted]
    shown = [
        {"id": one.id, "name": one.name, "state": one.state, "originBoardId": one.board}
        for one in own
    ]
    return reply({"maxResults": 50, "startAt": 0, "isLast": True, "values": shown})


def _project(key: str) -> ProjectRecord:
    found = guards.tracks().project(key)
    if found is None or guards.is_anonymous():
        raise guards.refusal(404, f"No project could be found with key '{key}'.")
    return found
