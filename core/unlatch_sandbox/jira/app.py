from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Flask, Response, g, request

from unlatch_sandbox.answers import check_query, new_app, reply
from unlatch_sandbox.clock import jira_time, stored
from unlatch_sandbox.jira import fields, guards, shapes
from unlatch_sandbox.jira.routes import comments, issues, people, properties, searches, surveys
from unlatch_sandbox.jira.tracks import CLOUD
from unlatch_sandbox.jira.workflows import EPIC_LINK, ISSUE_TYPES
from unlatch_sandbox.pages import item_page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch_sandbox.answers import WsgiApp


routes = Blueprint("jira", __name__)

_VERSIONS = {"Cloud": "1001.0.0-SNAPSHOT", "Server": "9.12.15"}
_BUILT = "2025-11-01T00:00:00+00:00"


def is_api(path: str) -> bool:
    return path.startswith(("/rest/", "/ex/jira/", "/_edge/"))


@cache
def create_app() -> Flask:
    app = new_app("jira")
    parts = (issues, comments, people, properties, searches, surveys)
    for part in (routes, *(module.routes for module in parts)):
        app.register_blueprint(part, url_prefix="/rest/api/<any('2', '3'):version>")
    app.url_value_preprocessor(_drop_version)
    app.add_url_rule("/browse/<key>", view_func=_page)
    agile = "/rest/agile/1.0/board/<board>/sprint"
    app.add_url_rule(agile, view_func=surveys.list_sprints, methods=["GET"])
    app.add_url_rule("/_edge/tenant_info", view_func=_tenant_info, methods=["GET"])
    app.wsgi_app = Gateway(app.wsgi_app)  # type: ignore[method-assign]  # as Flask documents
    app.before_request(_enter)
    app.after_request(_leave)
    return app


def _drop_version(_: str | None, values: dict[str, Any] | None) -> None:
    """The routes are the same in all versions; the dialect has the differences."""
    if values:
        values.pop("version", None)


class Gateway:
    """Also serves the site under /ex/jira/ID, like Atlassian's gateway on its host."""

    def __init__(self, site: WsgiApp) -> None:
        self._site = site

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        _, *parts = environ["PATH_INFO"].split("/", 4)
        if parts[:2] == ["ex", "jira"] and len(parts) == 4:  # noqa: PLR2004
            environ = {
                **environ,
                "SCRIPT_NAME": "",
                "PATH_INFO": f"/{parts[3]}",
                guards.GATEWAY: parts[2],
            }
        return self._site(environ, start_response)


def _tenant_info() -> Response:
    """The public id of a Cloud site."""
    check_query()
    if guards.admin().deployment != CLOUD:
        raise guards.refusal(404, "Not found")
    return reply({"cloudId": guards.admin().cloud_id})


def _enter() -> None:
    if request.path.startswith("/rest/"):
        guards.authenticate()
        guards.check_gateway()
        if request.path.startswith("/rest/api/"):
            guards.check_version()


def _leave(answer: Response) -> Response:
    if is_api(request.path):
        cloud = guards.admin().deployment == CLOUD
        key = "accountId" if cloud else "name"
        who = shapes.user(g.user, guards.dialect()) if "user" in g else {}
        name = who.get(key) or ("" if cloud else "anonymous")
        if name:
            answer.headers["X-AACCOUNTID" if cloud else "X-AUSERNAME"] = name
    return answer


@routes.get("/serverInfo")
def server_info() -> Response:
    check_query("doHealthCheck")
    deployment = guards.admin().deployment
    version = _VERSIONS[deployment]
    now = jira_time(stored(guards.admin().clock()))
    return reply(
        {
            "baseUrl": guards.dialect().site,
            "version": version,
            "versionNumbers": [int(n) for n in version.partition("-")[0].split(".")],
            "deploymentType": deployment,
            "buildNumber": 100_300,
            "buildDate": jira_time(_BUILT),
            "serverTime": now,
            "scmInfo": "0" * 40,
            "serverTitle": "Jira",
        }
    )


@routes.get("/field")
def list_fields() -> Response:
    """The names of field ids; the library reads them before it searches."""
    check_query()
    cloud = guards.dialect().cloud
    custom = [name for name in fields.CUSTOM if not (cloud and name == EPIC_LINK)]
    return reply([fields.field_info(name) for name in (*fields.FIELDS, *custom)])


@routes.get("/project/<key>")
def get_project(key: str) -> Response:
    check_query("expand")
    project = guards.tracks().project(key.upper())
    if project is None or guards.is_anonymous():
        raise guards.refusal(404, f"No project could be found with key '{key}'.")
    types = [shapes.issue_type(name, guards.dialect()) for name in ISSUE_TYPES]
    return reply({**shapes.project(project, guards.dialect()), "issueTypes": types})


@routes.get("/myself")
def myself() -> Response:
    check_query()
    if guards.is_anonymous():
        raise guards.unauthenticated()
    account = shapes.user(g.user, guards.dialect())
    more = {"groups": {"size": 0, "items": []}, "applicationRoles": {"size": 0, "items": []}}
    return reply({**account, "locale": "en_US", **more, "expand": "groups,applicationRoles"})


def _page(key: str) -> Response:
    return item_page(guards.admin().item(key))
