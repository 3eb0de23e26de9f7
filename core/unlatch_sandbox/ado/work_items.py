from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, current_app, g, request
from werkzeug.test import EnvironBuilder

from unlatch_sandbox.ado import guards, patch, refusals, shapes
from unlatch_sandbox.answers import ADMIN, NotKnownError, check_keys, check_query, reply

if TYPE_CHECKING:
    from unlatch_sandbox.ado.records import WorkItemRecord

routes = Blueprint("work_items", __name__)

MOST_AT_ONCE = 200
_PATCHABLE = re.compile(r"/_apis/wit/workitems/\d+\?", re.IGNORECASE)
_EXPANSIONS = ("none", "relations", "fields", "links", "all")
_WRITE_QUERY = (*guards.ANY_QUERY, "validateOnly", "suppressNotifications", "$expand")


@routes.get("/_apis/wit/workitems/<int:item_id>")
@routes.get("/<project>/_apis/wit/workitems/<int:item_id>")
def get_item(item_id: int, project: str | None = None) -> Response:
    check_query(*guards.ANY_QUERY, "$expand", "fields")
    expand = _expansion(request.args.get("$expand"))
    fields = request.args.get("fields")
    if fields and expand != "none":
        raise refusals.bad_argument(
            "The expand parameter can not be used with the fields parameter."
        )
    names = fields and fields.split(",")
    return reply(_shown(guards.item(item_id, project), fields=names, expand=expand))


@routes.patch("/_apis/wit/workitems/<int:item_id>")
@routes.patch("/<project>/_apis/wit/workitems/<int:item_id>")
def update_item(item_id: int, project: str | None = None) -> Response:
    check_query(*_WRITE_QUERY)
    item = guards.item(item_id, project)
    most = guards.admin().most_revisions
    if item.rev >= most:
        raise refusals.too_many_revisions(item.id, item.rev + 1, most)
    asked = patch.read(guards.patch_document(), item)
    return reply(_patched(item, asked))


@routes.patch("/_apis/wit/$batch")
def update_many() -> Response:
    """Each request is handled separately; a failure does not stop the others."""
    check_query(*guards.ANY_QUERY)
    asked = request.get_json()
    if len(asked) > MOST_AT_ONCE:
        raise refusals.bad_argument(f"At most {MOST_AT_ONCE} requests can be made at once.")
    answers = [_one_of(each) for each in asked]
    return reply({"count": len(answers), "value": answers})


def _one_of(asked: dict[str, Any]) -> dict[str, Any]:
    check_keys("part of a batch", asked, ("method", "uri", "headers", "body"))
    if asked["method"] != "PATCH" or not _PATCHABLE.match(asked["uri"]):
        raise NotKnownError("batched request", f"{asked['method']} {asked['uri']}")
    path, _, query = asked["uri"].partition("?")
    builder = EnvironBuilder(
        f"/{request.path.split('/')[1]}{path}",
        query_string=query,
        method="PATCH",
        headers=[*asked["headers"].items(), ("Authorization", request.headers["Authorization"])],
        data=json.dumps(asked["body"]),
        base_url=request.host_url,
    )
    environ = {**builder.get_environ(), ADMIN: request.environ[ADMIN]}
    answer = Response.from_app(current_app.wsgi_app, environ, buffered=True)
    content = {"Content-Type": answer.content_type}
    return {"code": answer.status_code, "headers": content, "body": answer.get_data(as_text=True)}


@routes.post("/<project>/_apis/wit/workitems/$<type_name>")
def create_item(project: str, type_name: str) -> Response:
    check_query(*_WRITE_QUERY)
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
        item.mails += request.args.get("suppressNotifications", "false").casefold() != "true"
        patch.apply(asked, item, guards.boards(), g.user)
    return _shown(item, expand=_expansion(request.args.get("$expand")))


def _expansion(text: str | None) -> str:
    value = (text or "none").casefold()
    if value not in _EXPANSIONS:
        raise NotKnownError("value of $expand", value)
    return value


def _shown(
    item: WorkItemRecord,
    *,
    fields: list[str] | str | None = None,
    links: bool = True,
    expand: str = "none",
) -> dict[str, Any]:
    url, related = guards.organization_url(), expand in ("relations", "all")
    answer = shapes.work_item(item, guards.home_of(item), url, links=links, relations=related)
    if fields:
        wanted = {name.strip().casefold() for name in fields}
        answer["fields"] = {n: v for n, v in answer["fields"].items() if n.casefold() in wanted}
    return answer


@routes.post("/_apis/wit/workitemsbatch")
@routes.post("/<project>/_apis/wit/workitemsbatch")
def get_batch(project: str | None = None) -> Response:
    check_query(*guards.ANY_QUERY)
    asked = request.get_json()
    check_keys("body field", asked, ("ids", "fields", "$expand", "errorPolicy"))
    expand, policy = asked.get("$expand"), asked.get("errorPolicy", "fail")
    return _several(asked["ids"], asked.get("fields"), expand, policy, project)


@routes.get("/_apis/wit/workitems")
@routes.get("/<project>/_apis/wit/workitems")
def get_list(project: str | None = None) -> Response:
    check_query(*guards.ANY_QUERY, "ids", "fields", "$expand", "errorPolicy")
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
    expand = _expansion(expand)
    if fields and expand != "none":
        raise refusals.bad_argument(
            "The expand parameter can not be used with the fields parameter."
        )
    links = expand in ("links", "all")
    answers: list[dict[str, Any] | None] = []
    for item_id in ids:
        item = guards.boards().item(item_id)
        if policy.casefold() == "omit" and (item is None or item.deleted or guards.is_hidden(item)):
            answers.append(None)
            continue
        record = guards.item(item_id, project)
        answers.append(_shown(record, fields=fields, links=links, expand=expand))
    return reply({"count": len(answers), "value": answers})


@routes.get("/_apis/wit/recyclebin/<int:item_id>")
@routes.get("/<project>/_apis/wit/recyclebin/<int:item_id>")
def get_deleted(item_id: int, project: str | None = None) -> Response:
    check_query(*guards.ANY_QUERY)
    item = guards.item(item_id, project, deleted=True)
    answer, url = _shown(item, links=False), guards.organization_url()
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
            "resource": answer,
        }
    )
