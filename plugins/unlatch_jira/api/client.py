"""Requests about issues, over the SDK."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from unlatch.errors import Forbidden, NotFound, Rejected, UnknownOutcome
from unlatch.transport import each_page
from unlatch_jira.api.comments import Comment, CommentPage
from unlatch_jira.api.json_model import parse
from unlatch_jira.api.models import Issue, read_issue
from unlatch_jira.api.transitions import named, offered_among
from unlatch_jira.api.workflow_models import ScreenField, Transition, TransitionsAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from unlatch.spi import Goal
    from unlatch_jira.api.connection import JiraConnection
    from unlatch_jira.api.edit import Edit
    from unlatch_jira.api.list_models import ChangelogAnswer, IssueList
    from unlatch_jira.settings import JiraSettings

# The largest page of issues, comments or users that Jira returns.
PAGE = 100
_FIELDS = (
    *("summary", "status", "issuetype", "labels", "assignee", "resolution", "updated"),
    *("created", "statuscategorychangedate", "resolutiondate"),
)
_MOVES = "transitions,transitions.fields"


class JiraClient:
    """Requests about issues."""

    def __init__(self, settings: JiraSettings, wire: JiraConnection) -> None:
        self._settings = settings
        self._wire = wire
        self.is_cloud = settings.is_cloud

    def issue(
        self, key: str, *fields: str, moves: bool = False, property_key: str | None = None
    ) -> Issue:
        """Read an issue, with `moves` also its present transitions, and a named property.

        Raises:
            Unauthorised: Jira treated the request as anonymous.
            NotFound: it is gone, or hidden from this credential.
        """
        wanted = ",".join((*_FIELDS, *fields))
        try:
            answer = self._wire.issue(
                key, wanted, expand=_MOVES if moves else None, properties=property_key
            )
        except NotFound:
            self.refuse_anonymity()
            raise
        return read_issue(answer, self._settings)

    def issue_after(
        self, key: str, *fields: str, is_shown: Callable[[Issue], bool], moves: bool = False
    ) -> Issue:
        """Read an issue after a write, a few times if it does not show the write at once."""
        return self._wire.read_until(lambda: self.issue(key, *fields, moves=moves), is_shown)

    def mover(self, key: str) -> str | None:
        """The person who last changed an issue's status; None if Jira does not show it."""
        return self.changelog(key).mover

    def changelog(self, key: str) -> ChangelogAnswer:
        """The latest changes of an issue."""
        from unlatch_jira.api import list_models as answers  # noqa: PLC0415  (rarely needed)

        return parse(answers.ChangelogAnswer, self._wire.issue(key, "status", expand="changelog"))

    def many(
        self, keys: Sequence[str], fields: Sequence[str], *, moves: bool = False
    ) -> dict[str, Issue]:
        """Read issues by their present keys (Cloud only), up to a hundred in one request.

        A deleted or hidden issue is missing; a moved one has another key. With `moves` also their
        present transitions, as far as the answer has them with their screens: Jira documents the
        expansion of screens only for other requests.
        """
        from unlatch_jira.api import list_models as answers  # noqa: PLC0415  (rarely needed)

        body = {
            "issueIdsOrKeys": list(keys),
            "fields": [*_FIELDS, *fields],
            **({"expand": _MOVES.split(",")} if moves else {}),
        }
        raw_issues = self._wire.query(answers.IssueList, "issue/bulkfetch", body).issues
        issues = (read_issue(raw, self._settings).without_doubtful_moves() for raw in raw_issues)
        return {issue.key: issue for issue in issues}

    def refuse_anonymity(self) -> None:
        """Check that a 404 is not Jira's answer to an anonymous request.

        Raises:
            Unauthorised: Jira did not accept the credential.
        """
        # Jira hides every issue from anonymous requests, but refuses only this one.
        with suppress(Forbidden):
            self._wire.jira.myself()

    def moves(self, issue: Issue) -> tuple[Transition, ...]:
        """The present transitions; requests them if the issue lacks them."""
        if issue.answer.transitions is not None:
            return issue.answer.transitions
        query = {"expand": "transitions.fields"}
        return self._wire.get(
            TransitionsAnswer, f"issue/{issue.key}/transitions", query
        ).transitions

    def find_transition(self, issue: Issue, word: str, goal: Goal | None = None) -> Transition:
        """The transition for a step of a known path; with a `goal`, for its last step.

        Raises:
            Rejected: `no-transition`, `transition-not-offered` or `transition-ambiguous`.
        """
        return named(offered_among(self.moves(issue)), word, goal)

    def values(self, key: str, fields: Iterable[str]) -> dict[str, Any]:
        """The current values of fields."""
        return dict(self._wire.issue(key, ",".join(fields)).get("fields") or {})

    def move(
        self,
        issue: Issue,
        move: Transition,
        fields: Mapping[str, Any],
        properties: Sequence[Mapping[str, Any]] = (),
        comment: Any = None,
    ) -> None:
        """Take a transition. A success proves neither that the issue moved, nor its comment."""
        update = {"comment": [{"add": {"body": comment}}]}
        body = {
            "transition": {"id": move.id},
            **({"fields": dict(fields)} if fields else {}),
            **({"update": update} if comment is not None else {}),
            **({"properties": [dict(entry) for entry in properties]} if properties else {}),
        }
        self._wire.send("POST", f"issue/{issue.key}/transitions", body)

    def edit(self, issue: Issue, edit: Edit) -> Issue | None:
        """Edit an issue in one request.

        Returns:
            The issue in the answer; None on Data Center, and if the answer is incomplete.
        """
        query = {"returnIssue": "true"} if self.is_cloud else {}
        query |= {"notifyUsers": "false"} if edit.is_silent else {}
        raw = self._wire.send("PUT", f"issue/{issue.key}", edit.body(), query)
        fields = raw.get("fields") if raw else None
        if not isinstance(fields, dict) or not {"summary", "status", "labels"} <= fields.keys():
            return None
        # Jira accepted the edit, even if its answer is unreadable.
        with suppress(Rejected):
            return read_issue(raw, self._settings)
        return None

    def create(self, fields: dict[str, Any], properties: list[dict[str, Any]]) -> str:
        """Create an issue; returns its key."""
        answer = self._wire.send("POST", "issue", {"fields": fields, "properties": properties})
        key = (answer or {}).get("key")
        if not isinstance(key, str):
            raise UnknownOutcome("unknown-outcome", "Jira did not say which issue it made")
        return key

    def create_screen(self, project: str, kind: str) -> dict[str, ScreenField]:
        """The fields of new issues of a type in a project, by their ids.

        Source: https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues (Get
        create field metadata), on Data Center since 8.4.
        """
        from unlatch_jira.api import list_models as answers  # noqa: PLC0415  (rarely needed)

        types = f"issue/createmeta/{project}/issuetypes"
        ids: dict[str, str] = self._pages_of(answers.CreateTypes, types)
        return self._pages_of(answers.CreateFields, f"{types}/{ids.get(kind.casefold(), kind)}")

    def _pages_of(self, model: Callable[[Any], Any], path: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        start = 0
        for _ in each_page():
            page = self._wire.get(model, path, {"startAt": str(start), "maxResults": str(PAGE)})
            values |= page.values
            start += page.size
            if not page.size or start >= page.total:
                break
        return values

    def comments(self, key: str) -> Iterator[Comment]:
        """All comments on an issue, without duplicates.

        `comments()` of the library reads one page (findings/jira-comments-page.sh).
        """
        seen: set[str] = set()
        start = 0
        for _ in each_page():
            query = {"startAt": str(start), "maxResults": str(PAGE), "orderBy": "created"}
            page = self._wire.get(CommentPage, f"issue/{key}/comment", query)
            yield from (comment for comment in page.comments if comment.id not in seen)
            seen.update(comment.id for comment in page.comments)
            start += len(page.comments)
            if not page.comments or start >= page.total:
                return

    def newest_comments(self, key: str) -> Iterator[Comment]:
        """The comments on an issue, newest first, a hundred per request."""
        start = 0
        for _ in each_page():
            query = {"startAt": str(start), "maxResults": str(PAGE), "orderBy": "-created"}
            page = self._wire.get(CommentPage, f"issue/{key}/comment", query)
            yield from page.comments
            start += len(page.comments)
            if not page.comments or start >= page.total:
                return

    def find_comment(self, key: str, comment: str) -> Comment | None:
        """A comment by its id; None if the issue has none that the account may see."""
        try:
            return self._wire.get(Comment, f"issue/{key}/comment/{comment}")
        except NotFound:
            self.refuse_anonymity()
            return None

    def with_changelog(self, key: str) -> tuple[Issue, ChangelogAnswer, dict[str, Any]]:
        """An issue with its latest changes, and its fields that name people."""
        from unlatch_jira.api import list_models as answers  # noqa: PLC0415  (rarely needed)

        wanted = ",".join((*_FIELDS, "reporter"))
        answer = self._wire.issue(key, wanted, expand="changelog")
        issue = read_issue(answer, self._settings)
        return issue, parse(answers.ChangelogAnswer, answer), issue.answer.fields.raw

    def commented_since(self, project: str, minutes: int) -> Iterator[Issue]:
        """The issues of a project that changed in the last minutes, with their comments."""
        jql = f'project = "{project}" AND updated >= "-{minutes}m" ORDER BY updated ASC'
        fields = ",".join((*_FIELDS, "comment"))
        query = {"jql": jql, "fields": fields, "maxResults": str(PAGE)}
        for page in self._cloud_pages(query) if self.is_cloud else self._pages(query):
            for raw in page.issues:
                yield read_issue(raw, self._settings)

    def comment(self, key: str, body: Any, extras: Mapping[str, Any]) -> Comment:
        """Post a comment.

        Args:
            extras: its other members, as who may see it.

        Raises:
            UnknownOutcome: the answer does not show a comment.
        """
        answer = self._wire.send("POST", f"issue/{key}/comment", {"body": body, **extras})
        try:
            return parse(Comment, answer)
        except Rejected as refusal:
            raise UnknownOutcome("unknown-outcome", refusal.message) from refusal

    def delete_comment(self, key: str, comment: str) -> None:
        """Delete a comment; a missing one is no error."""
        with suppress(NotFound):
            self._wire.send("DELETE", f"issue/{key}/comment/{comment}")

    def newest(self, project: str, *, property_key: str | None = None) -> Iterator[Issue]:
        """The issues of a project, newest first, with descriptions and, on Cloud, the property."""
        query = {
            "jql": f'project = "{project}" ORDER BY created DESC',
            "fields": ",".join((*_FIELDS, "description")),
            "maxResults": str(PAGE),
        }
        pages = self._cloud_pages(query, property_key) if self.is_cloud else self._pages(query)
        for page in pages:
            for raw in page.issues:
                yield read_issue(raw, self._settings)

    def matching(self, jql: str) -> Iterator[str]:
        """The keys of the issues in a search, which may lag behind by seconds."""
        query = {"jql": jql, "fields": "summary", "maxResults": str(PAGE)}
        for page in self._cloud_pages(query) if self.is_cloud else self._pages(query):
            for raw in page.issues:
                if isinstance(raw.get("key"), str):
                    yield raw["key"]

    def _cloud_pages(
        self, query: dict[str, str], property_key: str | None = None
    ) -> Iterator[IssueList]:
        from unlatch_jira.api import list_models as answers  # noqa: PLC0415  (rarely needed)

        asked = {**query, **({"properties": property_key} if property_key else {})}
        for _ in each_page():
            page = self._wire.get(answers.IssueList, "search/jql", asked)
            yield page
            if page.next is None:
                return
            asked["nextPageToken"] = page.next

    def _pages(self, query: dict[str, str]) -> Iterator[IssueList]:
        from unlatch_jira.api import list_models as answers  # noqa: PLC0415  (rarely needed)

        start = 0
        for _ in each_page():
            page = self._wire.get(answers.IssueList, "search", {**query, "startAt": str(start)})
            yield page
            start += len(page.issues)
            if not page.issues or start >= page.total:
                return
