"""What a project knows before any work item: its types and their states."""

from __future__ import annotations

from flask import Blueprint, Response

from unlatch.sandbox.ado import guards, shapes
from unlatch.sandbox.answers import known_query, reply

routes = Blueprint("types", __name__)

_TYPES = "/<project>/_apis/wit/workitemtypes"


@routes.get(_TYPES)
def list_types(project: str) -> Response:
    known_query(*guards.ANY_QUERY)
    home, url = guards.project(project), guards.organization_url()
    found = [shapes.work_item_type(t, home, url) for t in guards.boards().types(home).values()]
    return reply({"count": len(found), "value": found})


@routes.get(f"{_TYPES}/<name>")
def get_type(project: str, name: str) -> Response:
    known_query(*guards.ANY_QUERY)
    home = guards.project(project)
    return reply(shapes.work_item_type(guards.kind(home, name), home, guards.organization_url()))


@routes.get(f"{_TYPES}/<name>/states")
def list_states(project: str, name: str) -> Response:
    known_query(*guards.ANY_QUERY)
    found = [shapes.state(s) for s in guards.kind(guards.project(project), name).states]
    return reply({"count": len(found), "value": found})
