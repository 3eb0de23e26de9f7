from __future__ import annotations

import re
import uuid
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Flask, Response, g, request

from unlatch_sandbox.answers import admin_of, check_query, new_app, reply
from unlatch_sandbox.clock import http_date, stored
from unlatch_sandbox.github import comments, graphql, guards, issues, labels, shapes
from unlatch_sandbox.github.hub import LIMIT
from unlatch_sandbox.github.paging import page_of
from unlatch_sandbox.github.repository_shape import shape_of
from unlatch_sandbox.pages import item_page

if TYPE_CHECKING:
    from collections.abc import Iterable


API = "/api/v3"
_HOUR = 3600

routes = Blueprint("github", __name__)


def is_api(path: str) -> bool:
    return path.startswith("/api/")


@cache
def create_app() -> Flask:
    app = new_app("github")
    for part in (routes, issues.routes, comments.routes, labels.routes):
        app.register_blueprint(part, url_prefix=API)
    app.add_url_rule("/api/graphql", view_func=graphql.answer, methods=["POST"])
    app.add_url_rule("/<owner>/<name>/<any(issues, pull):kind>/<int:number>", view_func=_page)
    app.before_request(_enter)
    app.after_request(_leave)
    app.wsgi_app = _ByNumber(app.wsgi_app)  # type: ignore[method-assign]  # Flask's own hook
    return app


class _ByNumber:
    """Serves /repositories/{id}, the target of redirects."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        path: str = environ["PATH_INFO"]
        match = re.match(rf"{API}/repositories/(\d+)(/.*)?$", path)
        for repository in admin_of(environ).hub.repositories.under() if match else ():
            if match and repository.id == int(match[1]):
                environ["PATH_INFO"] = f"{API}/repos/{repository.full_name}{match[2] or ''}"
        answer: Iterable[bytes] = self._inner(environ, start_response)
        return answer


def _enter() -> None:
    if is_api(request.path):
        guards.authenticate()


def _leave(answer: Response) -> Response:
    if not is_api(request.path):
        return answer
    is_query = request.path == "/api/graphql"
    free = (
        answer.status_code == HTTPStatus.NOT_MODIFIED
        or request.path == f"{API}/rate_limit"
        or is_query
    )
    limit = _limit(0 if free else 1)
    answer.headers.update(
        {f"X-RateLimit-{name.capitalize()}": str(value) for name, value in limit.items()}
    )
    answer.headers["X-RateLimit-Resource"] = "graphql" if is_query else "core"
    answer.headers["X-GitHub-Media-Type"] = "github.v3; format=json"
    answer.headers["X-GitHub-Request-Id"] = uuid.uuid4().hex.upper()
    answer.headers["Date"] = http_date(guards.admin().clock())
    scopes = {"classic": guards.admin().scopes, "reader": ""}
    if (granted := scopes.get(g.get("kind", ""))) is not None:
        answer.headers["X-OAuth-Scopes"] = granted
    return answer


def _limit(spend: int) -> dict[str, int]:
    used = guards.admin().quota.spend(spend)
    reset = (int(guards.admin().clock().timestamp()) // _HOUR + 1) * _HOUR
    return {"limit": LIMIT, "remaining": LIMIT - used, "used": used, "reset": reset}


@routes.get("/rate_limit")
def rate_limit() -> Response:
    check_query()
    core = _limit(0)
    resources = {"core": core, "search": {**core, "limit": 30, "remaining": 30, "used": 0}}
    return reply({"resources": resources, "rate": core})


@routes.get("/user")
def get_user() -> Response:
    check_query()
    if g.kind == "app":
        raise guards.refusal(403, "Resource not accessible by integration")
    since = stored(guards.admin().clock())
    return reply(shapes.account(g.login, guards.addresses(), since))


@routes.get("/repos/<owner>/<name>")
def get_repository(owner: str, name: str) -> Response:
    check_query()
    home = guards.repository(owner, name)
    issues_here = guards.admin().hub.issues_of(home.full_name)
    open_issues = sum(issue.state == "open" for issue in issues_here)
    return reply(shape_of(home, open_issues, guards.addresses()))


@routes.get("/repos/<owner>/<name>/hooks")
def list_hooks(owner: str, name: str) -> Response:
    check_query("per_page", "page")
    home = guards.repository(owner, name)
    # Others than the classic tokens need "Webhooks: read", which none of these has.
    if g.kind != "classic":
        raise guards.not_accessible("repository_hooks=read")
    page, headers = page_of(guards.admin().hooks.get(home.full_name.casefold(), []))
    return reply(page, headers=headers)


@routes.get("/repos/<owner>/<name>/milestones")
def list_milestones(owner: str, name: str) -> Response:
    check_query("state", "per_page", "page")
    home = guards.repository(owner, name)
    state = request.args.get("state", "open")
    records = guards.admin().hub.milestones_of(home.full_name)
    page, headers = page_of([record for record in records if state in ("all", record.state)])
    answer = [shapes.milestone(record, g.login, guards.addresses()) for record in page]
    return reply(answer, headers=headers)


@routes.get("/repos/<owner>/<name>/collaborators/<login>/permission")
def get_permission(owner: str, name: str, login: str) -> Response:
    check_query()
    if not guards.repository(owner, name).push:
        raise guards.refusal(403, "Must have push access to view collaborator permission.")
    role = guards.admin().person(login).role
    return reply(shapes.permission(login, role, guards.addresses()))


@routes.get("/orgs/<owner>/teams/<team>/memberships/<login>")
def get_membership(owner: str, team: str, login: str) -> Response:
    check_query()
    teams = guards.admin().teams
    if teams is None:
        raise guards.not_accessible("members=read")
    if login not in teams.get(team, ()):
        raise guards.refusal(404, "Not Found")
    url = f"{guards.addresses().api}/organizations/{shapes.user_id(owner)}/team"
    return reply({"url": f"{url}/{team}/memberships/{login}", "role": "member", "state": "active"})


def _page(owner: str, name: str, number: int, **_: str) -> Response:
    return item_page(guards.admin().item(f"{owner}/{name}", number))
