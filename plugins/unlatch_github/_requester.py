"""PyGithub's requests, sent through a session of ours to one place only.

PyGithub opens its connections by classes that are set for the whole process, and shares one
connection's pending request between threads. Both are avoided by handing it a connection with
every request, which `Requester.requestJson` has an argument for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from github.Requester import HTTPRequestsConnectionClass, Requester, RequestsResponse

if TYPE_CHECKING:
    import io

    import requests

# https://docs.github.com/en/rest/about-the-rest-api/api-versions
_API_VERSION = "2022-11-28"
_LARGEST_PAGE = 100
# PyGithub wants one; the adapter beneath has its own.
_TIMEOUT = 30


class _Connection(HTTPRequestsConnectionClass):
    """One request of PyGithub's, and the session that carries it."""

    def __init__(self, session: requests.Session, origin: str) -> None:
        # PyGithub's own constructor would make a session without our adapter.
        self.session = session
        self.host = origin
        self._origin = origin

    def request(
        self,
        verb: str,
        url: str,
        input: str | io.BufferedReader | None,
        headers: dict[str, str],
        stream: bool = False,
    ) -> None:
        self.verb = verb
        self.url = url
        self._body = input
        self.headers = headers

    def getresponse(self) -> RequestsResponse:
        response = self.session.request(
            self.verb,
            self._origin + self.url,
            headers=self.headers,
            data=self._body,
            allow_redirects=False,
        )
        # JSON is UTF-8; without a charset in the header requests would guess.
        response.encoding = "utf-8"
        return RequestsResponse(response)

    def close(self) -> None:
        """The session outlives the request."""


class SessionRequester(Requester):
    """PyGithub's requester over `session`, without its credentials, pacing and retries.

    Lazy: an object made from it sends no request before one is asked for.
    """

    def __init__(self, session: requests.Session, api_url: str) -> None:
        super().__init__(
            auth=None,
            base_url=api_url,
            timeout=_TIMEOUT,
            user_agent="unlatch",
            per_page=_LARGEST_PAGE,
            verify=True,
            retry=None,
            pool_size=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
            lazy=True,
            api_version=_API_VERSION,
        )
        parts = urlsplit(api_url)
        self._session = session
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._prefix = parts.path.rstrip("/")

    def requestJsonAndCheck(  # noqa: N802, PLR0917  # PyGithub's signature
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        input: Any | None = None,
        follow_302_redirect: bool = False,
    ) -> tuple[dict[str, Any], Any]:
        return super().requestJsonAndCheck(
            verb, self._within(url), parameters, headers, input, follow_302_redirect
        )

    def requestJson(  # noqa: N802, PLR0917  # PyGithub's signature
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, Any] | None = None,
        input: Any | None = None,
        cnx: object = None,
        follow_302_redirect: bool = False,
    ) -> tuple[int, dict[str, Any], str]:
        connection = _Connection(self._session, self._origin)
        return super().requestJson(
            verb, url, parameters, headers, input, connection, follow_302_redirect
        )

    def _within(self, url: str) -> str:
        """`url` as a path below the API's address, whatever host an answer gave it.

        Answers name GitHub by the address that it knows itself under, which a proxy or a gateway
        need not have; and no answer may send us elsewhere.
        """
        if url.startswith("/") or url == self.graphql_url:
            return url
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        return parts.path.removeprefix(self._prefix) + query
