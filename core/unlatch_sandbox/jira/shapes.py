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

    from unlatch_sandbox.jira.records import CommentRecord, IssueRecord, ProjectRecord, SprintRecord
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


def _kind(name: str) -> str:
    if name.endswith("(customer)"):  # of a service desk
        return "customer"
    return "app" if is_app(name) else "atlassian"


def user(name: str, dialect: Dialect, *, active: bool = True) -> Json:
    email = name if "@" in name else f"{name.replace(' ', '.').casefold()}@example.com"
    avatars = {f"{n}x{n}": f"{dialect.site}/avatar/{n}" for n in (16, 24, 32, 48)}
    answer: Json = {
        "avatarUrls": avatars,
        "displayName": name,
        "emailAddress": email,
        "active": active,
        "timeZone": "Etc/UTC",
    }
    if dialect.cloud:
        number = account_id(name)
        own = {"accountId": number, "accountType": _kind(name)}
        return {"self": f"{dialect.api}/user?accountId={number}", **own, **answer}
    login = email.partition("@")[0]
    return {"self": f"{dialect.api}/user?username={login}", "name": login, "key": login, **answer}


def status(record: Status, dialect: Dialect) -> Json:
    category = record.category
    answer = {
        "self": f"{dialect.api}/status/{record.id}",
        "description": "",
        "iconUrl": f"{dialect.site}/images/icons/statuses/generic.png",
        "name": record.name,
        "id": record.id,
        "statusCategory": {
            "self": f"{dialect.api}/statuscategory/{category.id}",
            "id": category.id,
            "key": category.key,
            "colorName": category.color,
            "name": category.name,
        },
    }
    if not dialect.has_categories:
        del answer["statusCategory"]
    return answer


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


def sprint(record: SprintRecord, dialect: Dialect) -> Any:
    """An object on Cloud; a Server prints its object in memory."""
    if dialect.cloud:
        return {
            "id": record.id,
            "name": record.name,
            "state": record.state,
            "boardId": record.board,
        }
    inner = (
        f"id={record.id},rapidViewId={record.board},state={record.state.upper()},name={record.name}"
    )
    return f"com.atlassian.greenhopper.service.sprint.Sprint@1f[{inner},goal=]"


def cause(name: str | None, dialect: Dialect) -> Json | None:
    if name is None:
        return None
    number = CAUSES[name]
    address = f"{dialect.api}/customFieldOption/{number}"
    return {"self": address, "value": name, "id": number}


def parent(record: IssueRecord, workflow: Workflow, dialect: Dialect) -> Json:
    answer = {
        "summary": record.summary,
        "status": status(workflow.status(record.status), dialect),
        "issuetype": issue_type(record.type, dialect),
    }
    return {**issue_address(record, dialect), "fields": answer}


def project(record: ProjectRecord, dialect: Dialect) -> Json:
    return {
        "self": f"{dialect.api}/project/{record.id}",
        "id": record.id,
        "key": record.key,
        "name": record.key,
        "projectTypeKey": "software",
        "simplified": False,
        "avatarUrls": {f"{n}x{n}": f"{dialect.site}/avatar/{n}" for n in (16, 24, 32, 48)},
    }


def comment(record: CommentRecord, dialect: Dialect, *, properties: bool = False) -> Json:
    answer: Json = {
        "self": f"{dialect.api}/issue/{record.issue}/comment/{record.id}",
        "id": record.id,
        "author": user(record.author, dialect),
        "body": dialect.text(record.body),
        "updateAuthor": user(record.author, dialect),
        "created": jira_time(record.created),
        "updated": jira_time(record.updated or record.created),
    }
    if dialect.cloud:
        answer["jsdPublic"] = not record.internal
    if restricted := record.role or record.group:
        identifier = {"identifier": restricted} if dialect.cloud else {}
        kind = "role" if record.role else "group"
        answer["visibility"] = {"type": kind, "value": restricted, **identifier}
    if properties:
        answer["properties"] = [{"key": k, "value": v} for k, v in record.properties.items()]
    return answer


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
    answers = [comment(record, dialect) for record in comments]
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
            "comments": answers,
            "self": f"{dialect.api}/issue/{issue.id}/comment",
            "maxResults": len(answers),
            "total": len(answers),
            "startAt": 0,
        },
    }


def issue_address(issue: IssueRecord, dialect: Dialect) -> Json:
    return {"id": issue.id, "key": issue.key, "self": f"{dialect.api}/issue/{issue.id}"}


def transition(
    record: Transition, workflow: Workflow, dialect: Dialect, *, with_fields: bool
) -> Json:
    answer: Json = {
        "id": record.id,
        "name": record.name,
        "to": status(workflow.status(record.to), dialect),
        "hasScreen": record.screen is not None,
        "isGlobal": record.sources is None,
        "isInitial": False,
        "isConditional": False,
    }
    if dialect.cloud:
        answer |= {"isAvailable": True, "looped": False}
    if with_fields:
        answer["fields"] = _screen(record, dialect)
    return answer


def _screen(record: Transition, dialect: Dialect) -> Json:
    names = [name for name in record.screen or () if name != "comment"]
    return {name: field(name, dialect, required=name in record.required) for name in names}


def field(name: str, dialect: Dialect, *, required: bool) -> Json:
    info = field_info(name)
    answer: Json = {
        "required": required,
        "schema": info["schema"],
        "name": info["name"],
        "key": name,
        "hasDefaultValue": False,
        "operations": ["set"],
    }
    if name == "resolution":
        answer["allowedValues"] = [resolution(value, dialect) for value in RESOLUTIONS]
    if name == ROOT_CAUSE:
        answer["allowedValues"] = [cause(value, dialect) for value in CAUSES]
    return answer
