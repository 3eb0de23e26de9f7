from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, g, request

from unlatch_sandbox.answers import NotKnownError, check_query, nothing, reply
from unlatch_sandbox.clock import stored
from unlatch_sandbox.github import guards, shapes
from unlatch_sandbox.github.hub import CLOSE_REASONS, OPEN_REASON
from unlatch_sandbox.github.paging import page_of
from unlatch_sandbox.github.records import IssueRecord, RepositoryRecord

if TYPE_CHECKING:
    from collections.abc import Callable


routes = Blueprint("issues", __name__)

_PLACE = "/repos/<owner>/<name>/issues"
_STATES = ("open", "closed", "all")
_SORTS: dict[str, Callable[[IssueRecord], Any]] = {
    "created": lambda issue: (issue.created_at, issue.number),
    "updated": lambda issue: (issue.updated_at, issue.number),
    "comments": lambda issue: (issue.comments, issue.number),
}


@routes.get(_PLACE)
def list_issues(owner: str, name: str) -> Response:
    check_query("state", "since", "labels", "sort", "direction", "per_page", "page")
    home = guards.repository(owner, name)
    guards.issues_enabled(home)
    records = [i for i in guards.admin().hub.issues_of(home.full_name) if _wanted(i)]
    records.sort(
        key=_SORTS[_choice("sort", "created", tuple(_SORTS))],
        reverse=_choice("direction", "desc", ("asc", "desc")) == "desc",
    )
    page, headers = page_of(records)
    return reply([_show(issue) for issue in page], headers=headers)


def _choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    value = request.args.get(name, default)
    if value not in choices:
        raise NotKnownError(f"value of {name}", value)
    return value


def since() -> str:
    """The query's `since` in the state's form; an empty one is before everything."""
    text = request.args.get("since", "")
    try:
        return stored(datetime.fromisoformat(text)) if text else ""
    except ValueError as error:
        raise guards.refusal(422, "Invalid value for 'since'") from error


def _wanted(issue: IssueRecord) -> bool:
    state = _choice("state", "open", _STATES)
    labels = {name.casefold() for name in request.args.get("labels", "").split(",") if name}
    return (
        state in ("all", issue.state)
        and issue.updated_at >= since()
        and labels <= {name.casefold() for name in issue.labels}
    )


@routes.get(f"{_PLACE}/<int:number>")
def get_issue(owner: str, name: str, number: int) -> Response:
    check_query()
    content = _show(guards.issue(owner, name, number))
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    headers = {"ETag": f'W/"{digest}"', "Last-Modified": _last_modified(content["updated_at"])}
    if request.headers.get("If-None-Match") == headers["ETag"]:
        answer = nothing(304)
        answer.headers.update(headers)
        return answer
    return reply(content, headers=headers)


@routes.get(f"{_PLACE}/<int:number>/events")
def list_events(owner: str, name: str, number: int) -> Response:
    """The closes and reopens of an issue, the only events that are stored."""
    check_query("per_page", "page")
    issue = guards.issue(owner, name, number)
    page, headers = page_of(issue.moves)
    events = [shapes.move(issue, move, guards.addresses()) for move in page]
    return reply(events, headers=headers)


def _last_modified(moment: str) -> str:
    return datetime.fromisoformat(moment).strftime("%a, %d %b %Y %H:%M:%S GMT")


@routes.post(_PLACE)
def create_issue(owner: str, name: str) -> Response:
    check_query()
    home = guards.repository(owner, name, changes=True)
    guards.issues_enabled(home)
    asked = guards.body("title", "body", "labels", "assignees", "assignee", "milestone", "type")
    if not asked.get("title"):
        raise guards.invalid("Issue", "title", "missing_field")
    hub = guards.admin().hub
    number, now = hub.next_number(home.full_name), hub.now()
    issue = IssueRecord(hub.new_id(), home.full_name, number, "", g.login, now, now)
    _change(issue, asked, home)
    answer = _show(issue)
    return reply(answer, 201, {"Location": answer["url"]})


@routes.patch(f"{_PLACE}/<int:number>")
def edit_issue(owner: str, name: str, number: int) -> Response:
    check_query()
    issue = guards.issue(owner, name, number, changes=True)
    asked = guards.body(
        *("title", "body", "state", "state_reason", "labels"),
        *("assignees", "assignee", "milestone", "type"),
    )
    _change(issue, asked, guards.repository(owner, name))
    return reply(_show(issue))


def _change(issue: IssueRecord, asked: dict[str, Any], home: RepositoryRecord) -> None:
    hub = guards.admin().hub
    if "title" in asked:
        issue.title = guards.text(asked, "title")
    if "body" in asked:
        issue.body = asked["body"] and guards.text(asked, "body")
        guards.check_length(issue.body or "", "Issue", "body")
    _change_state(issue, asked)
    # GitHub silently drops these if the token has no push access.
    if home.push:
        _change_people(issue, asked)
        _change_place(issue, asked)
        if "labels" in asked:
            hub.set_labels(issue, guards.label_names(asked["labels"]))
    hub.touch(issue)


def _change_people(issue: IssueRecord, asked: dict[str, Any]) -> None:
    if "assignee" in asked:
        issue.assignees = [asked["assignee"]] if asked["assignee"] else []
    if "assignees" in asked:
        issue.assignees = list(asked["assignees"])
    if any(not _is_assignable(login) for login in issue.assignees):
        raise guards.invalid("Issue", "assignees", "invalid")


def _is_assignable(login: str) -> bool:
    return login not in guards.admin().outsiders and not login.endswith("[bot]")


def _change_place(issue: IssueRecord, asked: dict[str, Any]) -> None:
    if "milestone" in asked:
        number = asked["milestone"]
        if number is not None and guards.admin().hub.milestone(issue.repository, number) is None:
            raise guards.invalid("Issue", "milestone", "invalid")
        issue.milestone = number
    if "type" in asked:
        if asked["type"] not in (None, *guards.admin().types):
            raise guards.invalid("Issue", "type", "invalid")
        issue.type = asked["type"]


@routes.post(f"{_PLACE}/<int:number>/assignees")
def add_assignees(owner: str, name: str, number: int) -> Response:
    """Add assignees; accounts that cannot be assigned are silently left out."""
    check_query()
    issue = guards.issue(owner, name, number, changes=True)
    if not guards.repository(owner, name).push:
        raise guards.not_accessible("issues=write; pull_requests=write")
    new = [login for login in guards.body("assignees")["assignees"] if _is_assignable(login)]
    issue.assignees = list(dict.fromkeys([*issue.assignees, *new]))
    guards.admin().hub.touch(issue)
    return reply(_show(issue), 201)


def _change_state(issue: IssueRecord, asked: dict[str, Any]) -> None:
    state, reason = asked.get("state", issue.state), asked.get("state_reason")
    if state not in ("open", "closed"):
        raise guards.invalid("Issue", "state", "invalid")
    if (issue.merged_at or issue.branch_deleted) and state == "open" != issue.state:
        raise guards.invalid("Issue", "state", "invalid")
    if reason not in (None, OPEN_REASON, *CLOSE_REASONS):
        raise guards.invalid("Issue", "state_reason", "invalid")
    guards.admin().hub.set_state(issue, state, reason, g.login)


def _show(issue: IssueRecord) -> dict[str, Any]:
    return guards.admin().show(issue, guards.addresses())
