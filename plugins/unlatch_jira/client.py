"""The `jira` SDK over our transport.

The SDK gets no credential, sends no request of its own accord and tries nothing again: the
transport does all of that. What it has no call for goes through its own session and addresses.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from jira import JIRA
from pydantic import BaseModel

from unlatch.errors import NotFound, Unauthorised, UnknownOutcome
from unlatch_jira.answers import (
    Comment,
    CommentPage,
    Found,
    Issue,
    Move,
    Moves,
    is_whole,
    parse,
    read_issue,
)
from unlatch_jira.errors import SCOPE_MISSING, explain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.transport import Transport
    from unlatch_jira.settings import JiraSettings

_Model = TypeVar("_Model", bound=BaseModel)

_FIELDS = ("summary", "status", "issuetype", "labels", "assignee", "resolution", "updated")
_MOVES = "transitions,transitions.fields"
_PAGE = 100


class JiraClient:
    """The requests that the plugin makes, each one a method."""

    def __init__(self, settings: JiraSettings, transport: Transport) -> None:
        self._settings = settings
        self._jira = JIRA(
            options={"server": settings.site, "rest_api_version": str(settings.version)},
            get_server_info=False,
            max_retries=0,
            timeout=(5, 30),
        )
        # The SDK lacks calls, and its session is all that it offers instead.
        self._session = self._jira._session  # noqa: SLF001
        self._url = self._jira._get_url  # noqa: SLF001
        transport.mount(self._session, explain)

    @property
    def is_cloud(self) -> bool:
        """Whether the site is Jira Cloud."""
        return self._settings.is_cloud

    def issue(self, key: str, *fields: str, moves: bool = False) -> Issue:
        """An issue, with the transitions that may be taken now if asked for.

        Raises:
            Unauthorised: Jira took the credential for nobody's, and so showed nothing.
            NotFound: it is gone, or hidden from this credential.
        """
        wanted = ",".join((*_FIELDS, *fields))
        try:
            found = self._jira.issue(key, fields=wanted, expand=_MOVES if moves else None)
        except NotFound:
            self._refuse_anonymity()
            raise
        return read_issue(found.raw, self._settings)

    def _refuse_anonymity(self) -> None:
        # From nobody in particular Jira hides every issue, and refuses this alone.
        try:
            self._jira.myself()
        except Unauthorised as refusal:
            if refusal.id != SCOPE_MISSING:
                raise

    def moves(self, issue: Issue) -> tuple[Move, ...]:
        """The transitions that may be taken now, asked for only where the issue came without."""
        if issue.answer.transitions is not None:
            return issue.answer.transitions
        query = {"expand": "transitions.fields"}
        return self._get(Moves, f"issue/{issue.key}/transitions", query).transitions

    def values(self, key: str, fields: Iterable[str]) -> dict[str, Any]:
        """What fields hold now."""
        found = self._jira.issue(key, fields=",".join(fields)).raw.get("fields")
        return dict(found or {})

    def move(self, key: str, move: Move, fields: dict[str, Any]) -> None:
        """Take a transition. An answer does not prove that the issue moved."""
        body = {"transition": {"id": move.id}, **({"fields": fields} if fields else {})}
        self._session.post(self._url(f"issue/{key}/transitions"), data=json.dumps(body))

    def edit(self, key: str, body: dict[str, Any]) -> Issue | None:
        """Edit an issue in one request.

        Returns:
            The issue as the answer shows it; None on Data Center, and where the answer shows
            less than an issue.
        """
        asked = {"returnIssue": "true"} if self.is_cloud else {}
        answer = self._session.put(self._url(f"issue/{key}"), params=asked, data=json.dumps(body))
        raw = answer.json() if answer.content else None
        return read_issue(raw, self._settings) if isinstance(raw, dict) and is_whole(raw) else None

    def create(self, fields: dict[str, Any], properties: list[dict[str, Any]]) -> str:
        """Create an issue; returns its key."""
        body = {"fields": fields, "properties": properties}
        answer = self._session.post(self._url("issue"), data=json.dumps(body))
        key = answer.json().get("key") if answer.content else None
        if not isinstance(key, str):
            raise UnknownOutcome("unknown-outcome", "Jira did not say which issue it made")
        return key

    def comments(self, key: str) -> Iterator[Comment]:
        """All comments on an issue, each one once."""
        seen: set[str] = set()
        start = 0
        while True:
            query = {"startAt": str(start), "maxResults": str(_PAGE), "orderBy": "created"}
            page = self._get(CommentPage, f"issue/{key}/comment", query)
            yield from (one for one in page.comments if one.id not in seen)
            seen.update(one.id for one in page.comments)
            start += len(page.comments)
            if not page.comments or start >= page.total:
                return

    def comment(self, key: str, body: Any) -> Comment:
        """Post a comment by itself."""
        return parse(Comment, self._jira.add_comment(key, body).raw)

    def delete_comment(self, key: str, comment: str) -> None:
        """Delete a comment; one that is gone is no error."""
        with suppress(NotFound):
            self._session.delete(self._url(f"issue/{key}/comment/{comment}"))

    def newest(self, project: str, *, property_key: str) -> Iterator[Issue]:
        """The issues of a project, newest first, with descriptions and, on Cloud, the property."""
        query = {
            "jql": f'project = "{project}" ORDER BY created DESC',
            "fields": ",".join((*_FIELDS, "created", "description")),
            "maxResults": str(_PAGE),
        }
        pages = self._cloud_pages(query, property_key) if self.is_cloud else self._pages(query)
        for page in pages:
            for raw in page.issues:
                yield read_issue(raw, self._settings)

    def _cloud_pages(self, query: dict[str, str], property_key: str) -> Iterator[Found]:
        asked = {**query, "properties": property_key}
        while True:
            page = self._get(Found, "search/jql", asked)
            yield page
            if page.next is None:
                return
            asked["nextPageToken"] = page.next

    def _pages(self, query: dict[str, str]) -> Iterator[Found]:
        start = 0
        while True:
            page = self._get(Found, "search", {**query, "startAt": str(start)})
            yield page
            start += len(page.issues)
            if not page.issues or start >= page.total:
                return

    def _get(self, model: type[_Model], path: str, query: dict[str, str]) -> _Model:
        return parse(model, self._session.get(self._url(path), params=query).json())
