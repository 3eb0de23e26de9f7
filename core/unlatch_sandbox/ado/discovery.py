"""Discovery: resource locations and areas, the user of a request and their permissions.

The ids are those that every Azure DevOps client library carries; the library composes its
URLs from the route templates given here.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, g, request

from unlatch_sandbox.ado import guards, refusals, shapes
from unlatch_sandbox.ado.boards import stable_uuid
from unlatch_sandbox.answers import NotKnownError, check_query, reply

WORK_AREA = "5264459e-e5e0-4bd8-b118-0985e68a4ec5"
_LOCATION_AREA = "e81700f7-3be2-46de-8624-2eb35882fcaa"

_ITEMS = "{project}/_apis/{area}/{resource}"

# location id -> area, resource, route template, resource version, released version
_LOCATIONS = {
    "294c494c-2600-4d7e-b76c-3dd50c3c95be": (
        "core",
        "members",
        "_apis/projects/{projectId}/teams/{teamId}/{resource}",
        2,
        "7.1",
    ),
    "f6cb3f27-1028-4851-af96-887e570dc21f": (
        "wit",
        "reactions",
        "{project}/_apis/{area}/workItems/{workItemId}/comments/{commentId}/{resource}/{reactionType}",
        1,
        "0.0",
    ),
    "a00c85a5-80fa-4565-99c3-bcd2181434bb": (
        "wit",
        "revisions",
        "{project}/_apis/{area}/workItems/{id}/{resource}/{revisionNumber}",
        3,
        "7.1",
    ),
    "f828fe59-dd87-495d-a17c-7a8d6211ca6c": (
        "wit",
        "workItemRevisions",
        "{project}/_apis/{area}/reporting/{resource}",
        2,
        "7.1",
    ),
    _LOCATION_AREA: ("Location", "ResourceAreas", "_apis/{resource}/{areaId}", 1, "0.0"),
    "72c7ddf8-2cdc-4f60-90cd-ab71c14a399b": ("wit", "workItems", _ITEMS + "/{id}", 3, "7.1"),
    "62d3d110-0047-428c-ad3c-4fe872c91c74": ("wit", "workItems", _ITEMS + "/${type}", 3, "7.1"),
    "608aac0a-32e1-4493-a863-b9cf4566d257": (
        "wit",
        "comments",
        "{project}/_apis/{area}/workItems/{workItemId}/{resource}/{commentId}",
        4,
        "0.0",
    ),
    "6570bf97-d02c-4a91-8d93-3abe9895b1a9": (
        "wit",
        "updates",
        "{project}/_apis/{area}/workItems/{id}/{resource}/{updateNumber}",
        3,
        "7.1",
    ),
    "7c8d7a76-4a09-43e8-b5df-bd792f4ac6aa": ("wit", "workItemTypes", _ITEMS + "/{type}", 2, "7.1"),
    "7c9d7a76-4a09-43e8-b5df-bd792f4ac6aa": (
        "wit",
        "states",
        "{project}/_apis/{area}/workItemTypes/{type}/{resource}",
        1,
        "7.1",
    ),
    "1a9c53f7-f243-4447-b110-35ef023636e4": (
        "wit",
        "wiql",
        "{project}/{team}/_apis/{area}/{resource}",
        2,
        "7.1",
    ),
    "908509b6-4248-4475-a1cd-829139ba419f": ("wit", "workItemsBatch", _ITEMS, 1, "7.1"),
    "b70d8d39-926c-465e-b927-b1bf0e5ca0e0": ("wit", "recyclebin", _ITEMS + "/{id}", 2, "7.1"),
    "5a172953-1b41-49d3-840a-33f79c3ce89f": (
        "wit",
        "classificationNodes",
        "{project}/_apis/{area}/{resource}/{structureGroup}/{*path}",
        2,
        "7.1",
    ),
    "00d9565f-ed9c-4a06-9a50-00e7896ccab4": (
        "Location",
        "ConnectionData",
        "_apis/{resource}",
        1,
        "0.0",
    ),
    "dd3b8bd6-c7fc-4cbd-929a-933d9c011c9d": (
        "Security",
        "Permissions",
        "_apis/{resource}/{securityNamespaceId}/{permissions}",
        2,
        "7.1",
    ),
}


def resource_locations(newest: str) -> list[dict[str, Any]]:
    """The routes of a server whose newest API version is `newest`."""
    return [
        {
            "id": location,
            "area": area,
            "resourceName": resource,
            "routeTemplate": template,
            "resourceVersion": version,
            "minVersion": 1.0,
            "maxVersion": float(newest),
            "releasedVersion": min(released, newest, key=float),
        }
        for location, (area, resource, template, version, released) in _LOCATIONS.items()
    ]


def resource_areas(organization_url: str) -> list[dict[str, Any]]:
    return [
        {"id": area, "name": name, "locationUrl": f"{organization_url}/"}
        for area, name in ((WORK_AREA, "wit"), (_LOCATION_AREA, "Location"))
    ]


routes = Blueprint("discovery", __name__)

# learn.microsoft.com/azure/devops/organizations/security/namespace-reference
_TAGGING = "bb50f182-8e5e-40b8-bc21-e8752a1e7ae2"
_CREATE = 2


@routes.get("/_apis/connectiondata")
def connection_data() -> Response:
    check_query(*guards.ANY_QUERY)
    guards.check_version(preview=True)
    user = {
        "id": stable_uuid(g.user),
        "descriptor": f"Microsoft.IdentityModel.Claims.ClaimsIdentity;{stable_uuid(g.user)}",
        "providerDisplayName": g.user,
        "isActive": True,
        "properties": {"Account": {"$type": "System.String", "$value": shapes.address(g.user)}},
    }
    instance = stable_uuid(guards.organization_url())
    return reply({"authenticatedUser": user, "authorizedUser": user, "instanceId": instance})


@routes.get("/_apis/projects/<project>/teams/<team>/members")
def list_members(project: str, team: str) -> Response:
    check_query(*guards.ANY_QUERY, "$top", "$skip")
    home = guards.project(project)
    if not guards.admin().sees_teams or team not in home.teams:
        raise refusals.no_team(team)
    start, most = int(request.args.get("$skip", 0)), int(request.args.get("$top", 100))
    page = home.teams[team][start : start + most]
    url = guards.organization_url()
    members = [{"isTeamAdmin": False, "identity": shapes.identity(member, url)} for member in page]
    return reply({"count": len(members), "value": members})


@routes.get("/_apis/permissions/<namespace>/<int:permissions>")
def has_permissions(namespace: str, permissions: int) -> Response:
    check_query(*guards.ANY_QUERY, "tokens")
    if (namespace, permissions) != (_TAGGING, _CREATE):
        raise NotKnownError("permission", f"{namespace}/{permissions}")
    home = guards.project(request.args["tokens"].removeprefix("/"))
    return reply({"count": 1, "value": [home.create_tags]})
