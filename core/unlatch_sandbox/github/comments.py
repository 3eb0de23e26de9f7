from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, g, request

from unlatch_sandbox.answers import check_keys, check_query, nothing, reply
from unlatch_sandbox.github import guards, shapes
from unlatch_sandbox.github.issues import since
from unlatch_sandbox.github.paging import page_of

if TYPE_CHECKING:
    from unlatch_sandbox.github.records import CommentRecord

routes = Blueprint("comments", __name__)

_LIST = "/repos/<owner>/<name>/issues/<int:number>/comments"
_ONE = "/repos/<owner>/<name>/issues/comments/<int:comment_id>"
_ON_CODE = "/repos/<owner>/<name>/pulls/comments/<int:comment_id>"


@routes.get(_LIST)
def list_comments(owner: str, name: str, number: int) -> Response:
    check_query("since", "per_page", "page")
    records = guards.admin().hub.comments_of(guards.issue(owner, name, number))
    page, headers = page_of([c for c in records if c.updated_at >= since() and not c.review])
    return reply([_show(c) for c in page], headers=headers)


@routes.get("/repos/<owner>/<name>/issues/comments")
def list_all_comments(owner: str, name: str) -> Response:
    """Those on all issues and pull requests, by the time of their last change."""
    check_query("since", "per_page", "page", "sort", "direction")
    check_keys("value of sort", [request.args.get("sort", "created")], ("created",))
    check_keys("value of direction", [request.args.get("direction", "asc")], ("asc",))
    home = guards.repository(owner, name)
    records = guards.admin().hub.comments.under(f"{home.full_name.casefold()}#")
    new = [c for c in records if c.updated_at >= since() and not c.review]
    page, headers = page_of(sorted(new, key=lambda record: (record.created_at, record.id)))
    return reply([_show(c) for c in page], headers=headers)


@routes.post(_LIST)
def add_comment(owner: str, name: str, number: int) -> Response:
    check_query()
    issue = guards.issue(owner, name, number, changes=True)
    if issue.locked:
        raise guards.refusal(403, "Unable to create comment because issue is locked.")
    text = guards.body("body").get("body")
    if not isinstance(text, str) or not text.strip():
        raise guards.invalid("IssueComment", "body", "missing_field")
    guards.check_length(text, "IssueComment", "data")
    comment = guards.admin().hub.add_comment(issue, text, g.login)
    answer = _show(comment)
    return reply(answer, 201, {"Location": answer["url"]})


@routes.get(_ONE)
@routes.get(_ON_CODE)
def get_comment(owner: str, name: str, comment_id: int) -> Response:
    check_query()
    return reply(_show(_find(owner, name, comment_id)))


@routes.delete(_ONE)
def delete_comment(owner: str, name: str, comment_id: int) -> Response:
    check_query()
    guards.repository(owner, name, changes=True)
    guards.admin().hub.remove_comment(_find(owner, name, comment_id))
    return nothing()


@routes.post(f"{_ONE}/reactions")
@routes.post(f"{_ON_CODE}/reactions")
def react(owner: str, name: str, comment_id: int) -> Response:
    check_query()
    guards.repository(owner, name, changes=True)
    comment, content = _find(owner, name, comment_id), guards.body("content").get("content")
    if content not in shapes.REACTIONS:
        raise guards.invalid("Reaction", "content", "invalid")
    hub = guards.admin().hub
    is_new = hub.react(comment, content, g.login)
    answer = shapes.reaction(hub.new_id(), g.login, content, hub.now(), guards.addresses())
    return reply(answer, 201 if is_new else 200)


def _show(comment: CommentRecord) -> dict[str, Any]:
    return guards.admin().show_comment(comment, guards.addresses())


def _find(owner: str, name: str, comment_id: int) -> CommentRecord:
    home = guards.repository(owner, name)
    record = guards.admin().hub.comment(home.full_name, comment_id)
    if record is None or record.review is not ("/pulls/" in request.path):
        raise guards.refusal(404, "Not Found")
    return record
