from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, request

from unlatch_sandbox.answers import check_query, reply
from unlatch_sandbox.github import guards, shapes
from unlatch_sandbox.github.paging import page_of
from unlatch_sandbox.github.records import IssueRecord, LabelRecord

routes = Blueprint("labels", __name__)

_OF_ISSUE = "/repos/<owner>/<name>/issues/<int:number>/labels"
_OF_REPOSITORY = "/repos/<owner>/<name>/labels"


@routes.get(_OF_ISSUE)
def list_labels(owner: str, name: str, number: int) -> Response:
    check_query("per_page", "page")
    page, headers = page_of(_labels(guards.issue(owner, name, number)))
    return reply(page, headers=headers)


@routes.post(_OF_ISSUE)
def add_labels(owner: str, name: str, number: int) -> Response:
    """The official form is an object; PyGithub posts the bare array, and `[]` removes them all."""
    check_query()
    issue = _labelled(owner, name, number)
    asked = request.get_json(silent=True)
    names = guards.label_names(
        asked if isinstance(asked, list) else guards.body("labels")["labels"]
    )
    hub = guards.admin().hub
    hub.set_labels(issue, [*issue.labels, *names] if names else [])
    hub.touch(issue)
    return reply(_labels(issue))


@routes.delete(f"{_OF_ISSUE}/<path:label>")
def remove_label(owner: str, name: str, number: int, label: str) -> Response:
    check_query()
    issue = _labelled(owner, name, number)
    rest = [existing for existing in issue.labels if existing.casefold() != label.casefold()]
    if len(rest) == len(issue.labels):
        raise guards.refusal(404, "Label does not exist")
    issue.labels = rest
    guards.admin().hub.touch(issue)
    return reply(_labels(issue))


def _labelled(owner: str, name: str, number: int) -> IssueRecord:
    issue = guards.issue(owner, name, number, changes=True)
    if not guards.repository(owner, name).push:
        raise guards.not_accessible("issues=write; pull_requests=write")
    return issue


def _labels(issue: IssueRecord) -> list[dict[str, Any]]:
    labels: list[dict[str, Any]] = guards.admin().show(issue, guards.addresses())["labels"]
    return labels


@routes.get(_OF_REPOSITORY)
def list_repository_labels(owner: str, name: str) -> Response:
    check_query("per_page", "page")
    home = guards.repository(owner, name).full_name
    page, headers = page_of(guards.admin().hub.labels_of(home))
    labels = [shapes.label(label, home, guards.addresses()) for label in page]
    return reply(labels, headers=headers)


@routes.post(_OF_REPOSITORY)
def create_label(owner: str, name: str) -> Response:
    check_query()
    home, hub = guards.repository(owner, name, changes=True), guards.admin().hub
    if not home.push:
        raise guards.not_accessible("issues=write; pull_requests=write")
    asked = guards.body("name", "color", "description")
    if hub.label(home.full_name, guards.text(asked, "name")):
        raise guards.invalid("Label", "name", "already_exists")
    label = LabelRecord(
        hub.new_id(), asked["name"], asked.get("color") or "ededed", asked.get("description")
    )
    hub.keep_label(home.full_name, label)
    return reply(shapes.label(label, home.full_name, guards.addresses()), 201)


@routes.get(f"{_OF_REPOSITORY}/<path:label>")
def get_label(owner: str, name: str, label: str) -> Response:
    check_query()
    home = guards.repository(owner, name)
    record = guards.admin().hub.label(home.full_name, label)
    if record is None:
        raise guards.refusal(404, "Not Found")
    return reply(shapes.label(record, home.full_name, guards.addresses()))
