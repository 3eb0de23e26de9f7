"""Requests to one GitHub's API and its answers as JSON, by PyGithub's requester.

PyGithub sets its connection classes for the whole process, and shares a connection's pending
request between threads. To avoid both, every request gets its own connection, by an argument of
`Requester.requestJson`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from github.Requester import HTTPRequestsConnectionClass, Requester, RequestsResponse
from requests.utils import parse_header_links

from unlatch.errors import Forbidden, TrackerError, Transient
from unlatch.transport import Cache, each_page, reading
from unlatch.transport.answer import parse_json
from unlatch.values import dataclass
from unlatch_github.api import paths
from unlatch_github.api.errors import explain
from unlatch_github.api.graphql import VIEWER
from unlatch_github.api.models import (
    KEPT,
    Identity,
    assignees_in,
    kept_parts,
    read_scopes,
    reading_answer,
)

if TYPE_CHECKING:
    import io
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import requests

    from unlatch.transport import Transport

# https://docs.github.com/en/rest/about-the-rest-api/api-versions
_API_VERSION = "2022-11-28"
_LARGEST_PAGE = 100
# PyGithub requires one; the adapter has its own.
_TIMEOUT = 30
_NOT_MODIFIED = 304


class _Connection(HTTPRequestsConnectionClass):
    """One request of PyGithub, over our session."""

    def __init__(self, session: requests.Session, origin: str) -> None:
        # PyGithub's constructor would make a session without our adapter.
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

    Lazy: its objects send no requests by themselves.
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


class Connection:
    """One GitHub's API; threads may share it.

    Args:
        api_url: the base of all paths.
    """

    def __init__(self, api_url: str, transport: Transport) -> None:
        self._api_url = api_url
        self._prefix = urlsplit(api_url).path.rstrip("/")
        self._session = transport.session(explain)

    def ask(self, verb: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send a request; returns the JSON of the answer."""
        return self.requester().requestJsonAndCheck(verb, path, input=body)[1]

    def ask_in_full(self, path: str) -> tuple[Mapping[str, str], Any]:
        """Read; returns the headers (names in lower case) and the JSON of the answer."""
        return self.requester().requestJsonAndCheck("GET", path)

    def ask_if_changed(self, path: str, etag: str | None) -> tuple[str | None, Any]:
        """The answer's ETag and JSON; None if it still has `etag`."""
        condition = {"If-None-Match": etag} if etag else {}
        status, headers, body = self.requester().requestJson("GET", path, headers=condition)
        if etag and status == _NOT_MODIFIED:
            return etag, None
        with reading_answer(path, written=False):
            return headers.get("etag"), parse_json(body.encode())

    def list_entries(self, path: str) -> Iterator[Any]:
        """All entries of a list; pages are read on demand."""
        following: str | None = path
        for _ in each_page():
            if following is None:
                return
            headers, page = self.ask_in_full(following)
            with reading_answer(path, written=False):
                yield from page
            following = self._next_page(headers) if page else None

    def query(self, text: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """GraphQL's answer to a query, with its errors."""
        with reading():
            return self.mutate(text, variables)

    def mutate(self, text: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """GraphQL's answer to a mutation, with its errors."""
        requester = self.requester()
        body = {"query": text, "variables": dict(variables)}
        _, answer = requester.requestJsonAndCheck("POST", requester.graphql_url, input=body)
        with reading_answer("/graphql", written=False):
            return dict(answer)

    def requester(self) -> SessionRequester:
        """One for each request: PyGithub's record of its last requests is not thread-safe."""
        return SessionRequester(self._session, self._api_url)

    def _next_page(self, headers: Mapping[str, str]) -> str | None:
        """The next page as a path below the API's address, on our own host.

        GitHub's own address in answers may differ from that of a proxy or gateway; and no answer
        may name another host.
        """
        for link in parse_header_links(headers.get("link", "")):
            if link.get("rel") == "next":
                parts = urlsplit(link["url"])
                return f"{parts.path.removeprefix(self._prefix)}?{parts.query}"
        return None


class Account:
    """The token's account.

    Args:
        known: the account, after the first request for it.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.known: Identity | None = None

    def identity(self) -> Identity:
        """The account; asked once.

        Raises:
            Unauthorised: `unauthorized`, GitHub does not accept the token.
            Transient: GitHub cannot be asked now.
        """
        if self.known is None:
            self.known = self._ask()
        return self.known

    def _ask(self) -> Identity:
        try:
            headers, answer = self._connection.ask_in_full(paths.USER)
        except Forbidden:
            # An installation is no user, but GraphQL names its bot.
            return Identity(self._viewer(), is_app=True)
        with reading_answer(paths.USER, written=False):
            return Identity(str(answer["login"]), scopes=read_scopes(headers))

    def _viewer(self) -> str | None:
        try:
            return str(self._connection.query(VIEWER, {})["data"]["viewer"]["login"])
        except Transient:
            raise
        except (TrackerError, KeyError, TypeError):
            return None


# With the version of the kept fields.
_NAME = "issue-5"
_MOST = 1_000
# Without bodies, which may be confidential; of these only the check boxes of unlatch's sections.
_KEPT = (
    "number",
    "html_url",
    "title",
    "state",
    "state_reason",
    "type",
    "updated_at",
    "created_at",
    "closed_at",
    "pull_request",
    "locked",
)


@dataclass(frozen=True, slots=True)
class CachedIssue:
    """GitHub's answer with this `etag`."""

    etag: str
    issue: dict[str, Any]


class Etags:
    """One file for each address."""

    def __init__(self, folder: Path) -> None:
        self._cache = Cache(folder / "issues", most=_MOST)

    def of(self, url: str) -> CachedIssue | None:
        """The cached answer for an address."""
        kept = self._cache.get(_NAME, url)
        return CachedIssue(*kept) if kept else None

    def keep(self, url: str, etag: str, issue: dict[str, Any]) -> None:
        """Replace the cached answer."""
        self._cache.put(_NAME, url, value=[etag, _slim(issue)])


def _slim(issue: dict[str, Any]) -> dict[str, Any]:
    milestone, closer = issue.get("milestone"), issue.get("closed_by")
    kept = kept_parts(issue.get("body") or "")
    return {
        **{key: issue[key] for key in _KEPT if key in issue},
        KEPT: {part.increment: [[c.text, c.done] for c in part.checks] for part in kept},
        "labels": [{"name": label["name"]} for label in issue.get("labels") or ()],
        "assignees": [{"login": login} for login in assignees_in(issue)],
        "closed_by": closer and {"login": closer["login"]},
        "milestone": milestone and {key: milestone[key] for key in ("number", "title", "state")},
    }
