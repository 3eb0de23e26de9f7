"""The `jira` SDK over our transport, and its addresses.

The SDK gets no credential, sends no request by itself and retries nothing: the transport does that.
Calls that the SDK lacks use its session and addresses.
"""

from __future__ import annotations

import json
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from jira import JIRA

from unlatch.errors import Rejected, TrackerError
from unlatch.patterns import pattern
from unlatch.transport import Cache, reading
from unlatch_jira.api.errors import explain
from unlatch_jira.api.json_model import content, parse, undocumented

if TYPE_CHECKING:
    from collections.abc import Callable

    import requests

    from unlatch.transport import Answer, Transport
    from unlatch_jira.settings import JiraSettings

_Model = TypeVar("_Model")

# Raised by the SDK for an empty issue or unexpected content.
_TRIPPED = (NotImplementedError, AttributeError, KeyError, TypeError, ValueError)
_CLOUD_ID = pattern(r"[0-9A-Za-z-]{8,64}")
# Messages in English, unless the account has chosen a language:
# https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-myself "Get locale". Names
# of statuses and fields stay in the account's language, as in the configuration.
_LANGUAGE = {"Accept-Language": "en"}
# In addresses that are shown before the id is known.
_UNKNOWN_ID = "CLOUD-ID"


class JiraConnection:
    """The connection to one site: directly, or through Atlassian's gateway."""

    def __init__(self, settings: JiraSettings, transport: Transport) -> None:
        self._settings = settings
        self._transport = transport
        self.read_until = transport.read_until
        self._cache = Cache(transport.cache)
        self._lock = Lock()
        self._jira: JIRA | None = None

    @property
    def jira(self) -> JIRA:
        """The SDK; with a gateway, the first use may ask the site for its id."""
        with self._lock:
            if self._jira is None:
                settings = self._settings
                cloud_id = self._cloud_id() if settings.through_gateway else None
                options: dict[str, Any] = {
                    "server": settings.server(cloud_id),
                    "rest_api_version": str(settings.version),
                }
                jira = JIRA(options=options, get_server_info=False, max_retries=0, timeout=(5, 30))
                self._transport.mount(jira._session, explain)  # noqa: SLF001
                jira._session.headers.update(_LANGUAGE)  # noqa: SLF001
                self._jira = jira
            return self._jira

    @property
    def api(self) -> str:
        """The base of request addresses, as far as known without a request."""
        cloud_id = self._settings.cloud_id or self._read_cached() or _UNKNOWN_ID
        return f"{self._settings.server(cloud_id)}/rest/api/{self._settings.version}"

    @property
    def _session(self) -> requests.Session:
        # For calls that the SDK lacks.
        session: requests.Session = self.jira._session  # noqa: SLF001
        return session

    def cached(self, name: str) -> Any:
        """An answer about the site that rarely changes; None if it is not cached."""
        return self._cache.get(name, self._settings.site)

    def cache(self, name: str, value: Any) -> None:
        """Cache an answer about the site."""
        self._cache.put(name, self._settings.site, value=value)

    def url(self, path: str) -> str:
        """The address of a part of the REST API."""
        return str(self.jira._get_url(path))  # noqa: SLF001

    def issue(self, key: str, fields: str, **query: str | None) -> dict[str, Any]:
        """Read an issue, as JSON.

        Args:
            query: `expand` and `properties`, as the SDK calls them.

        Raises:
            Rejected: `answer-not-understood`.
        """
        jira = self.jira
        try:
            raw: dict[str, Any] = jira.issue(key, fields=fields, **query).raw
        except _TRIPPED as error:
            raise undocumented(": it shows no issue") from error
        return raw

    def get(
        self, model: Callable[[Any], _Model], path: str, query: dict[str, str] | None = None
    ) -> _Model:
        """Read a part of the REST API."""
        return parse(model, self._read(self.url(path), query))

    def get_list(self, path: str, query: dict[str, str] | None = None) -> list[Any]:
        """Read a short list of the REST API."""
        answer = self._read(self.url(path), query)
        return answer if isinstance(answer, list) else []

    def get_agile(self, model: Callable[[Any], _Model], path: str, query: dict[str, str]) -> _Model:
        """Read a part of Jira Software's own REST API."""
        base = self.url("").partition("/rest/api/")[0]
        return parse(model, self._read(f"{base}/rest/agile/1.0/{path}", query))

    def query(self, model: Callable[[Any], _Model], path: str, body: dict[str, Any]) -> _Model:
        """Send a query that is too long for an address: a POST that only reads."""
        with reading():
            answer = self._session.post(self.url(path), data=json.dumps(body))
        return parse(model, content(answer))

    def send(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        query: dict[str, str] | None = None,
    ) -> dict[str, Any] | None:
        """Send a write; returns the answer's object, or None for an empty answer."""
        data = None if body is None else json.dumps(body)
        answer = self._session.request(method, self.url(path), params=query, data=data)
        content = answer.json() if answer.content.strip() else None
        return content if isinstance(content, dict) else None

    def _read(self, url: str, query: dict[str, str] | None = None) -> Any:
        return content(self._session.get(url, params=query))

    def _cloud_id(self) -> str:
        cloud_id = self._settings.cloud_id or self._read_cached()
        if cloud_id is None:
            cloud_id = self._ask_site()
            self.cache("cloud", cloud_id)
        return cloud_id

    def _read_cached(self) -> str | None:
        return _checked(self.cached("cloud"))

    def _ask_site(self) -> str:
        """Ask the site for its public id, without a credential.

        https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/ describes the gateway,
        and https://support.atlassian.com/jira/kb/retrieve-my-atlassian-sites-cloud-id/ this
        address.
        """
        session = self._transport.session(_nothing_special)
        answer = session.get(f"{self._settings.site}/_edge/tenant_info")
        try:
            body = answer.json()
        except ValueError:
            body = None
        cloud_id = _checked(body.get("cloudId") if isinstance(body, dict) else None)
        if cloud_id is None:
            raise Rejected(
                "cloud-id-unknown",
                "the site does not say which id it has at Atlassian's gateway",
                where=self._settings.site,
                hint="check trackers.jira.site, or set trackers.jira.cloud_id",
            )
        return cloud_id


def _checked(value: object) -> str | None:
    # It becomes part of the credential's address.
    return value if isinstance(value, str) and _CLOUD_ID.fullmatch(value) else None


def _nothing_special(_: Answer) -> TrackerError | None:
    return None
