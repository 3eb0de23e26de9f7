from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, request

from unlatch_sandbox.answers import check_keys, check_query, nothing, reply
from unlatch_sandbox.jira import changes, guards, shapes

if TYPE_CHECKING:
    from unlatch_sandbox.jira.records import CommentRecord, IssueRecord

routes = Blueprint("comments", __name__)

_LIST = "/issue/<key>/comment"
_ONE = f"{_LIST}/<comment_id>"
_MOST = 100
_ORDERS = ("created", "+created", "-created")


@routes.get(_LIST)
def list_comments(key: str) -> Response:
    check_query("startAt", "maxResults", "orderBy", "expand")
    order = request.args.get("orderBy", "created")
    check_keys("value of orderBy", [order], _ORDERS)
    records = guards.tracks().comments_of(guards.issue(key))
    if order == "-created":
        records.reverse()
    # A Server returns all by default, Cloud at most a hundred.
    start, size = guards.number("startAt", 0), guards.number("maxResults", _MOST)
    size = min(size, _MOST) if guards.dialect().cloud else size
    page = [_shown(comment) for comment in records[start : start + size]]
    return reply({"startAt": start, "maxResults": size, "total": len(records), "comments": page})


@routes.post(_LIST)
def add_comment(key: str) -> Response:
    check_query("expand")
    issue = guards.issue(key)
    issue.mails += 1
    return reply(_shown(_find(issue, changes.add_comment(issue, guards.body()))), 201)


@routes.get(_ONE)
def get_comment(key: str, comment_id: str) -> Response:
    check_query("expand")
    return reply(_shown(_find(guards.issue(key), comment_id)))


@routes.delete(_ONE)
def delete_comment(key: str, comment_id: str) -> Response:
    check_query()
    issue = guards.issue(key)
    guards.tracks().remove_comment(issue, _find(issue, comment_id))
    return nothing()


def _find(issue: IssueRecord, comment_id: str) -> CommentRecord:
    for comment in guards.tracks().comments_of(issue):
        if comment.id == comment_id:
            return comment
    raise guards.refusal(404, f"Can not find a comment for the id: {comment_id}.")


def _shown(comment: CommentRecord) -> shapes.Json:
    expand = set(filter(None, request.args.get("expand", "").split(",")))
    check_keys("expansion", expand, ("properties",))
    properties = "properties" in expand
    return shapes.comment(comment, guards.dialect(), properties=properties)
