"""Projects (ProjectV2) of issues: their status, and the mutation that sets it.

https://docs.github.com/en/graphql/reference/mutations#updateprojectv2itemfieldvalue
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import g

from unlatch_sandbox.github import guards

if TYPE_CHECKING:
    from unlatch_sandbox.github.records import IssueRecord

Object = dict[str, Any]
STATUSES = ("Todo", "In Progress", "Done")
_KEYS = {"projectId", "itemId", "fieldId", "value"}


class MissingError(Exception):
    """A part of the answer is null, with the reason in `errors`."""

    def __init__(self, message: str, type: str = "NOT_FOUND") -> None:
        super().__init__(message)
        self.type = type


def items_of(issue: IssueRecord) -> list[Object]:
    return [_item(issue, project, status) for project, status in issue.projects.items()]


def _item(issue: IssueRecord, project: str, status: str) -> Object:
    value = {"__typename": "ProjectV2ItemFieldSingleSelectValue", "name": status}
    names = dict.fromkeys((*STATUSES, status))
    field = {
        "__typename": "ProjectV2SingleSelectField",
        "id": f"PVTSSF_{project}",
        "options": [
            {
                "__typename": "ProjectV2SingleSelectFieldOption",
                "id": name.encode().hex(),
                "name": name,
            }
            for name in names
        ],
    }
    return {
        "__typename": "ProjectV2Item",
        "id": f"PVTI_{issue.id}_{project}",
        "isArchived": False,
        "project": {
            "__typename": "ProjectV2",
            "id": f"PVT_{project}",
            "title": project,
            "closed": False,
            "field": lambda asked: field if asked["name"] == "Status" else None,
        },
        "fieldValueByName": lambda asked: value if asked["name"] == "Status" else None,
    }


def mutations() -> Object:
    return {"__typename": "Mutation", "updateProjectV2ItemFieldValue": _update}


def _update(asked: Object) -> Object:
    _check_rights()
    given = asked["input"]
    if given.keys() != _KEYS or given["value"].keys() != {"singleSelectOptionId"}:
        raise MissingError("The input has other fields than this stand-in knows.")
    for issue in guards.admin().hub.issues.under():
        for project, status in issue.projects.items():
            item = _item(issue, project, status)
            field = item["project"]["field"]({"name": "Status"})
            wanted = (item["project"]["id"], item["id"], field["id"])
            if wanted == (given["projectId"], given["itemId"], given["fieldId"]):
                return _set(issue, project, field, given["value"]["singleSelectOptionId"])
    raise MissingError(f"Could not resolve to a node with the global id of '{given['itemId']}'")


def _set(issue: IssueRecord, project: str, field: Object, option: str) -> Object:
    names = {choice["id"]: choice["name"] for choice in field["options"]}
    if option not in names:
        raise MissingError("The single select option Id does not belong to the field", "VALIDATION")
    issue.projects[project] = names[option]
    guards.admin().hub.touch(issue)
    return {
        "__typename": "UpdateProjectV2ItemFieldValuePayload",
        "projectV2Item": _item(issue, project, names[option]),
    }


def _check_rights() -> None:
    if g.kind == "app":
        raise MissingError("Resource not accessible by integration", "FORBIDDEN")
    scopes = {"classic": guards.admin().scopes, "reader": ""}.get(g.kind)
    if scopes is not None and "project" not in scopes.split(", "):
        message = (
            "Your token has not been granted the required scopes to execute this query. The "
            "'updateProjectV2ItemFieldValue' field requires one of the following scopes: "
            f"['project'], but your token has only been granted the: ['{scopes}'] scopes."
        )
        raise MissingError(message, "INSUFFICIENT_SCOPES")
