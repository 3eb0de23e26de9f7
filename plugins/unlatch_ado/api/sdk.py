"""The azure-devops library over our transport.

Only `connection` imports this module, on first use: the library creates a folder on import. Both
classes depend on internals of azure-devops 7.1.0b4 and msrest 0.7.1, their last releases.
"""

from __future__ import annotations

import math
import platform
import re
import sys
import threading
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from azure.core.exceptions import DeserializationError
from azure.devops.v7_1.work_item_tracking.models import (
    JsonPatchOperation,
    Wiql,
    WorkItemBatchGetRequest,
)
from azure.devops.v7_1.work_item_tracking.work_item_tracking_client import WorkItemTrackingClient
from msrest.exceptions import ClientException
from msrest.universal_http import ClientRequest
from msrest.universal_http.requests import BasicRequestsHTTPSender, ClientRetryPolicy
from requests.exceptions import JSONDecodeError

from unlatch.patterns import pattern
from unlatch.transport.answer import Misread
from unlatch_ado.api.errors import NotOffered, unreadable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import requests

    from unlatch.transport import Cache
    from unlatch_ado.api.patch import Step

# Raised for unreadable answers; one of them comes from azure-core.
_UNREADABLE = (Misread, ClientException, DeserializationError, JSONDecodeError)

_CONNECTION_DATA = "00d9565f-ed9c-4a06-9a50-00e7896ccab4"
_PERMISSIONS = "dd3b8bd6-c7fc-4cbd-929a-933d9c011c9d"
_MEMBERS = "294c494c-2600-4d7e-b76c-3dd50c3c95be"
_REACTIONS = "f6cb3f27-1028-4851-af96-887e570dc21f"
_REVISIONS = "f828fe59-dd87-495d-a17c-7a8d6211ca6c"
_TAGGING = "bb50f182-8e5e-40b8-bc21-e8752a1e7ae2"
_CREATE = 2
_WORK_ITEMS = "72c7ddf8-2cdc-4f60-90cd-ab71c14a399b"
_PATCH = "application/json-patch+json"
_VERSION = pattern(r"\d{1,4}(?:\.\d{1,4})?", re.ASCII)
# A path; with a scheme it would send the request to another host.
_ROUTE = pattern(r"(?:[^{}:]|\{\*?\w+\})+")


class SharedSessionSender(BasicRequestsHTTPSender):
    """Sends the requests of all threads through one session.

    msrest's own sender makes a session per thread, without our adapter, and its
    `BasicRequestsHTTPSender` passes neither headers nor body.
    """

    def send(self, request: Any, **kwargs: Any) -> Any:
        return super().send(
            request,
            headers=dict(request.headers),
            data=request.data,
            stream=kwargs.get("stream", True),
        )


class WorkItems(WorkItemTrackingClient):  # type: ignore[misc]  # azure-devops has no types
    """The library's client for work items, with API routes in our own cache.

    The library keeps the routes in a class attribute and in a file shared by all programs of the
    user. That file is written in place, and deleted by a reader that finds it half-written. Its
    `Connection` would also ask for the address of the work item service, but only the
    organization's own address is trusted.
    """

    def __init__(
        self,
        organization_url: str,
        session: requests.Session,
        cache: Cache,
        *,
        newest: str | None = None,
    ) -> None:
        # Otherwise msrest starts `uname -p` for its User-Agent.
        vars(platform.uname()).setdefault("processor", "")
        # Otherwise msrest searches this list a thousand times, for retries that are off here.
        safe = frozenset(ClientRetryPolicy.safe_codes)
        ClientRetryPolicy.safe_codes = safe  # type: ignore[assignment]  # only searched
        super().__init__(organization_url)
        self.organization = organization_url.lower()
        self.cache = cache
        self._newest = newest
        self._routes: dict[str, Any] | None = None
        self._discovering = threading.Lock()
        self.config.pipeline._sender.driver = SharedSessionSender(session)  # noqa: SLF001
        # Otherwise msrest closes the session, with other threads' connections, after each error.
        self.config.keep_alive = True
        # Otherwise one organization's session id, in a class attribute, goes to the next one.
        self.config.additional_headers["X-TFS-Session"] = str(uuid.uuid4())

    @contextmanager
    def understood(self, *, writing: bool = False) -> Iterator[None]:
        """Turn an unreadable answer to one call into our error."""
        try:
            yield
        except _unreadable_errors() as error:
            raise unreadable(writing=writing) from error

    def _create_request_message(self, *args: Any, **named: Any) -> Any:
        try:
            return super()._create_request_message(*args, **named)
        except (KeyError, IndexError) as error:
            raise Misread("a route has parts that are not known") from error

    def _unwrap_collection(self, response: Any) -> Any:
        if not response.content:
            raise Misread("is empty")
        return super()._unwrap_collection(response)

    def document(self, steps: Sequence[Step]) -> list[Any]:
        """A patch document for the library."""
        return [JsonPatchOperation(op=step.op, path=step.path, value=step.value) for step in steps]

    def query(self, text: str) -> Any:
        """A query for the library."""
        return Wiql(query=text)

    def batch(self, ids: list[int], fields: list[str] | None) -> Any:
        """A request for many work items; its answer omits deleted ones.

        Args:
            fields: the fields to read; None for all, with relations.
        """
        expand = "relations" if fields is None else None
        return WorkItemBatchGetRequest(ids=ids, fields=fields, expand=expand, error_policy="omit")

    def _get_resource_location(self, url: str, location_id: str) -> Any:
        # One thread asks; the others wait for its answer.
        with self._discovering:
            if self._routes is None:
                cached = self.cache.get("routes", self.normalized_url) or []
                self._routes = self._read_routes(cached) or self._answered_routes()
        if location_id not in self._routes:
            raise NotOffered
        return self._routes[location_id]

    def _answered_routes(self) -> dict[str, Any]:
        request = ClientRequest("OPTIONS", self._client.format_url("_apis"))
        body = self._send_request(request, headers={"Accept": "application/json"}).json()
        value = body.get("value") if isinstance(body, dict) else None
        listed = value if isinstance(value, list) else []
        # Of some thousand routes, only those of work items and three more are needed.
        routes = [r for r in listed if isinstance(r, dict) and _is_needed(r)]
        if not any(route.get("area") == "wit" for route in routes):
            raise ClientException("no routes of work items")
        self.cache.put("routes", self.normalized_url, value=routes)
        return self._read_routes(routes)

    def _read_routes(self, routes: list[Any]) -> dict[str, Any]:
        """The routes, limited to the configured version."""
        read = {}
        newest = math.inf if self._newest is None else float(self._newest)
        for route in self._base_deserialize.deserialize_data(routes, "[ApiResourceLocation]"):
            if not _is_usable(route):
                continue
            if newest < route.max_version:
                route.max_version = newest
                route.released_version = str(min(float(route.released_version), newest))
            read[route.id] = route
        return read

    def _negotiate_request_version(self, location: Any, version: str) -> str:
        negotiated: str | None = super()._negotiate_request_version(location, version)
        if negotiated is None:
            raise Misread("offers only newer versions of the API")
        return negotiated

    def connection_data(self) -> Any:
        """The token's account; the library has this call in another client."""
        return self._send("GET", _CONNECTION_DATA, "7.1-preview.1").json()

    def update_work_items(
        self, patches: Mapping[int, Sequence[Any]], silent: Collection[int] = ()
    ) -> Any:
        """Change several work items with one request, which the library lacks.

        Each has its own answer, and a failure does not affect the others:
        https://learn.microsoft.com/rest/api/azure/devops/wit/workitembatchupdate
        """
        location = self._get_resource_location(self.normalized_url, _WORK_ITEMS)
        version = self._negotiate_request_version(location, "7.1")
        batch = [
            {
                "method": "PATCH",
                "uri": f"/_apis/wit/workitems/{item}?api-version={version}"
                + ("&suppressNotifications=true" if item in silent else ""),
                "headers": {"Content-Type": _PATCH},
                "body": [step.as_dict() for step in document],
            }
            for item, document in patches.items()
        ]
        request = ClientRequest("PATCH", self._client.format_url("_apis/wit/$batch"))
        request.format_parameters({"api-version": version})
        headers = {"Content-Type": "application/json; charset=utf-8", "Accept": "application/json"}
        headers |= self.config.additional_headers
        return self._send_request(request, headers=headers, content=batch).json()

    def team_members(self, project: str, team: str, *, skip: int, top: int) -> Any:
        """A page of the members of a team; the library has this call in another client."""
        return self._send(
            "GET",
            _MEMBERS,
            "7.1-preview.2",
            route_values={"projectId": quote(project, safe=""), "teamId": quote(team, safe="")},
            query_parameters={"$top": str(top), "$skip": str(skip)},
        ).json()

    def react(self, project: str, item: int, comment: int, reaction: str) -> None:
        """React to a comment; the library takes no name of a reaction."""
        values = {"project": quote(project, safe=""), "workItemId": str(item)}
        self._send(
            "PUT",
            _REACTIONS,
            "7.1-preview.1",
            route_values={**values, "commentId": str(comment), "reactionType": reaction},
        )

    def revisions(self, project: str, query: dict[str, str]) -> Any:
        """A batch of revisions of work items, of whose fields the library reads none."""
        return self._send(
            "GET",
            _REVISIONS,
            "7.1-preview.2",
            route_values={"project": quote(project, safe="")},
            query_parameters={**query, "$expand": "fields"},
        ).json()

    def may_create_tags(self, project_id: str) -> Any:
        """Whether the caller may create tags in a project.

        https://learn.microsoft.com/azure/devops/organizations/security/namespace-reference
        """
        return self._send(
            "GET",
            _PERMISSIONS,
            "7.1-preview.2",
            route_values={"securityNamespaceId": _TAGGING, "permissions": str(_CREATE)},
            query_parameters={"tokens": f"/{project_id}"},
        ).json()


def _is_needed(route: dict[str, Any]) -> bool:
    needed = (_CONNECTION_DATA, _PERMISSIONS, _MEMBERS)
    return route.get("area") == "wit" or route.get("id") in needed


def _is_usable(route: Any) -> bool:
    """Whether a route has all that the library needs of one."""
    numbers = route.min_version, route.max_version, route.resource_version
    return (
        None not in (*numbers, route.area, route.resource_name)
        and _VERSION.fullmatch(route.released_version or "") is not None
        and _ROUTE.fullmatch(route.route_template or "") is not None
    )


def _unreadable_errors() -> tuple[type[Exception], ...]:
    # Answers that a reopen needs are read without pydantic.
    pydantic = sys.modules.get("pydantic")
    return _UNREADABLE if pydantic is None else (*_UNREADABLE, pydantic.ValidationError)
