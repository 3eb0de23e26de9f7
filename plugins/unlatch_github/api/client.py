"""Requests about issues and their repositories, with the answers as models."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from unlatch.errors import NotFound, Redirected
from unlatch.spi import ops_in
from unlatch_github.api import paths
from unlatch_github.api.connection import Account, Connection, Etags
from unlatch_github.api.error_table import Elsewhere
from unlatch_github.api.graphql import LAST_CLOSE, SET_STATUS, STANDING
from unlatch_github.api.models import (
    IssueComment,
    IssueSnapshot,
    Milestone,
    is_pull_request,
    issue_place,
    issue_snapshot,
    read_comment,
    read_milestone,
    read_state_change,
    reading_answer,
)
from unlatch_github.api.moved import Renames, follow_redirect, moved, not_visible, renamed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from unlatch.spi import CommentRef, ItemRef, RemoteItem, StateChange
    from unlatch.transport import Transport
    from unlatch_github.settings import GithubSettings

_PAGE = "per_page=100"


class Client:
    """Requests to one GitHub; threads may share it.

    An issue is always read again by its path: PyGithub's objects send further requests for missing
    fields, and keep old raw data after a change (findings/pygithub-old-data.sh).
    """

    def __init__(self, settings: GithubSettings, transport: Transport) -> None:
        self.settings = settings
        self._connection = Connection(settings.api_url, transport)
        self._ask = self._connection.ask
        self.query = self._connection.query
        self._etags = Etags(transport.cache)
        self._renames = Renames(settings, partial(self._ask, "GET"))
        self.account = Account(self._connection)
        self.identity = self.account.identity

    # Issues

    def read(self, ref: ItemRef) -> IssueSnapshot:
        """Read an issue.

        Raises:
            Rejected: `not-an-issue`, for the number of a pull request.
            Moved: it was moved.
        """
        return self._served(ref, self._read)

    def look(self, ref: ItemRef) -> IssueSnapshot:
        """Read an issue, perhaps without its body; an unchanged one costs no quota.

        Raises:
            Rejected: `not-an-issue`, for the number of a pull request.
            Moved: it was moved.
        """
        return self._served(ref, self._look)

    def _read(self, ref: ItemRef) -> IssueSnapshot:
        return self.found(self._ask("GET", paths.issue_path(ref)), ref, written=False)

    def _look(self, ref: ItemRef) -> IssueSnapshot:
        path = paths.issue_path(ref)
        url = f"{self.settings.api_url}{path}"
        kept = self._etags.of(url)
        etag, answer = self._connection.ask_if_changed(path, kept.etag if kept else None)
        if kept and answer is None:
            return self.found(kept.issue, ref, written=False)
        issue = self.found(answer, ref, written=False)
        if etag:
            self._etags.keep(url, etag, answer)
        return issue

    def change(self, issue: IssueSnapshot, fields: Mapping[str, Any]) -> IssueSnapshot:
        """Set fields of an issue.

        Raises:
            Moved: it was moved; nothing was written.
        """
        ref = issue.item.ref
        try:
            answer = self._ask("PATCH", paths.issue_path(ref), dict(fields))
        except Redirected:
            self.read(ref)
            raise
        return self.found(answer, ref)

    def create(self, target: str, fields: Mapping[str, Any]) -> IssueSnapshot:
        """Make an issue.

        Raises:
            Rejected: `repository-moved`, the repository was renamed.
        """
        try:
            answer = self._ask("POST", paths.repository_path(target, "issues"), dict(fields))
        except Redirected:
            self._tell_new_name(target)
            raise
        with reading_answer(target):
            number = int(answer["number"])
        return self.found(answer, self.settings.ref(target, number))

    def assign(self, issue: IssueSnapshot, logins: Sequence[str]) -> IssueSnapshot:
        """Add assignees; GitHub ignores accounts that cannot be assigned."""
        ref = issue.item.ref
        answer = self._ask("POST", paths.issue_path(ref, "assignees"), {"assignees": [*logins]})
        return self.found(answer, ref)

    def list_issues(self, target: str) -> Iterator[IssueComment]:
        """A repository's issues, newest first, page by page."""
        query = f"?state=all&sort=created&direction=desc&{_PAGE}"
        with reading_answer(target, written=False), self._explaining_rename(target):
            for answer in self._connection.list_entries(
                paths.repository_path(target, "issues") + query
            ):
                if not is_pull_request(answer):
                    yield read_comment(answer, id="number")

    # Comments and labels

    def comments(self, ref: ItemRef) -> Iterator[IssueComment]:
        """An issue's comments, oldest first."""
        with reading_answer(self.settings.name(ref), written=False):
            yield from map(read_comment, self._entries(ref, "comments"))

    def new_comments(self, target: str, since: datetime) -> Iterator[IssueComment]:
        """The comments on a repository's issues and pull requests since a time, oldest first.

        GitHub lists those on the code of pull requests elsewhere.
        """
        stamp = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        query = f"?since={stamp}&sort=created&direction=asc&{_PAGE}"
        path = paths.repository_path(self._renames.place(target), "issues", "comments")
        with reading_answer(target, written=False), self._explaining_rename(target):
            yield from map(read_comment, self._connection.list_entries(path + query))

    def comment_of(self, target: str, comment: str) -> dict[str, Any]:
        """A comment by its id in a repository."""
        place = self._renames.place(target)
        answer = self._ask("GET", paths.comment_path(place, comment))
        with reading_answer(target, written=False):
            return dict(answer)

    def react(self, target: str, comment: str, content: str) -> None:
        """React to a comment; a reaction that is there already stays the only one.

        https://docs.github.com/en/rest/reactions/reactions
        """
        place = self._renames.place(target)
        self._ask("POST", paths.comment_path(place, comment, "reactions"), {"content": content})

    def state_changes(self, ref: ItemRef) -> Iterator[StateChange]:
        """An issue's closes and reopens, oldest first."""
        with reading_answer(self.settings.name(ref), written=False):
            yield from filter(None, map(read_state_change, self._entries(ref, "events")))

    def comment(self, ref: ItemRef, body: str) -> tuple[str, str | None]:
        """Post a comment; its id, and the login of its author.

        Raises:
            UnknownOutcome: the answer does not show the comment with its markers.
        """
        path = paths.issue_path(self._renames.ref(ref), "comments")
        answer = self._ask("POST", path, {"body": body})
        with reading_answer(self.settings.name(ref)):
            post = read_comment(answer)
            if not ops_in(body) <= post.ops:
                raise ValueError("another comment")
            return str(post.id), post.author.login

    def delete_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        """Delete a comment."""
        place = self._renames.place(ref.target)
        self._ask("DELETE", paths.repository_path(place, "issues", "comments", comment.id))

    def add_labels(self, item: RemoteItem, names: Sequence[str]) -> tuple[str, ...]:
        """Add at least one label; returns all labels of the issue."""
        path = paths.issue_path(item.ref, "labels")
        return self._labels(item.ref, self._ask("POST", path, {"labels": [*names]}))

    def remove_label(self, item: RemoteItem, name: str) -> tuple[str, ...]:
        """Remove a label; returns all remaining labels."""
        try:
            answer = self._ask("DELETE", paths.issue_path(item.ref, "labels", name))
        except NotFound as error:
            if error.id != "item-not-found":
                raise
            # The label is already gone, or the account may not do this: a read decides.
            return self._labels_now(item.ref)
        return self._labels(item.ref, answer)

    def _labels_now(self, ref: ItemRef) -> tuple[str, ...]:
        return self._labels(ref, self._entries(ref, "labels"))

    def _labels(self, ref: ItemRef, answer: Any) -> tuple[str, ...]:
        with reading_answer(self.settings.name(ref)):
            return tuple(str(label["name"]) for label in answer)

    # Repositories

    def milestones(self, target: str) -> tuple[Milestone, ...]:
        """A repository's milestones, closed ones included."""
        path = f"{paths.repository_path(target, 'milestones')}?state=all&{_PAGE}"
        with reading_answer(target, written=False), self._explaining_rename(target):
            return tuple(map(read_milestone, self._connection.list_entries(path)))

    def has_label(self, target: str, name: str) -> bool:
        """Whether a repository has a label."""
        with self._explaining_rename(target):
            try:
                self._ask("GET", paths.repository_path(target, "labels", name))
            except NotFound:
                return False
        return True

    def repository(self, target: str) -> dict[str, Any]:
        """A repository, also one that its owner renamed."""
        with self._explaining_rename(target):
            try:
                answer = self._ask("GET", paths.repository_path(self._renames.place(target)))
            except Elsewhere:
                if not self._renames.follow(target):
                    raise
                answer = self._ask("GET", paths.repository_path(self._renames.place(target)))
        with reading_answer(target, written=False):
            return dict(answer)

    def list_one(self, target: str) -> None:
        """Read one issue of a repository, to check the permission."""
        place = self._renames.place(target)
        self._ask("GET", f"{paths.repository_path(place, 'issues')}?per_page=1")

    def permission(self, target: str, login: str) -> tuple[str, str]:
        """An account's base role in a repository ("admin", "write", "read", "none"), and its role.

        https://docs.github.com/en/rest/collaborators/collaborators
        """
        place = self._renames.place(target)
        path = paths.repository_path(place, "collaborators", login, "permission")
        answer = self._ask("GET", path)
        with reading_answer(target, written=False):
            return str(answer["permission"]), str(answer.get("role_name") or "")

    def is_member(self, target: str, team: str, login: str) -> bool:
        """Whether an account is in a team of a repository's organization.

        https://docs.github.com/en/rest/teams/members
        """
        answer = self._ask("GET", paths.membership_path(target, team, login))
        with reading_answer(target, written=False):
            return bool(answer["state"] == "active")

    # GraphQL

    def standing(self, ref: ItemRef, *, changes: bool) -> dict[str, Any]:
        """GraphQL's answer about an issue's status in its projects.

        Args:
            changes: whether the status is to be changed; only then a preview asks.
        """
        return self._about(ref, STANDING)

    def set_project_status(self, ids: Mapping[str, str], option: str, _name: str) -> dict[str, Any]:
        """GraphQL's answer to a change of an item's status in a project.

        Args:
            ids: of the project, the item and the field.
            option: the id of the status.
        """
        return self._connection.mutate(SET_STATUS, {**ids, "option": option})

    def last_close(self, ref: ItemRef) -> dict[str, Any]:
        """GraphQL's answer about an issue's last close, its author and assignees."""
        return self._about(ref, LAST_CLOSE)

    def _about(self, ref: ItemRef, query: str) -> dict[str, Any]:
        owner, _, name = ref.target.partition("/")
        return self.query(query, {"owner": owner, "name": name, "number": int(ref.id)})

    # Answers and redirects

    def found(self, answer: Any, ref: ItemRef, *, written: bool = True) -> IssueSnapshot:
        """The facts of the issue `ref`."""
        name = self.settings.name(ref)
        with reading_answer(name, written=written):
            return issue_snapshot(answer, ref, where=name)

    def is_renamed(self, target: str, name: str) -> bool:
        """Whether a repository was renamed to `name` by its owner."""
        return self._renames.learn(target, name)

    def present_name(self, target: str) -> str | None:
        """The configured repository that its owner renamed from this name."""
        return self._renames.home_of(target)

    def _served(self, ref: ItemRef, read: Callable[[ItemRef], IssueSnapshot]) -> IssueSnapshot:
        """Read an issue, also in a repository that was renamed.

        Raises:
            Moved: for any other redirect, with the web address of its target, as links need it.
        """
        ref = self._renames.ref(ref)
        try:
            return read(ref)
        except Elsewhere as elsewhere:
            try:
                target, number = issue_place(follow_redirect(elsewhere, partial(self._ask, "GET")))
            except (KeyError, TypeError, ValueError):
                raise not_visible(elsewhere) from elsewhere
            if number != int(ref.id) or not self.is_renamed(ref.target, target):
                raise moved(self.settings, ref, target, number) from elsewhere
            return read(self._renames.ref(ref))

    def _entries(self, ref: ItemRef, part: str) -> list[Any]:
        """All entries of a list of an issue; raises Moved for a transferred one."""
        ref = self._renames.ref(ref)
        try:
            return [*self._connection.list_entries(f"{paths.issue_path(ref, part)}?{_PAGE}")]
        except NotFound:
            # The old address of a transferred issue has none.
            now = self.read(ref).item.ref
            if now == ref:
                raise
            return [*self._connection.list_entries(f"{paths.issue_path(now, part)}?{_PAGE}")]

    @contextmanager
    def _explaining_rename(self, target: str) -> Iterator[None]:
        try:
            yield
        except Elsewhere as elsewhere:
            self._tell_new_name(target)
            raise not_visible(elsewhere) from elsewhere

    def _tell_new_name(self, target: str) -> None:
        if name := self._renames.find(target):
            raise renamed(target, name) from None
