"""Jira's JSON, which differs between Cloud and Server and between API 2 and 3."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unlatch_sandbox.clock import jira_time
from unlatch_sandbox.jira import adf
from unlatch_sandbox.jira.fields import field_info
from unlatch_sandbox.jira.workflows import CAUSES, ISSUE_TYPES, RESOLUTIONS, ROOT_CAUSE

if TYPE_CHECKING:
    from collections.abc import Collection

    from unlatch_sandbox.jira.records import (
        CommentRecord,
        IssueRecord,
        ProjectRecord,
        SprintRecord,
    )
    from unlatch_sandbox.jira.workflows import Status, Transition, Workflow

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Dialect:
    """The base address of the request, the API version, and whether this is Cloud."""

    site: str
    version: str
    cloud: bool
    has_categories: bool = True

    @property
    def api(self) -> str:
        return f"{self.site}/rest/api/{self.version}"

    def text(self, body: Any) -> Any:
        """Documents in version 3, wiki text in version 2."""
        if body is None:
            return None
        if self.version == "3":
            return adf.from_text(body) if isinstance(body, str) else body
        return adf.to_text(body)


def account_id(name: str) -> str:
    return f"712020:{hashlib.sha256(name.encode()).hexdigest()[:32]}"


def is_app(name: str) -> bool:
    return name.endswith("[bot]") or name == "Automation for Jira"


def user(name: str, dialect: Dialect, *, active: bool = True) -> Json:
    email = name if "@" in name else f"{name.replace(' ', '.').casefold()}@example.com"
    avatars = {f"{n}x{n}": f"{dialect.site}/avatar/{n}" for n in (16, 24, 32, 48)}
    shown: Json = {
        "avatarUrls": avatars,
        "displayName": name,
        "emailAddress": email,
        "active": active,
        "timeZone": "Etc/UTC",
    }
    if dialect.cloud:
        number = account_id(name)
        own = {"accountId": number, "accountType": "app" if is_app(name) else "atlassian"}
        return {"self": f"{dialect.api}/user?accountId={number}", **own, **shown}
    login = email.partition("@")[0]
    return {"self": f"{dialect.api}/user?username={login}", "name": login, "key": login, **shown}


def status(found: Status, dialect: Dialect) -> Json:
    category = found.category
    shown = {
        "self": f"{dialect.api}/status/{found.id}",
        "description": "",
        "iconUrl": f"{dialect.site}/images/icons/statuses/generic.png",
        "name": found.name,
        "id": found.id,
        "statusCategory": {
            "self": f"{dialect.api}/statuscategory/{category.id}",
            "id": category.id,
            "key": category.key,
            "colorName": category.color,
            "name": category.name,
        },
    }
    if not dialect.has_categories:
        del shown["statusCategory"]
    return shown


def changelog(issue: IssueRecord, dialect: Dialect) -> Json:
    """The changes of status and resolution: newest first on Cloud, oldest first on a Server.

    Those that one person makes at once are one entry.
    """
    entries: dict[tuple[str, str], list[Json]] = {}
    for field, changes in (("status", issue.moves), ("resolution", issue.verdicts)):
        for by, at, before, after in changes:
            change = {"field": field, "fieldtype": "jira", "fromString": before, "toString": after}
            entries.setdefault((str(at), str(by)), []).append(change)
    histories = [
        {"id": str(number), "author": user(by, dialect), "created": jira_time(at), "items": items}
        for number, ((at, by), items) in enumerate(sorted(entries.items()), start=30_001)
    ]
    histories = histories[::-1] if dialect.cloud else histories
    counts = {"startAt": 0, "maxResults": len(histories), "total": len(histories)}
    return {**counts, "histories": histories}


def resolution(name: str | None, dialect: Dialect) -> Json | None:
    if name is None:
        return None
    number = RESOLUTIONS[name]
    address = f"{dialect.api}/resolution/{number}"
    return {"self": address, "id": number, "description": "", "name": name}


def issue_type(name: str, dialect: Dialect) -> Json:
    number = ISSUE_TYPES[name]
    return {
        "self": f"{dialect.api}/issuetype/{number}",
        "id": number,
        "description": "",
        "iconUrl": f"{dialect.site}/images/icons/issuetypes/{number}.svg",
        "name": name,
        "subtask": name == "Sub-task",
    }


def sprint(found: SprintRecord, dialect: Dialect) -> Any:
    """An object on Cloud; a Server prints its object in memory."""
    if dialect.cloud:
        return {"id": found.id, "name": found.name, "state": found.state, "boardId": found.board}
    inner = f"id={found.id},rapidViewId={found.board},state={found.state.upper()},name={found.name}"
    return f"com.atlassian.greenhopper.service.sprint.Sprint@1f[{inner},goal=]"


def cause(name: str | None, dialect: Dialect) -> Json | None:
    if name is None:
        return None
    number = CAUSES[name]
    address = f"{dialect.api}/customFieldOption/{number}"
    return {"self": address, "value": name, "id": number}


def parent(found: IssueRecord, workflow: Workflow, dialect: Dialect) -> Json:
    shown = {
        "summary": found.summary,
        "status": status(workflow.status(found.status), dialect),
        "issuetype": issue_type(found.type, dialect),
    }
    return {**issue_address(found, dialect), "fields": shown}


def project(found: ProjectRecord, dialect: Dialect) -> Json:
    return {
        "self": f"{dialect.api}/project/{found.id}",
        "id": found.id,
        "key": found.key,
        "name": found.key,
        "projectTypeKey": "software",
        "simplified": False,
        "avatarUrls": {f"{n}x{n}": f"{dialect.site}/avatar/{n}" for n in (16, 24, 32, 48)},
    }


def comment(found: CommentRecord, dialect: Dialect, *, properties: bool = False) -> Json:
    shown: Json = {
        "self": f"{dialect.api}/issue/{found.issue}/comment/{found.id}",
        "id": found.id,
        "author": user(found.author, dialect),
        "body": dialect.text(found.body),
        "updateAuthor": user(found.author, dialect),
        "created": jira_time(found.created),
        "updated": jira_time(found.updated or found.created),
    }
    if dialect.cloud:
        shown["jsdPublic"] = not found.internal
    if restricted := found.role or found.group:
        identifier = {"identifier": restricted} if dialect.cloud else {}
        kind = "role" if found.role else "group"
        shown["visibility"] = {"type": kind, "value": restricted, **identifier}
    if properties:
        shown["properties"] = [{"key": k, "value": v} for k, v in found.properties.items()]
    return shown


def _moved(issue: IssueRecord, workflow: Workflow) -> str:
    """When the category of the issue's status last changed."""
    for _, at, old, new in reversed(issue.moves):
        categories = [workflow.status(name).category.id for name in (old, new)]
        if categories[0] != categories[1]:
            return str(at)
    return issue.created


def fields(
    issue: IssueRecord,
    home: ProjectRecord,
    workflow: Workflow,
    comments: list[CommentRecord],
    dialect: Dialect,
    *,
    departed: Collection[str] = (),
) -> Json:
    """Every field of the issue itself; the caller picks the requested ones."""
    shown = [comment(one, dialect) for one in comments]
    moved = {"statuscategorychangedate": jira_time(_moved(issue, workflow))}
    return {
        **(moved if dialect.cloud else {}),
        "summary": issue.summary,
        "status": status(workflow.status(issue.status), dialect),
        "resolution": resolution(issue.resolution, dialect),
        "resolutiondate": jira_time(issue.resolved) if issue.resolved else None,
        "labels": issue.labels,
        "issuetype": issue_type(issue.type, dialect),
        "project": project(home, dialect),
        "assignee": user(issue.assignee, dialect, active=issue.assignee not in departed)
        if issue.assignee
        else None,
        "reporter": user(issue.reporter, dialect),
        "creator": user(issue.reporter, dialect),
        "created": jira_time(issue.created),
        "updated": jira_time(issue.updated),
        "description": dialect.text(issue.description),
        "comment": {
            "comments": shown,
            "self": f"{dialect.api}/issue/{issue.id}/comment",
            "maxResults": len(shown),
            "total": len(shown),
            "startAt": 0,
        },
    }


def issue_address(issue: IssueRecord, dialect: Dialect) -> Json:
    return {"id": issue.id, "key": issue.key, "self": f"{dialect.api}/issue/{issue.id}"}


def transition(
    found: Transition, workflow: Workflow, dialect: Dialect, *, with_fields: bool
) -> Json:
    shown: Json = {
        "id": found.id,
        "name": found.name,
        "to": status(workflow.status(found.to), dialect),
        "hasScreen": found.screen is not None,
        "isGlobal": found.sources is None,
        "isInitial": False,
        "isConditional": False,
    }
    if dialect.cloud:
        shown |= {"isAvailable": True, "looped": False}
    if with_fields:
        shown["fields"] = _screen(found, dialect)
    return shown


def _screen(found: Transition, dialect: Dialect) -> Json:
    names = [name for name in found.screen or () if name != "comment"]
    return {name: field(name, dialect, required=name in found.required) for name in names}


def field(name: str, dialect: Dialect, *, required: bool) -> Json:
    info = field_info(name)
    shown: Json = {
        "required": required,
        "schema": info["schema"],
        "name": info["name"],
        "key": name,
        "hasDefaultValue": False,
        "operations": ["set"],
    }
    if name == "resolution":
        shown["allowedValues"] = [resolution(one, dialect) for one in RESOLUTIONS]
    if name == ROOT_CAUSE:
        shown["allowedValues"] = [cause(one, dialect) for one in CAUSES]
    return shown
