"""The `fields`, `update` and `properties` of a request, within the limits of a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import g

from unlatch_sandbox.answers import NotKnownError, check_keys
from unlatch_sandbox.jira import guards, shapes
from unlatch_sandbox.jira.admin import PERSON
from unlatch_sandbox.jira.workflows import CAUSES, EPIC_LINK, RESOLUTIONS, ROOT_CAUSE, SPRINT

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from unlatch_sandbox.jira.records import IssueRecord

EDIT_SCREEN = ("summary", "description", "labels", "assignee", "parent", SPRINT, EPIC_LINK)
_FIELDS = (*EDIT_SCREEN, "resolution", ROOT_CAUSE)
_NOT_ON_SCREEN = "Field '{}' cannot be set. It is not on the appropriate screen, or unknown."


def apply(issue: IssueRecord, asked: Mapping[str, Any], screen: Collection[str]) -> None:
    """Apply changes, and refuse fields that are not on the screen; without comments."""
    fields = asked.get("fields") or {}
    update = {n: v for n, v in (asked.get("update") or {}).items() if n != "comment"}
    check_keys("field", {**fields, **update}, _FIELDS)
    if absent := [name for name in {**fields, **update} if name not in screen]:
        raise guards.refusal(400, **{name: _NOT_ON_SCREEN.format(name) for name in absent})
    for name, value in fields.items():
        _set(issue, name, value)
    for name, operations in update.items():
        for operation in operations:
            _operate(issue, name, operation)
    set_properties(issue, asked.get("properties") or [])


def _set(issue: IssueRecord, name: str, value: Any) -> None:
    match name:
        case "summary":
            issue.summary = _summary(value)
        case "description":
            issue.description = None if value is None else guards.text(value, name)
        case "labels":
            issue.labels = guards.labels(value)
        case "assignee":
            issue.assignee = _person(value)
        case "parent":
            issue.parent = _above((value or {}).get("key"), "parent") if value else None
        case _ if name == EPIC_LINK:
            issue.parent = _above(value, EPIC_LINK) if value else None
        case _ if name == SPRINT:
            issue.sprints = [*issue.sprints, value] if value else []
        case _ if name == ROOT_CAUSE:
            issue.cause = _cause(value)
        case "resolution":
            guards.tracks().resolve(issue, _resolution(value), g.user)


def _operate(issue: IssueRecord, name: str, operation: dict[str, Any]) -> None:
    ((verb, value),) = operation.items()
    if verb == "set":
        _set(issue, name, value)
    elif name != "labels" or verb not in ("add", "remove"):
        raise NotKnownError(f"operation on {name}", verb)
    elif verb == "add":
        issue.labels = list(dict.fromkeys([*issue.labels, *guards.labels([value])]))
    else:
        issue.labels = [label for label in issue.labels if label != value]


def _summary(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise guards.refusal(400, summary="You must specify a summary of the issue.")
    return value


def _resolution(value: dict[str, Any] | None) -> str | None:
    if value is None:
        return None
    check_keys("resolution member", value, ("name", "id"))
    for name, number in RESOLUTIONS.items():
        if value.get("name", name) == name and value.get("id", number) == number:
            return name
    raise guards.refusal(400, resolution=f"Could not find valid value for resolution: {value}")


def _above(key: Any, name: str) -> str:
    record = guards.tracks().issue(key) if isinstance(key, str) else None
    if record is None or (name == EPIC_LINK and (guards.dialect().cloud or record.type != "Epic")):
        raise guards.refusal(400, **{name: "Could not find issue by id or key."})
    return record.key


def _cause(value: dict[str, Any] | None) -> str | None:
    if value is None:
        return None
    check_keys("option member", value, ("value", "id"))
    for name, number in CAUSES.items():
        if value.get("value", name) == name and value.get("id", number) == number:
            return name
    raise guards.refusal(400, **{ROOT_CAUSE: f"Option '{value}' is not valid"})


def check_required(issue: IssueRecord, required: Collection[str]) -> None:
    if ROOT_CAUSE in required and issue.cause is None:
        raise guards.refusal(400, **{ROOT_CAUSE: "Root cause is required."})


def _person(value: dict[str, Any] | None) -> str | None:
    """People have an accountId on Cloud, a name on a Server."""
    dialect = guards.dialect()
    key = "accountId" if dialect.cloud else "name"
    if value is None or value.get(key) is None:
        return None
    check_keys("user member", value, (key,))
    for name in {*guards.admin().accounts.values(), PERSON}:
        if shapes.user(name, dialect)[key] == value[key]:
            return name
    raise guards.refusal(400, assignee=f"User '{value[key]}' does not exist.")


def refuse_edits(asked: Mapping[str, Any]) -> None:
    """Refuse fields and comments in a status that forbids edits."""
    named = {**(asked.get("fields") or {}), **(asked.get("update") or {})}
    raise guards.refusal(400, **{name: _NOT_ON_SCREEN.format(name) for name in named})


def add_comments(issue: IssueRecord, update: Mapping[str, Any]) -> None:
    for operation in update.get("comment") or ():
        ((verb, value),) = operation.items()
        if verb != "add":
            raise NotKnownError("operation on comment", verb)
        add_comment(issue, value)


def add_comment(issue: IssueRecord, value: Mapping[str, Any]) -> str:
    check_keys("comment member", value, ("body", "properties", "visibility"))
    body = guards.comment_text(value.get("body"))
    properties = [(p["key"], p["value"]) for p in value.get("properties") or ()]
    comment = guards.tracks().add_comment(issue, body, g.user, properties)
    if restricted := value.get("visibility"):
        check_keys("visibility member", restricted, ("type", "value"))
        check_keys("visibility", [restricted["type"]], ("role", "group"))
        setattr(comment, restricted["type"], restricted["value"])
    # Jira Service Management keeps it so: a note that customers do not see.
    comment.internal = dict(properties).get("sd.public.comment", {}).get("internal") is True
    guards.tracks().keep_comment(comment)
    return comment.id


def set_properties(issue: IssueRecord, properties: list[dict[str, Any]]) -> None:
    for entry in properties:
        check_keys("property member", entry, ("key", "value"))
        issue.properties[entry["key"]] = entry["value"]
