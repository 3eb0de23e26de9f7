from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, g, request

from unlatch.sandbox.ado import guards, patch, refusals, shapes
from unlatch.sandbox.answers import NotKnownError, known_keys, known_query, reply

if TYPE_CHECKING:
    from unlatch.sandbox.ado.records import WorkItemRecord

routes = Blueprint("work_items", __name__)

MOST_AT_ONCE = 200
_EXPANSIONS = ("none", "relations", "fields", "links", "all")
_WRITE_QUERY = (*guards.ANY_QUERY, "validateOnly", "suppressNotifications", "$expand")


@routes.get("/_apis/wit/workitems/<int:item_id>")
@routes.get("/<project>/_apis/wit/workitems/<int:item_id>")
def get_item(item_id: int, project: str | None = None) -> Response:
    known_query(*guards.ANY_QUERY, "$expand", "fields")
    expand = _expansion(request.args.get("$expand"))
    fields = request.args.get("fields")
    if fields and expand != "none":
        raise refusals.bad_argument(
            "The expand parameter can not be used with the fields parameter."
        )
    return reply(_shown(guards.item(item_id, project), fields=fields and fields.split(",")))


@routes.patch("/_apis/wit/workitems/<int:item_id>")
@routes.patch("/<project>/_apis/wit/workitems/<int:item_id>")
def update_item(item_id: int, project: str | None = None) -> Response:
    known_query(*_WRITE_QUERY)
    _expansion(request.args.get("$expand"))
    item = guards.item(item_id, project)
    asked = patch.read(guards.patch_document(), item)
    return reply(_patched(item, asked))


@routes.post("/<project>/_apis/wit/workitems/$<type_name>")
def create_item(project: str, type_name: str) -> Response:
    known_query(*_WRITE_QUERY)
    home = guards.project(project)
    kind = guards.kind(home, type_name)
    item = guards.boards().new_item(home, kind, guards.boards().next_id())
    asked = patch.read(guards.patch_document(), item)
    asked.changes.setdefault("System.State", kind.first.name)
    return reply(_patched(item, asked))


def _patched(item: WorkItemRecord, asked: patch.Patch) -> dict[str, Any]:
    home = guards.home_of(item)
    patch.check(asked, item, guards.boards().type_of(item), home)
    if request.args.get("validateOnly", "false").casefold() == "true":
        would_be = {**item.fields, **asked.changes}
        item.fields = {name: value for name, value in would_be.items() if value is not None}
    else:
        patch.apply(asked, item, guards.boards(), g.user)
    return _shown(item)


def _expansion(text: str | None) -> str:
    value = (text or "none").casefold()
    if value not in _EXPANSIONS:
        raise NotKnownError("value of $expand", value)
    return value


def _shown(
    item: WorkItemRecord, *, fields: list[str] | str | None = None, links: bool = True
) -> dict[str, Any]:
    url = guards.organization_url()
    shown = shapes.work_item(item, guards.home_of(item), url, links=links)
    if fields:
        wanted = {name.strip().casefold() for name in fields}
        shown["fields"] = {n: v for n, v in shown["fields"].items() if n.casefold() in wanted}
    return shown


@routes.post("/_apis/wit/workitemsbatch")
@routes.post("/<project>/_apis/wit/workitemsbatch")
def get_batch(project: str | None = None) -> Response:
    known_query(*guards.ANY_QUERY)
    asked = request.get_json()
    known_keys("body field", asked, ("ids", "fields", "$expand", "errorPolicy"))
    expand, policy = asked.get("$expand"), asked.get("errorPolicy", "fail")
    return _several(asked["ids"], asked.get("fields"), expand, policy, project)


@routes.get("/_apis/wit/workitems")
@routes.get("/<project>/_apis/wit/workitems")
def get_list(project: str | None = None) -> Response:
    known_query(*guards.ANY_QUERY, "ids", "fields", "$expand", "errorPolicy")
    ids = [int(text) for text in request.args["ids"].split(",")]
    fields = request.args.get("fields")
    names = fields.split(",") if fields else None
    policy = request.args.get("errorPolicy", "fail")
    return _several(ids, names, request.args.get("$expand"), policy, project)


def _several(
    ids: list[int], fields: list[str] | None, expand: str | None, policy: str, project: str | None
) -> Response:
    if len(ids) > MOST_AT_ONCE:
        raise refusals.bad_argument(
            f"VS403474: You can request at most {MOST_AT_ONCE} work items at once."
        )
    links = _expansion(expand) in ("links", "all")
    found: list[dict[str, Any] | None] = []
    for item_id in ids:
        item = guards.boards().item(item_id)
        if policy.casefold() == "omit" and (item is None or item.deleted):
            found.append(None)
            continue
        found.append(_shown(guards.item(item_id, project), fields=fields, links=links))
    return reply({"count": len(found), "value": found})


@routes.get("/_apis/wit/recyclebin/<int:item_id>")
@routes.get("/<project>/_apis/wit/recyclebin/<int:item_id>")
def get_deleted(item_id: int, project: str | None = None) -> Response:
    known_query(*guards.ANY_QUERY)
    item = guards.item(item_id, project, deleted=True)
    shown, url = _shown(item, links=False), guards.organization_url()
    return reply(
        {
            "id": item.id,
            "type": item.type,
            "name": item.fields["System.Title"],
            "project": item.project,
            "deletedDate": item.fields["System.ChangedDate"],
            "deletedBy": item.fields["System.ChangedBy"],
            "code": 200,
            "url": f"{url}/_apis/wit/recyclebin/{item.id}",
            "resource": shown,
        }
    )
