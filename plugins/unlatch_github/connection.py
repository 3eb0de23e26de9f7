"""Requests to one GitHub's API and its answers as JSON, by PyGithub's requester."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from requests.utils import parse_header_links

from unlatch.transport import each_page, reading
from unlatch_github._requester import SessionRequester
from unlatch_github.errors import explain
from unlatch_github.reading import understood

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from unlatch.transport import Transport

_NOT_MODIFIED = 304


class Connection:
    """One GitHub's API; threads may share it.

    Args:
        api_url: the address that all paths are below.
    """

    def __init__(self, api_url: str, transport: Transport) -> None:
        self.api_url = api_url
        self._session = transport.session(explain)

    def ask(
        self, verb: str, path: str, body: dict[str, Any] | None = None
    ) -> tuple[Mapping[str, str], Any]:
        """The headers of the answer, by their names in lower case, and its JSON."""
        headers, answer = self.requester().requestJsonAndCheck(verb, path, input=body)
        return headers, answer

    def ask_if_changed(self, path: str, etag: str | None) -> tuple[str | None, Any]:
        """The answer's ETag and its JSON; None for an answer that still has `etag`."""
        condition = {"If-None-Match": etag} if etag else {}
        status, headers, body = self.requester().requestJson("GET", path, headers=condition)
        if etag and status == _NOT_MODIFIED:
            return etag, None
        with understood(path, written=False):
            return headers.get("etag"), json.loads(body)

    def listed(self, path: str) -> Iterator[Any]:
        """All entries of a list, page by page, as they are asked for."""
        following: str | None = path
        for _ in each_page():
            if following is None:
                return
            headers, page = self.ask("GET", following)
            with understood(path, written=False):
                yield from page
            following = _next_page(headers) if page else None

    def query(self, text: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """GraphQL's answer to a query, with whatever errors it holds."""
        requester = self.requester()
        body = {"query": text, "variables": dict(variables)}
        with reading():
            _, answer = requester.requestJsonAndCheck("POST", requester.graphql_url, input=body)
        with understood("/graphql", written=False):
            return dict(answer)

    def requester(self) -> SessionRequester:
        """One for each request: PyGithub's notes on its last requests are not made for threads."""
        return SessionRequester(self._session, self.api_url)


def _next_page(headers: Mapping[str, str]) -> str | None:
    links = parse_header_links(headers.get("link", ""))
    return next((link["url"] for link in links if link.get("rel") == "next"), None)
