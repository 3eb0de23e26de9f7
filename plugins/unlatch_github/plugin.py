"""The plugin for GitHub issues."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import TYPE_CHECKING

from unlatch.errors import ConfigError, NotFound, Rejected, TrackerError
from unlatch.spi import (
    Background,
    Change,
    CommentRef,
    Draft,
    Examination,
    Goal,
    ItemHistory,
    ItemRef,
    Listed,
    MarkedComment,
    Outcome,
    PlannedRequest,
    Progress,
    RemoteItem,
    Snapshot,
    SyncPlugin,
)
from unlatch.transport.rate_limits import Pace
from unlatch_github.api.client import Client
from unlatch_github.api.models import Author, IssueSnapshot
from unlatch_github.marker_trust import Trust
from unlatch_github.write import create, write

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from unlatch.spi.history import Asked, NewComment
    from unlatch.transport import Transport
    from unlatch_github.settings import GithubSettings

# "80 content-generating requests per minute and 500 per hour", and "at least one second between
# each" of many: docs.github.com/en/rest/using-the-rest-api, rate limits and best practices.
_PACE = Pace(limits=((80, 60.0), (500, 3600.0)), apart=1.0, free=5)
_NEWEST = 1_000
_DAY = timedelta(days=1)


class GithubPlugin(SyncPlugin):
    """One GitHub.

    A reopen or close is GET, PATCH, POST comment, POST labels, and a DELETE for each label to
    remove. GitHub has no request that combines them, and no guard against changes in between.
    """

    def __init__(self, settings: GithubSettings, transport: Transport) -> None:
        self._settings = settings
        self._client = Client(settings, transport)
        self._trust = Trust(self._client)
        self._pacer = transport.pacer(_PACE, why="GitHub takes 500 comments and issues an hour")

    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        """Read an issue or a pull request; without a change, an unchanged one costs no quota.

        Raises:
            Rejected: `pull-request-merged`: the change opens it.
        """
        issue = self._client.look(ref) if change is None else self._client.read(ref)
        snapshot = self._snapshot(issue, change)
        if isinstance(snapshot, TrackerError):
            raise snapshot
        return snapshot

    def _snapshot(self, issue: IssueSnapshot, change: Change | None) -> Snapshot | TrackerError:
        opens = change is not None and change.goal is Goal.OPEN
        if opens and issue.pull and issue.pull.is_merged:
            return Rejected(
                "pull-request-merged",
                "a merged pull request cannot be reopened",
                where=self._settings.name(issue.item.ref),
                hint="reopen the issue that it closed, or open a new pull request",
            )
        return Snapshot(issue.item, issue)

    def read_many(
        self, refs: Sequence[ItemRef], change: Change | None = None
    ) -> Mapping[ItemRef, Snapshot | TrackerError]:
        """Read many issues, a hundred with one query."""
        from unlatch_github.bulk_status import read_statuses  # noqa: PLC0415  (rarely needed)

        return {
            ref: answer if isinstance(answer, TrackerError) else self._snapshot(answer, change)
            for ref, answer in read_statuses(self._client, refs).items()
        }

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        """Set state and fields, comment, relabel."""
        with Progress(snapshot.item) as done:
            if change.comment is not None:
                # Before anything is sent, so that a long wait does not split a change.
                self._pacer.turn()
            write(self._client, self._with_body(snapshot, change), change, done)
            done.notes += self._notes_on_place(snapshot.item.ref)
        return done.outcome

    def _notes_on_place(self, ref: ItemRef) -> Iterator[str]:
        """A note about a repository that was renamed, and is not configured by its new name."""
        if not self._settings.allows(ref):
            yield (
                f"its repository was renamed to {ref.target}: replace the old name in "
                "[trackers.github]"
            )

    def create(self, change: Change) -> Outcome:
        """Create an issue in the configured repository, with all its fields."""
        target, draft = self._target(), _draft_of(change)
        self._pacer.turn()
        return create(self._client, target, draft, change)

    def plan(self, snapshot: Snapshot | None, change: Change) -> tuple[PlannedRequest, ...]:
        """The requests of a change, or without a snapshot of a create.

        Raises:
            ConfigError: an issue would be created, and no repository is configured.
        """
        from unlatch_github.preview import Preview  # noqa: PLC0415  (rarely needed)

        preview = Preview(self._client)
        if snapshot is None:
            create(preview, self._target(), _draft_of(change), change)
        else:
            preview.read(snapshot.item.ref)
            issue = self._with_body(snapshot, change)
            write(preview, issue, change, Progress(snapshot.item))
        return tuple(preview.requests)

    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        """The comments that carry the marker of `op` and count, oldest first."""
        marked = [comment for comment in self._client.comments(ref) if op in comment.ops]
        return self._trust.counting(ref.target, marked)

    def find_ops(self, ref: ItemRef) -> tuple[str, ...]:
        """The operations that posted comments that count, oldest first."""
        comments = sorted(
            self._client.comments(ref), key=lambda comment: (comment.created, comment.id)
        )
        return tuple(
            comment.posted_by
            for comment in comments
            if comment.posted_by and self._trust.counts(ref.target, comment.author)
        )

    def read_background(
        self, refs: Sequence[ItemRef]
    ) -> Mapping[ItemRef, Background | TrackerError]:
        """Texts of issues, and the commits and merged pull requests that closed them."""
        from unlatch_github.background import read_background  # noqa: PLC0415  (rarely needed)

        return read_background(self._client, refs)

    def read_asked(self, ref: ItemRef, comment: str, groups: Sequence[str] = ()) -> Asked | None:
        """The comment of this id with its author's rights; None if it asks for nothing."""
        from unlatch_github.asked import read_asked  # noqa: PLC0415  (rarely needed)

        return read_asked(self._client, ref, comment, groups)

    def new_comments(self, since: datetime) -> Iterator[NewComment]:
        """The comments of people on issues and pull requests; those on code are told by events."""
        from unlatch_github.asked import new_comments  # noqa: PLC0415  (rarely needed)

        return new_comments(self._client, since)

    def acknowledge(self, ref: ItemRef, comment: str) -> None:
        """Give a comment a thumbs-up, which GitHub keeps once for each account."""
        self._client.react(ref.target, comment, "+1")

    def read_history(self, ref: ItemRef) -> ItemHistory:
        """The marked comments with edits and authors, and the closes and reopens."""
        comments = (
            MarkedComment(
                str(comment.id),
                comment.body,
                comment.author.login,
                self._trust.may_write(ref.target, comment.author),
                comment.edited,
                comment.created,
                self._trust.is_own(comment.author),
            )
            for comment in self._client.comments(ref)
            if comment.ops
        )
        changes = (
            replace(change, own=self._trust.is_own(Author(change.by, "", "")))
            for change in self._client.state_changes(ref)
        )
        return ItemHistory(tuple(comments), tuple(changes))

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        """The issue of the configured repository whose body carries the marker of `op`."""
        target = self._settings.target
        if target is None:
            return None
        for seen, issue in enumerate(self._client.list_issues(target)):
            if seen >= _NEWEST and issue.created < since - _DAY:
                return None
            if op in issue.ops and self._trust.counts(target, issue.author):
                return self._client.read(self._settings.ref(target, issue.id)).item
        return None

    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        """The issues of the configured repository, newest first, a hundred per request."""
        target = self._settings.target
        if target is None:
            return
        listed = self._client.list_issues(target)
        for issue in takewhile(lambda issue: since is None or issue.created >= since, listed):
            counts = bool(issue.ops) and self._trust.counts(target, issue.author)
            ref = self._settings.ref(target, issue.id)
            yield Listed(ref, issue.title, issue.ops if counts else frozenset())

    def present_name(self, target: str) -> str | None:
        """The configured repository that its owner renamed from this name."""
        return self._client.present_name(target)

    def sees_place(self, ref: ItemRef) -> bool:
        """Whether the token sees the repository; GitHub hides others with 404."""
        return bool(self._client.repository(ref.target))

    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        """Check the token's permissions in the configured repositories."""
        from unlatch_github.permissions import examine  # noqa: PLC0415  (rarely needed)

        return examine(self._client, self._settings, refs)

    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        """Delete a comment; a missing one is a success."""
        try:
            self._client.delete_comment(ref, comment)
        except NotFound:
            return

    def _with_body(self, snapshot: Snapshot, change: Change) -> IssueSnapshot:
        """The facts of a snapshot, with the body if a draft has to be written into it."""
        issue: IssueSnapshot = snapshot.private
        if change.draft is not None and issue.body is None:
            return self._client.read(snapshot.item.ref)
        return issue

    def _target(self) -> str:
        if self._settings.target is None:
            raise ConfigError(
                ("repository is not set; new issues need it",),
                where="[trackers.github]",
                hint='set repository = "owner/name"',
            )
        return self._settings.target


def _draft_of(change: Change) -> Draft:
    if change.draft is None:
        raise ValueError("an issue is created from a draft")
    return change.draft
