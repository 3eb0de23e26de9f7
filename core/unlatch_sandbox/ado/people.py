"""Who is asking, and what they may do that no work item shows."""

from __future__ import annotations

from flask import Blueprint, Response, g, request

from unlatch_sandbox.ado import guards, shapes
from unlatch_sandbox.ado.boards import stable_uuid
from unlatch_sandbox.answers import NotKnownError, known_query, reply

routes = Blueprint("people", __name__)

# learn.microsoft.com/azure/devops/organizations/security/namespace-reference
_TAGGING = "bb50f182-8e5e-40b8-bc21-e8752a1e7ae2"
_CREATE = 2


@routes.get("/_apis/connectiondata")
def connection_data() -> Response:
    known_query(*guards.ANY_QUERY)
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


@routes.get("/_apis/permissions/<namespace>/<int:permissions>")
def has_permissions(namespace: str, permissions: int) -> Response:
    known_query(*guards.ANY_QUERY, "tokens")
    if (namespace, permissions) != (_TAGGING, _CREATE):
        raise NotKnownError("permission", f"{namespace}/{permissions}")
    home = guards.project(request.args["tokens"].removeprefix("/"))
    return reply({"count": 1, "value": [home.create_tags]})
