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
    permissions = {name: _permission(name, project) for name in names}
    return reply({"permissions": permissions})


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
    statuses = [shapes.status(status, dialect) for status in workflow.statuses]
    kinds = [shapes.issue_type(name, dialect) for name in ISSUE_TYPES]
    keys = ("self", "id", "name", "subtask")
    return reply([{**{k: kind[k] for k in keys}, "statuses": statuses} for kind in kinds])


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
            "statusReference": status.id,
            "id": status.id,
            "name": status.name,
            "rawName": status.name,
            "description": "",
            "statusCategory": _CATEGORIES.get(status.category.key, "TODO"),
            "scope": everywhere,
        }
        for status in workflow.statuses
    ]
    answer = {
        "id": f"workflow-of-{project.key}",
        "name": workflow.name,
        "description": "",
        "scope": everywhere,
        "queryContext": [{"project": project.id, "issueTypes": kinds}],
        "statuses": [
            {"statusReference": status.id, "deprecated": False} for status in workflow.statuses
        ],
        "transitions": [_way(transition, workflow) for transition in workflow.transitions],
    }
    return {"statuses": statuses, "workflows": [answer]}


def _way(transition: Transition, workflow: Workflow) -> dict[str, object]:
    starts = [workflow.status(name).id for name in transition.sources or ()]
    return {
        "id": transition.id,
        "name": transition.name,
        "description": "",
        "type": "DIRECTED" if starts else "GLOBAL",
        "toStatusReference": workflow.status(transition.to).id,
        "links": [{"fromStatusReference": start, "fromPort": 0, "toPort": 0} for start in starts],
        "actions": [],
        "triggers": [],
        "validators": [],
    }


def list_sprints(board: str) -> Response:
    check_query("state")
    wanted = request.args.get("state", "active,future,closed").split(",")
    records = guards.tracks().sprints.under()
    own = [record for record in records if str(record.board) == board and record.state in wanted]
    sprints = [
        {"id": record.id, "name": record.name, "state": record.state, "originBoardId": record.board}
        for record in own
    ]
    return reply({"maxResults": 50, "startAt": 0, "isLast": True, "values": sprints})


def _project(key: str) -> ProjectRecord:
    record = guards.tracks().project(key)
    if record is None or guards.is_anonymous():
        raise guards.refusal(404, f"No project could be found with key '{key}'.")
    return record
