from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, request

from unlatch_sandbox.answers import check_query, reply
from unlatch_sandbox.jira import guards, jql
from unlatch_sandbox.jira.routes.issues import shown

if TYPE_CHECKING:
    from unlatch_sandbox.jira.records import IssueRecord

routes = Blueprint("search", __name__)

_PAGE = 50
# Of the comments on an issue, a search shows only some.
_MOST_COMMENTS = 20
_REMOVED = (
    "The requested API has been removed. Please migrate to the /rest/api/3/search/jql API. "
    "A full migration guideline is available at https://developer.atlassian.com/changelog/#CHANGE-2046"
)


def _found() -> list[IssueRecord]:
    if guards.is_anonymous():
        return []
    now = guards.admin().clock()
    return jql.search(request.args.get("jql", ""), guards.tracks(), now)


@routes.get("/search/jql")
def search_jql() -> Response:
    """Cloud's search: pages by token, and only ids unless `fields` names more."""
    check_query("jql", "nextPageToken", "maxResults", "fields", "expand", "properties")
    if not request.args.get("jql", "").strip():
        raise guards.refusal(400, "Unbounded JQL queries are not allowed here.")
    issues, size = _found(), guards.number("maxResults", _PAGE)
    start = int(request.args.get("nextPageToken", "0"))
    last = start + size >= len(issues)
    page = {"issues": [_item(issue) for issue in issues[start : start + size]], "isLast": last}
    return reply(page if last else {**page, "nextPageToken": str(start + size)})


def _item(issue: IssueRecord) -> dict[str, object]:
    if request.args.get("fields", "id") == "id":
        return {"id": issue.id}
    answer = shown(issue)
    if (page := answer["fields"].get("comment")) is not None:
        newest = page["comments"][-_MOST_COMMENTS:]
        page |= {"comments": newest, "maxResults": _MOST_COMMENTS}
    return answer


@routes.get("/search")
def search() -> Response:
    if guards.dialect().cloud:
        raise guards.refusal(410, _REMOVED)
    check_query("jql", "startAt", "maxResults", "fields", "expand", "validateQuery")
    issues = _found()
    start, size = guards.number("startAt", 0), guards.number("maxResults", _PAGE)
    page = [shown(issue) for issue in issues[start : start + size]]
    whole = {"startAt": start, "maxResults": size, "total": len(issues), "issues": page}
    return reply({"expand": "schema,names", **whole})
