"""People: their groups, their roles in a project, and who may transition its issues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, request

from unlatch_sandbox.answers import check_keys, check_query, reply
from unlatch_sandbox.jira import guards, shapes
from unlatch_sandbox.jira.tracks import GROUP

if TYPE_CHECKING:
    from unlatch_sandbox.jira.records import ProjectRecord

routes = Blueprint("people", __name__)

_FIRST_ROLE = 10_001


@routes.get("/user")
def get_user() -> Response:
    check_query("accountId", "username", "key", "expand")
    check_keys("expansion", request.args.get("expand", "groups").split(","), ("groups",))
    if guards.is_anonymous() or not guards.admin().sees_users:
        raise guards.refusal(403, "You do not have permission to browse users.")
    name = _wanted()
    if name is None:
        raise guards.refusal(404, "Specified user does not exist or you do not have permission.")
    groups = [group for group, people in guards.tracks().site.groups.items() if name in people]
    items = [{"name": group} for group in groups]
    account = shapes.user(name, guards.dialect())
    return reply({**account, "groups": {"size": len(items), "items": items}})


@routes.get("/user/permission/search")
def search_permitted() -> Response:
    """The people who match and have a permission; only administrators may ask."""
    names = ("accountId", "username", "permissions", "issueKey", "startAt", "maxResults")
    check_query(*names)
    check_keys("permission", [request.args["permissions"]], ("TRANSITION_ISSUES",))
    home = guards.tracks().projects_of(guards.issue(request.args["issueKey"]))
    _check_administers(home)
    name = _wanted()
    permitted = [name] if name in home.movers else []
    return reply([shapes.user(person, guards.dialect()) for person in permitted])


@routes.get("/project/<key>/role")
def list_roles(key: str) -> Response:
    check_query()
    home = _administered(key)
    address = f"{guards.dialect().api}/project/{home.key}/role"
    return reply({name: f"{address}/{n}" for n, name in enumerate(home.roles, _FIRST_ROLE)})


@routes.get("/project/<key>/role/<int:number>")
def get_role(key: str, number: int) -> Response:
    check_query()
    home = _administered(key)
    names = dict(enumerate(home.roles, _FIRST_ROLE))
    if number not in names:
        raise guards.refusal(404, f"Can not find a role with the id {number}.")
    actors = [_actor(member) for member in home.roles[names[number]]]
    address = f"{guards.dialect().api}/project/{home.key}/role/{number}"
    return reply({"self": address, "id": number, "name": names[number], "actors": actors})


def _actor(member: str) -> dict[str, Any]:
    name, cloud = member.removeprefix(GROUP), guards.dialect().cloud
    if name != member:
        group = {"name": name, "displayName": name}
        return {"displayName": name, "type": "atlassian-group-role-actor", "actorGroup": group}
    account = shapes.user(name, guards.dialect())
    own = {"actorUser": {"accountId": account["accountId"]}} if cloud else {"name": account["name"]}
    return {"displayName": name, "type": "atlassian-user-role-actor", **own}


def _administered(key: str) -> ProjectRecord:
    home = guards.tracks().project(key)
    if home is None or guards.is_anonymous():
        raise guards.refusal(404, f"No project could be found with key '{key}'.")
    _check_administers(home)
    return home


def _check_administers(home: ProjectRecord) -> None:
    if not home.can_administer:
        raise guards.refusal(403, "You do not have permission to administer this project.")


def _wanted() -> str | None:
    dialect = guards.dialect()
    keys = ("accountId",) if dialect.cloud else ("name", "key")
    asked = {request.args.get(key) for key in ("accountId", "username", "key")} - {None}
    for name in sorted(guards.tracks().people()):
        if asked & {shapes.user(name, dialect)[key] for key in keys}:
            return name
    return None
