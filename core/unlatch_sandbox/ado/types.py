"""A project's work item types and their states, areas and iterations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, request

from unlatch_sandbox.ado import guards, shapes
from unlatch_sandbox.ado.boards import stable_uuid
from unlatch_sandbox.answers import NotKnownError, check_query, reply

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch_sandbox.ado.processes import WorkItemType
    from unlatch_sandbox.ado.records import ProjectRecord

routes = Blueprint("types", __name__)

_TYPES = "/<project>/_apis/wit/workitemtypes"


@routes.get(_TYPES)
def list_types(project: str) -> Response:
    check_query(*guards.ANY_QUERY)
    home = guards.project(project)
    types = [_type(t, home) for t in guards.boards().types(home).values()]
    return reply({"count": len(types), "value": types})


@routes.get(f"{_TYPES}/<name>")
def get_type(project: str, name: str) -> Response:
    check_query(*guards.ANY_QUERY)
    home = guards.project(project)
    return reply(_type(guards.kind(home, name), home))


def _type(kind: WorkItemType, home: ProjectRecord) -> shapes.Json:
    answer = shapes.work_item_type(kind, home, guards.organization_url())
    if not guards.admin().types_have_states:
        del answer["states"]
    return answer


@routes.get(f"{_TYPES}/<name>/states")
def list_states(project: str, name: str) -> Response:
    check_query(*guards.ANY_QUERY)
    states = [shapes.state(s) for s in guards.kind(guards.project(project), name).states]
    return reply({"count": len(states), "value": states})


@routes.get("/<project>/_apis/wit/classificationnodes/<group>")
def get_nodes(project: str, group: str) -> Response:
    check_query(*guards.ANY_QUERY, "$depth")
    home = guards.project(project)
    depth = int(request.args.get("$depth", "0"))
    if group not in ("areas", "iterations"):
        raise NotKnownError("structure group", group)
    return reply(_node(home, group, home.name, depth))


def _node(home: ProjectRecord, group: str, path: str, depth: int) -> shapes.Json:
    paths = home.areas if group == "areas" else home.iterations
    inner = list(_just_below(path, paths))
    kind = group.removesuffix("s")
    node: shapes.Json = {
        "id": int(stable_uuid(f"{kind}{path}")[:6], 16),
        "identifier": stable_uuid(f"{kind}{path}"),
        "name": path.rpartition("\\")[2],
        "structureType": kind,
        "hasChildren": bool(inner),
        "path": f"\\{home.name}\\{kind.title()}{path.removeprefix(home.name)}",
        "url": f"{guards.organization_url()}/{home.id}/_apis/wit/classificationNodes/{group}",
    }
    if path in home.iterations and group == "iterations":
        start, finish = home.iterations[path]
        node["attributes"] = {"startDate": start, "finishDate": finish}
    if inner and depth:
        node["children"] = [_node(home, group, child, depth - 1) for child in inner]
    return node


def _just_below(path: str, paths: Iterable[str]) -> Iterable[str]:
    return (child for child in paths if child.rpartition("\\")[0] == path)
