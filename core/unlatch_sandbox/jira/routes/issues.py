from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, g, request

from unlatch_sandbox.answers import NotKnownError, check_keys, check_query, nothing, reply
from unlatch_sandbox.jira import changes, fields, guards, shapes
from unlatch_sandbox.jira.workflows import ISSUE_TYPES, WORKFLOWS

if TYPE_CHECKING:
    from unlatch_sandbox.jira.records import IssueRecord, ProjectRecord

routes = Blueprint("issues", __name__)

MOST_AT_ONCE = 100
_MOVES = ("transitions", "transitions.fields")
_FURTHER = ("properties", "historyMetadata")


@routes.get("/issue/<key>")
def get_issue(key: str) -> Response:
    check_query("fields", "expand", "properties", "updateHistory")
    return reply(shown(guards.issue(key)))


@routes.post("/issue/bulkfetch")
def bulk_fetch() -> Response:
    """Read issues in bulk; deleted and hidden ones are left out, and former keys work."""
    check_query()
    if not guards.dialect().cloud:
        raise NotKnownError("route", "POST /issue/bulkfetch on a Server")
    asked = guards.body()
    check_keys("body member", asked, ("issueIdsOrKeys", "fields", "expand"))
    expand = set(asked.get("expand") or [])
    check_keys("expansion", expand, _MOVES)
    wanted = asked.get("issueIdsOrKeys") or []
    if not wanted or len(wanted) > MOST_AT_ONCE:
        raise guards.refusal(400, f"Between 1 and {MOST_AT_ONCE} issues can be fetched at once.")
    by_id = (
        {}
        if guards.is_anonymous()
        else {record.id: record for record in map(_known, wanted) if record}
    )
    issues = [
        {
            "expand": "",
            **shapes.issue_address(record, guards.dialect()),
            "fields": _picked(record, ",".join(asked.get("fields") or ["*all"])),
            **_expanded(record, expand),
        }
        for record in sorted(by_id.values(), key=lambda record: int(record.id))
    ]
    return reply({"issueErrors": [], "issues": issues})


def _known(key: str) -> IssueRecord | None:
    return guards.tracks().issue(key)


def shown(issue: IssueRecord, *, default_fields: str = "*all") -> dict[str, Any]:
    """An issue with the fields of the query."""
    expand = set(filter(None, request.args.get("expand", "").split(",")))
    check_keys("expansion", expand, (*_MOVES, "changelog"))
    dialect = guards.dialect()
    answer = {
        "expand": "renderedFields,names,schema,operations,editmeta,changelog,transitions",
        **shapes.issue_address(issue, dialect),
        "fields": _picked(issue, request.args.get("fields") or default_fields),
    }
    if "changelog" in expand:
        answer["changelog"] = shapes.changelog(issue, dialect)
    answer |= _expanded(issue, expand)
    if "properties" in request.args:
        answer["properties"] = _properties(issue, request.args["properties"])
    return answer


def _picked(issue: IssueRecord, wanted: str) -> dict[str, Any]:
    every = guards.admin().fields(issue, guards.dialect())
    names = [name.strip() for name in wanted.split(",") if name.strip()]
    allowed = {*fields.FIELDS, *fields.CUSTOM, "*all"}
    check_keys("field", [name.removeprefix("-") for name in names], allowed)
    without = {name[1:] for name in names if name.startswith("-")}
    everything = "*all" in names or len(without) == len(names)
    return {
        name: value
        for name, value in every.items()
        if name not in without and (everything or name in names)
    }


def _expanded(issue: IssueRecord, expand: set[str]) -> dict[str, Any]:
    if not expand.intersection(_MOVES):
        return {}
    return {"transitions": _transitions(issue, with_fields="transitions.fields" in expand)}


def _transitions(issue: IssueRecord, *, with_fields: bool) -> list[dict[str, Any]]:
    workflow, dialect = guards.tracks().workflow(issue), guards.dialect()
    return [
        shapes.transition(transition, workflow, dialect, with_fields=with_fields)
        for transition in guards.tracks().transitions(issue)
    ]


def _properties(issue: IssueRecord, wanted: str) -> dict[str, Any]:
    names = [name.strip() for name in wanted.split(",")]
    return {k: v for k, v in issue.properties.items() if k in names or "*all" in names}


@routes.get("/issue/createmeta/<project>/issuetypes")
def list_create_types(project: str) -> Response:
    check_query("startAt", "maxResults")
    _project({"key": project})
    types = [{"id": number, "name": name} for name, number in ISSUE_TYPES.items()]
    return reply(_create_page("issueTypes", types))


@routes.get("/issue/createmeta/<project>/issuetypes/<kind>")
def list_create_fields(project: str, kind: str) -> Response:
    check_query("startAt", "maxResults")
    needed = WORKFLOWS[_project({"key": project}).workflow].needed
    _type({"id": kind})
    entries = (
        {**shapes.field(name, guards.dialect(), required=name in needed), "fieldId": name}
        for name in (*changes.EDIT_SCREEN, *needed)
    )
    return reply(_create_page("fields", [*entries]))


def _create_page(name: str, values: list[dict[str, Any]]) -> dict[str, Any]:
    """A page of metadata; Data Center calls its entries values."""
    start, most = int(request.args.get("startAt", 0)), int(request.args.get("maxResults", 50))
    key = name if guards.dialect().cloud else "values"
    return {"startAt": start, "total": len(values), key: values[start : start + most]}


@routes.put("/issue/<key>")
def edit_issue(key: str) -> Response:
    check_query("notifyUsers", "returnIssue", "expand", "fields", "properties")
    issue, asked = guards.issue(key), guards.body()
    check_keys("body member", asked, ("fields", "update", *_FURTHER))
    is_silent = request.args.get("notifyUsers") == "false"
    may_silence = guards.dialect().cloud or guards.tracks().projects_of(issue).can_administer
    if is_silent and not may_silence:  # Cloud ignores it
        raise guards.refusal(403, "To discard the user notification an admin is required.")
    issue.mails += not (is_silent and guards.tracks().projects_of(issue).can_administer)
    if not guards.tracks().workflow(issue).status(issue.status).editable:
        changes.refuse_edits(asked)
    changes.apply(issue, asked, changes.EDIT_SCREEN)
    changes.add_comments(issue, asked.get("update") or {})
    guards.tracks().touch(issue)
    # A Server ignores the parameter, like any unknown one.
    if guards.flag("returnIssue") and guards.dialect().cloud:
        return reply(shown(issue))
    return nothing()


@routes.post("/issue")
def create_issue() -> Response:
    check_query("updateHistory")
    if guards.is_anonymous():
        raise guards.unauthenticated()
    asked = guards.body()
    check_keys("body member", asked, ("fields", "update", *_FURTHER))
    fields = dict(asked.get("fields") or {})
    home, kind = _project(fields.pop("project", None)), _type(fields.pop("issuetype", None))
    issue = guards.tracks().new_issue(home, kind, "", g.user)
    needed = guards.tracks().workflow(issue).needed
    whole = {**asked, "fields": {"summary": None, **fields}}
    changes.apply(issue, whole, (*changes.EDIT_SCREEN, *needed))
    changes.check_required(issue, needed)
    changes.add_comments(issue, asked.get("update") or {})
    guards.tracks().touch(issue)
    return reply(shapes.issue_address(issue, guards.dialect()), 201)


def _project(value: dict[str, Any] | None) -> ProjectRecord:
    check_keys("project member", value or {}, ("key", "id"))
    for project in guards.tracks().projects.under():
        if value and (value.get("key") == project.key or value.get("id") == project.id):
            return project
    raise guards.refusal(400, project="Specify a valid project ID or key")


def _type(value: dict[str, Any] | None) -> str:
    check_keys("issuetype member", value or {}, ("name", "id"))
    for name, number in ISSUE_TYPES.items():
        if value and (value.get("name") == name or value.get("id") == number):
            return name
    raise guards.refusal(400, issuetype="Specify an issue type")


@routes.get("/issue/<key>/transitions")
def list_transitions(key: str) -> Response:
    check_query("expand", "transitionId")
    expand = request.args.get("expand")
    check_keys("expansion", [expand] if expand else [], ("transitions.fields",))
    transitions = _transitions(guards.issue(key), with_fields=bool(expand))
    wanted = request.args.get("transitionId")
    transitions = [transition for transition in transitions if wanted in (None, transition["id"])]
    return reply({"expand": "transitions", "transitions": transitions})


@routes.post("/issue/<key>/transitions")
def do_transition(key: str) -> Response:
    check_query()
    issue, asked = guards.issue(key), guards.body()
    check_keys("body member", asked, ("transition", "fields", "update", *_FURTHER))
    wanted = str((asked.get("transition") or {}).get("id", ""))
    if not wanted:
        raise guards.refusal(400, "Missing 'transition' identifier")
    for transition in guards.tracks().transitions(issue):
        if transition.id == wanted:
            break
    else:
        raise guards.refusal(400, f"Transition id '{wanted}' is not valid for this issue.")
    issue.mails += 1
    guards.tracks().move(issue, transition, None, g.user)
    changes.apply(issue, asked, transition.screen or ())
    changes.check_required(issue, (*transition.required, *transition.validated))
    if "comment" in transition.validated and not (asked.get("update") or {}).get("comment"):
        raise guards.refusal(400, "Bitte begründen Sie diesen Schritt.")  # an administrator's words
    # Without a screen the comment is lost without an error.
    if "comment" in (transition.screen or ()):
        changes.add_comments(issue, asked.get("update") or {})
    guards.tracks().touch(issue)
    return nothing()
