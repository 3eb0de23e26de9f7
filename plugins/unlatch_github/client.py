"""The requests to one GitHub, by PyGithub's requester, their answers as models."""

from __future__ import annotations

import json
from contextlib import contextmanager
from datetime import UTC
from typing import TYPE_CHECKING, Any

from github.GithubObject import NotSet
from github.IssueComment import IssueComment
from github.Repository import Repository

from unlatch.errors import NotFound, Rejected, TrackerError
from unlatch.spi import CommentRef, Goal, ItemRef
from unlatch.transport import reading
from unlatch_github import paths
from unlatch_github._requester import SessionRequester
from unlatch_github.elsewhere import answer_at, moved, renamed, unseen
from unlatch_github.errors import Elsewhere, explain
from unlatch_github.etags import Etags
from unlatch_github.reading import (
    Found,
    Milestone,
    facts_of,
    issue_in,
    milestone_in,
    place_of,
    present,
    understood,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from unlatch.transport import Transport
    from unlatch_github.settings import GithubSettings

STATES = {
    Goal.OPEN: ("open", "reopened"),
    Goal.COMPLETED: ("closed", "completed"),
    Goal.NOT_PLANNED: ("closed", "not_planned"),
}
_NOT_MODIFIED = 304
_MOST_PAGES = 10


class Client:
    """The requests to one GitHub; threads may share it.

    An issue is always asked for anew by its path: PyGithub's objects complete themselves by further
    requests when a field is read that an answer lacked, and keep the raw data of before a change.
    """

    def __init__(self, settings: GithubSettings, transport: Transport) -> None:
        self.settings = settings
        self._session = transport.session(explain)
        self._etags = Etags(transport.cache)

    def read(self, ref: ItemRef) -> Found:
        """Read an issue.

        Raises:
            Rejected: `not-an-issue`, for the number of a pull request.
            Moved: it lies elsewhere by now.
        """
        with self._followed(ref):
            _, answer = self._ask("GET", paths.issue_path(ref))
        return self.found(answer, ref, written=False)

    def look(self, ref: ItemRef) -> Found:
        """Read an issue without its body; one that is unchanged costs no quota.

        Raises:
            Rejected: `not-an-issue`, for the number of a pull request.
            Moved: it lies elsewhere by now.
        """
        path = paths.issue_path(ref)
        url = f"{self.settings.api_url}{path}"
        kept = self._etags.of(url)
        condition = {"If-None-Match": kept.etag} if kept else {}
        with self._followed(ref):
            status, headers, body = self._requester().requestJson("GET", path, headers=condition)
        if kept and status == _NOT_MODIFIED:
            return self.found(kept.issue, ref, written=False)
        with understood(self.settings.name(ref), written=False):
            answer = json.loads(body)
        found = self.found(answer, ref, written=False)
        if etag := headers.get("etag"):
            self._etags.keep(url, etag, answer)
        return found

    def change(self, ref: ItemRef, fields: Mapping[str, Any]) -> Found:
        """Set some of an issue's fields."""
        _, answer = self._ask("PATCH", paths.issue_path(ref), dict(fields))
        return self.found(answer, ref)

    def create(self, target: str, fields: Mapping[str, Any]) -> Found:
        """Make an issue.

        Raises:
            Rejected: `repository-moved`, the repository has another name by now.
        """
        try:
            _, answer = self._ask("POST", paths.issues_path(target), dict(fields))
        except Rejected as error:
            if error.id == "redirected-write":
                self._tell_new_name(target)
            raise
        with understood(target):
            number = int(answer["number"])
        return self.found(answer, self.settings.ref(target, number))

    def assign(self, ref: ItemRef, logins: Sequence[str]) -> Found:
        """Assign an issue to further people; whom GitHub does not know there it leaves out."""
        _, answer = self._ask("POST", paths.assignees_path(ref), {"assignees": [*logins]})
        return self.found(answer, ref)

    def comment(self, ref: ItemRef, body: str) -> None:
        """Post a comment."""
        _, answer = self._ask("POST", paths.comments_path(ref), {"body": body})
        with understood(self.settings.name(ref)):
            present(answer["id"])

    def add_labels(self, ref: ItemRef, names: Sequence[str]) -> tuple[str, ...]:
        """Add labels, at least one; GitHub's answer is all labels that the issue has then."""
        # PyGithub's own call drops the answer.
        return self._labels("POST", ref, paths.labels_path(ref), {"labels": [*names]})

    def remove_label(self, ref: ItemRef, name: str) -> tuple[str, ...] | None:
        """Remove a label; None if the issue did not have it, else all that it has left."""
        # PyGithub's own call drops the answer, and takes a slash in a name for a path's.
        try:
            return self._labels("DELETE", ref, paths.label_path(ref, name))
        except NotFound as error:
            if error.id != "item-not-found":
                raise
            return None

    def comments(self, ref: ItemRef, since: datetime) -> Iterator[tuple[CommentRef, str]]:
        """The comments changed since then and their texts, oldest first, page by page."""
        issue = self._repository(ref.target).get_issue(int(ref.id))
        with understood(self.settings.name(ref), written=False), self._explored(ref):
            for comment in issue.get_comments(since.astimezone(UTC)):
                found = CommentRef(str(present(comment.id)), present(comment.created_at))
                yield found, comment.body or ""

    def delete_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        """Delete a comment."""
        url = f"/repos/{ref.target}/issues/comments/{comment.id}"
        IssueComment(self._requester(), url=url).delete()

    def created(self, target: str, since: datetime | None) -> Iterator[tuple[ItemRef, str, str]]:
        """The issues created since then, their titles and bodies, newest first, page by page."""
        limit = NotSet if since is None else since.astimezone(UTC)
        newest = self._repository(target).get_issues(
            state="all", sort="created", direction="desc", since=limit
        )
        with understood(target, written=False), self._renamed(target):
            for issue in newest:
                if since is not None and present(issue.created_at) < since:
                    return
                # Nothing but what a listed issue always has is read here: PyGithub would send a
                # request for each issue that lacks a field.
                if not _is_pull_request(issue.html_url or ""):
                    ref = self.settings.ref(target, present(issue.number))
                    yield ref, issue.title or "", issue.body or ""

    def milestones(self, target: str) -> tuple[Milestone, ...]:
        """A repository's milestones, closed ones too."""
        found: list[Milestone] = []
        for page in range(1, _MOST_PAGES + 1):
            query = f"?state=all&per_page=100&page={page}"
            with self._renamed(target):
                headers, answer = self._ask("GET", paths.milestones_path(target) + query)
            with understood(target, written=False):
                found += map(milestone_in, answer)
            if 'rel="next"' not in headers.get("link", ""):
                break
        return tuple(found)

    def repository(self, target: str) -> tuple[Mapping[str, str], dict[str, Any]]:
        """A repository, and the headers of the answer, by their names in lower case."""
        with self._renamed(target):
            headers, answer = self._ask("GET", paths.repository_path(target))
        with understood(target, written=False):
            return headers, dict(answer)

    def list_one(self, target: str) -> None:
        """Read the first of a repository's issues, to see whether they may be read."""
        self._ask("GET", f"{paths.issues_path(target)}?per_page=1")

    def login(self) -> tuple[Mapping[str, str], str]:
        """Who the token belongs to, and the headers of the answer."""
        headers, answer = self._ask("GET", paths.USER)
        with understood(paths.USER, written=False):
            return headers, str(answer["login"])

    def query(self, text: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """GraphQL's answer to a query, with whatever errors it holds."""
        requester = self._requester()
        body = {"query": text, "variables": dict(variables)}
        with reading():
            _, answer = requester.requestJsonAndCheck("POST", requester.graphql_url, input=body)
        with understood("/graphql", written=False):
            return dict(answer)

    def found(self, answer: Any, ref: ItemRef, *, written: bool = True) -> Found:
        """What an answer says of the issue that was asked for."""
        name = self.settings.name(ref)
        with understood(name, written=written):
            return facts_of(issue_in(answer, self._requester()), ref, where=name)

    def _labels(
        self, verb: str, ref: ItemRef, path: str, body: dict[str, Any] | None = None
    ) -> tuple[str, ...]:
        _, answer = self._ask(verb, path, body)
        with understood(self.settings.name(ref)):
            return tuple(str(label["name"]) for label in answer)

    @contextmanager
    def _followed(self, ref: ItemRef) -> Iterator[None]:
        """Where a redirect leads is told by its web address, which is what links are made of."""
        try:
            yield
        except Elsewhere as elsewhere:
            try:
                target, number = place_of(answer_at(elsewhere, self._get))
            except (KeyError, TypeError, ValueError):
                raise unseen(elsewhere) from elsewhere
            raise moved(self.settings, ref, target, number) from elsewhere

    @contextmanager
    def _explored(self, ref: ItemRef) -> Iterator[None]:
        """What belongs to a transferred issue is missing at its old place, with no word of why."""
        try:
            yield
        except NotFound:
            self.read(ref)
            raise

    @contextmanager
    def _renamed(self, target: str) -> Iterator[None]:
        try:
            yield
        except Elsewhere as elsewhere:
            self._tell_new_name(target)
            raise unseen(elsewhere) from elsewhere

    def _tell_new_name(self, target: str) -> None:
        try:
            self._ask("GET", paths.repository_path(target))
        except Elsewhere as elsewhere:
            answer = answer_at(elsewhere, self._get)
            name = answer.get("full_name") if isinstance(answer, dict) else None
            if name:
                raise renamed(target, name) from None
        except TrackerError:
            return

    def _get(self, path: str) -> Any:
        return self._ask("GET", path)[1]

    def _ask(
        self, verb: str, path: str, body: dict[str, Any] | None = None
    ) -> tuple[Mapping[str, str], Any]:
        headers, answer = self._requester().requestJsonAndCheck(verb, path, input=body)
        return headers, answer

    def _repository(self, target: str) -> Repository:
        return Repository(self._requester(), url=paths.repository_path(target))

    def _requester(self) -> SessionRequester:
        # One for each call: PyGithub's notes on its last requests are not made for threads.
        return SessionRequester(self._session, self.settings.api_url)


def _is_pull_request(page: str) -> bool:
    return page.rsplit("/", 2)[-2:-1] == ["pull"]
