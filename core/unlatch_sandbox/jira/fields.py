"""The fields of issues: Jira's own, and custom ones."""

from __future__ import annotations

from typing import Any

from unlatch_sandbox.jira.workflows import EPIC_LINK, ROOT_CAUSE, SPRINT

FIELDS = (
    "summary",
    "status",
    "resolution",
    "resolutiondate",
    "statuscategorychangedate",
    "labels",
    "issuetype",
    "project",
    "assignee",
    "reporter",
    "creator",
    "created",
    "updated",
    "description",
    "comment",
    "parent",
)
# Type, custom type and name, as in Jira Software or by an administrator.
CUSTOM = {
    SPRINT: ("array", "com.pyxis.greenhopper.jira:gh-sprint", "Sprint"),
    ROOT_CAUSE: (
        "option",
        "com.atlassian.jira.plugin.system.customfieldtypes:select",
        "Root cause",
    ),
    EPIC_LINK: ("any", "com.pyxis.greenhopper.jira:gh-epic-link", "Epic Link"),
}


_SCHEMAS: dict[str, dict[str, str]] = {
    "labels": {"type": "array", "items": "string"},
    "assignee": {"type": "user"},
    "resolution": {"type": "resolution"},
    "parent": {"type": "issuelink"},
}


def field_info(name: str) -> dict[str, Any]:
    if name in CUSTOM:
        kind, custom, title = CUSTOM[name]
        number = int(name.rpartition("_")[2])
        items = {"items": "json"} if kind == "array" else {}
        schema: dict[str, Any] = {"type": kind, "custom": custom, "customId": number, **items}
        clauses = [f"cf[{number}]", title]
    else:
        title, clauses = name.capitalize(), [name]
        schema = {**_SCHEMAS.get(name, {"type": "string"}), "system": name}
    return {
        "id": name,
        "key": name,
        "name": title,
        "custom": name in CUSTOM,
        "orderable": True,
        "navigable": name != "comment",
        "searchable": True,
        "clauseNames": clauses,
        "schema": schema,
    }
