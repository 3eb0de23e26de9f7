"""Properties of issues and of comments: JSON under a key, invisible to people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, request

from unlatch_sandbox.answers import check_query, nothing, reply
from unlatch_sandbox.jira import guards

if TYPE_CHECKING:
    from unlatch_sandbox.jira.records import CommentRecord

routes = Blueprint("properties", __name__)

_OF_ISSUE = "/issue/<key>/properties"
_OF_COMMENT = "/comment/<comment_id>/properties"
_LONGEST_KEY = 255


def _list(properties: dict[str, Any]) -> Response:
    check_query()
    keys = [{"self": f"{request.base_url}/{key}", "key": key} for key in properties]
    return reply({"keys": keys})


def _get(properties: dict[str, Any], name: str) -> Response:
    check_query()
    if name not in properties:
        raise guards.refusal(404, f"The property with key '{name}' does not exist.")
    return reply({"key": name, "value": properties[name]})


def _put(properties: dict[str, Any], name: str) -> Response:
    check_query()
    value = request.get_json(force=True, silent=True)
    if value is None or len(name) > _LONGEST_KEY:
        raise guards.refusal(400, "The property value must be a valid, non-empty JSON.")
    status = 200 if name in properties else 201
    properties[name] = value
    return nothing(status)


def _delete(properties: dict[str, Any], name: str) -> Response:
    check_query()
    if properties.pop(name, None) is None:
        raise guards.refusal(404, f"The property with key '{name}' does not exist.")
    return nothing()


@routes.get(_OF_ISSUE)
def list_issue_properties(key: str) -> Response:
    return _list(guards.issue(key).properties)


@routes.route(f"{_OF_ISSUE}/<name>", methods=["GET", "PUT", "DELETE"])
def issue_property(key: str, name: str) -> Response:
    issue = guards.issue(key)
    answer = _ACTIONS[request.method](issue.properties, name)
    guards.tracks().keep(issue)
    return answer


@routes.get(_OF_COMMENT)
def list_comment_properties(comment_id: str) -> Response:
    return _list(_comment(comment_id).properties)


@routes.route(f"{_OF_COMMENT}/<name>", methods=["GET", "PUT", "DELETE"])
def comment_property(comment_id: str, name: str) -> Response:
    comment = _comment(comment_id)
    answer = _ACTIONS[request.method](comment.properties, name)
    guards.tracks().keep_comment(comment)
    return answer


def _comment(comment_id: str) -> CommentRecord:
    record = guards.tracks().comment(comment_id)
    if record is None or guards.is_anonymous():
        raise guards.refusal(404, f"Can not find a comment for the id: {comment_id}.")
    return record


_ACTIONS = {"GET": _get, "HEAD": _get, "PUT": _put, "DELETE": _delete}
