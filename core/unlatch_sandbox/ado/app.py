from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Flask, Response, request

from unlatch_sandbox.ado import discovery, discussion, guards, types, wiql, work_items
from unlatch_sandbox.ado.boards import stable_uuid
from unlatch_sandbox.answers import check_query, new_app, reply
from unlatch_sandbox.pages import item_page

if TYPE_CHECKING:
    from collections.abc import Iterable


ORGANIZATION = "/fabrikam"
_APIS = "_apis"
_WORDS = (
    "wit",
    "workitems",
    "workitemsbatch",
    "$batch",
    "workitemtypes",
    "comments",
    "updates",
    "states",
    "wiql",
    "recyclebin",
    "resourceareas",
    "classificationnodes",
    "iterations",
    "areas",
    "connectiondata",
    "permissions",
    "reactions",
    "revisions",
    "reporting",
    "workitemrevisions",
    "projects",
    "teams",
    "members",
)

routes = Blueprint("ado", __name__)


def is_api(path: str) -> bool:
    return f"/{_APIS}" in path


@cache
def create_app() -> Flask:
    app = new_app("ado")
    parts = (
        routes,
        work_items.routes,
        discussion.routes,
        types.routes,
        wiql.routes,
        discovery.routes,
    )
    for part in parts:
        app.register_blueprint(part, url_prefix=ORGANIZATION)
    app.add_url_rule(f"{ORGANIZATION}/<project>/_workitems/edit/<int:item_id>", view_func=_page)
    app.before_request(_enter)
    app.after_request(_leave)
    app.wsgi_app = _AnyCase(app.wsgi_app)  # type: ignore[method-assign]  # Flask's own hook
    return app


class _AnyCase:
    """Azure DevOps reads the fixed words of a path in any case: workItems, workitems."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        before, mark, rest = environ["PATH_INFO"].partition(f"/{_APIS}/")
        words = [w.casefold() if w.casefold() in _WORDS else w for w in rest.split("/")]
        environ["PATH_INFO"] = before + mark + "/".join(words)
        answer: Iterable[bytes] = self._inner(environ, start_response)
        return answer


def _enter() -> None:
    if is_api(request.path):
        guards.authenticate()
        guards.check_version()


def _leave(answer: Response) -> Response:
    if is_api(request.path):
        answer.headers["ActivityId"] = stable_uuid(guards.boards().now())
        answer.headers["X-TFS-Session"] = request.headers.get("X-TFS-Session", stable_uuid("none"))
        answer.headers["X-VSS-E2EID"] = answer.headers["ActivityId"]
    return answer


@routes.route("/_apis", methods=["OPTIONS"])
def options() -> Response:
    check_query(*guards.ANY_QUERY, "allHostTypes")
    locations = discovery.resource_locations(guards.admin().newest_version)
    return reply({"count": len(locations), "value": locations})


@routes.get("/_apis/resourceareas")
def resource_areas() -> Response:
    check_query(*guards.ANY_QUERY)
    areas = discovery.resource_areas(guards.organization_url())
    return reply({"count": len(areas), "value": areas})


def _page(project: str, item_id: int) -> Response:
    return item_page(guards.admin().item(project, item_id))
