"""The Jira plugin: read and write issues, and find earlier writes by their marker."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from unlatch.errors import ConfigError, NotFound, Rejected, TrackerError
from unlatch.spi import (
    Background,
    Change,
    CommentRef,
    Examination,
    Goal,
    ItemHistory,
    ItemRef,
    Listed,
    Outcome,
    PlannedRequest,
    RemoteItem,
    Snapshot,
    SyncPlugin,
    ops_in,
)
from unlatch_jira.api.client import PAGE, JiraClient
from unlatch_jira.api.comments import Comment, Person
from unlatch_jira.api.connection import JiraConnection
from unlatch_jira.api.edit import property_of
from unlatch_jira.api.rich_text import plain
from unlatch_jira.api.site import JiraSite
from unlatch_jira.reopen_context import fields_around
from unlatch_jira.urls import PROJECT, project_of
from unlatch_jira.write import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from unlatch.spi.history import Asked, NewComment
    from unlatch.transport import Transport
    from unlatch_jira.api.models import Issue
    from unlatch_jira.settings import JiraSettings

# A failed creation skips a key; after this many missing keys the search ends.
_MOST_GAPS = 3
_NEWEST = 1000
_LEEWAY = timedelta(days=1)

# https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-permissions
_BROWSE = "BROWSE_PROJECTS"


class JiraPlugin(SyncPlugin):
    """Jira Cloud and Data Center."""

    def __init__(self, settings: JiraSettings, transport: Transport) -> None:
        self._settings = settings
        self._transport = transport
        wire = JiraConnection(settings, transport)
        self._client = JiraClient(settings, wire)
        self._site = JiraSite(settings, wire)
        self._writer = Writer(settings, self._client, self._site)

    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        """Read one issue; one that was moved to another project is returned with its new place.

        Raises:
            Rejected: `target-not-allowed`; it was moved to a project that is not configured.
        """
        issue = self._read(ref, change)
        return Snapshot(issue.item, issue)

    @property
    def reads_ahead(self) -> int:
        """A page on Cloud; Data Center lists issues only by its index, which may lag behind."""
        return PAGE if self._client.is_cloud else 1

    def read_many(
        self, refs: Sequence[ItemRef], change: Change | None = None
    ) -> Mapping[ItemRef, Snapshot | TrackerError]:
        """Read many issues: a hundred per request on Cloud, each separately on Data Center."""
        return {
            ref: issue if isinstance(issue, TrackerError) else Snapshot(issue.item, issue)
            for ref, issue in self._many(refs, change).items()
        }

    def _many(
        self, refs: Sequence[ItemRef], change: Change | None, *more: str
    ) -> Mapping[ItemRef, Issue | TrackerError]:
        """The issues with these fields beside those for a change."""
        from unlatch_jira.bulk_status import read_many  # noqa: PLC0415  (rarely needed)

        fields, moves = (*self._fields_for(change), *more), _moves(change)
        return read_many(
            refs,
            lambda keys: self._client.many(keys, fields, moves=moves),
            lambda ref: self._read(ref, change, *more),
            page=self.reads_ahead,
        )

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        """Take a transition if the state differs, then send text, comment and labels in one edit.

        The outcome has the state after the last write. A transition that Jira accepted without
        effect is noted.
        """
        return self._writer.write(snapshot.private, change)

    def create(self, change: Change) -> Outcome:
        """Create an issue in the configured project."""
        from unlatch_jira.create import create  # noqa: PLC0415  (rarely needed)

        return create(self._settings, self._client, self._site, change)

    def plan(self, snapshot: Snapshot | None, change: Change) -> tuple[PlannedRequest, ...]:
        """The requests of `read` and `write`, or of `create`; raises a refusal like `write`.

        Without a configured path, transitions after the first are not guessed: the list ends there.
        """
        from unlatch_jira import preview  # noqa: PLC0415  (rarely needed)
        from unlatch_jira.create import create  # noqa: PLC0415

        wire = preview.PreviewConnection(self._settings, self._transport)
        client, site = preview.PreviewClient(self._settings, wire), JiraSite(self._settings, wire)
        with suppress(preview.UndecidedError):
            if snapshot is None:
                create(self._settings, client, site, change)
            else:
                offered = " and the transitions that it offers" if change.goal else ""
                wire.note("GET", f"issue/{snapshot.item.ref.id}", f"read the issue{offered}")
                Writer(self._settings, client, site).write(self._whole(snapshot, change), change)
        return tuple(wire.listed)

    def _whole(self, snapshot: Snapshot, change: Change) -> Issue:
        """The issue with its transitions, which bulk reads lack."""
        issue: Issue = snapshot.private
        if change.goal is None or issue.answer.transitions is not None:
            return issue
        return self._read(snapshot.item.ref, change)

    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        """The comments that carry the marker of `op`, by any author.

        Only accounts with permission can comment on Jira issues, so every marker counts. Authors
        are read only if there are several comments.
        """
        comments = [comment for comment in self._comments(ref) if op in comment.ops]
        me = self._site.find_myself() if len(comments) > 1 else Person({})
        return tuple(
            CommentRef(
                comment.id,
                comment.at,
                own=comment.author.is_same_as(me),
                text=plain(comment.body),
                touched=bool(comment.is_edited),
                visibility=comment.visibility,
                author=comment.author.shown,
            )
            for comment in comments
        )

    def find_ops(self, ref: ItemRef) -> tuple[str, ...]:
        """The operations that posted comments, oldest first."""
        return tuple(comment.posted_by for comment in self._comments(ref) if comment.posted_by)

    def read_history(self, ref: ItemRef) -> ItemHistory:
        """The marked comments with edits and authors, and the changes of the status."""
        from unlatch_jira.history import read_history  # noqa: PLC0415  (rarely needed)

        return read_history(self._client, self._site, self._comments(ref), ref.id)

    def read_background(
        self, refs: Sequence[ItemRef]
    ) -> Mapping[ItemRef, Background | TrackerError]:
        """Texts of issues. No public API of Jira tells the commits that its panels show."""
        from unlatch_jira.history import background  # noqa: PLC0415  (rarely needed)

        return {
            ref: issue if isinstance(issue, TrackerError) else background(issue)
            for ref, issue in self._many(refs, None, "creator").items()
        }

    def read_asked(self, ref: ItemRef, comment: str, groups: Sequence[str] = ()) -> Asked | None:
        """The comment of this id with its author's rights; None if it asks for nothing.

        Jira has no teams; `triage_groups` and `write_groups` name its groups and roles.
        """
        from unlatch_jira.asked import read_asked  # noqa: PLC0415  (rarely needed)

        _ = groups
        return read_asked(self._settings, self._client, self._site, ref, comment)

    def new_comments(self, since: datetime) -> Iterator[NewComment]:
        """The comments of people on issues that changed since, by Jira's index."""
        from unlatch_jira.asked import new_comments  # noqa: PLC0415  (rarely needed)

        return new_comments(self._settings, self._client, since)

    def acknowledge(self, ref: ItemRef, comment: str) -> None:
        """Do nothing: Jira's API has no reactions."""

    def find_author(self, ref: ItemRef) -> str | None:
        """The person who last changed the issue's status, from its changelog."""
        return self._client.mover(ref.id)

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        """The issue that carries the marker of `op` in its description, or as a property.

        Jira lists issues only by an index, which on Cloud may lag by seconds
        (https://developer.atlassian.com/cloud/jira/platform/search-and-reconcile/), so the keys
        after the newest listed one are also read, without the index.
        """
        key, newest = property_of(op)["key"], 0
        listed = self._client.newest(self._target(), property_key=key)
        for number, issue in enumerate(listed, start=1):
            newest = max(newest, _number(issue.key))
            if op in ops_in(plain(issue.description)) or key in issue.answer.properties:
                return issue.item
            if number >= _NEWEST and _is_before(issue, since - _LEEWAY):
                break
        return self._find_unlisted(op, after=newest)

    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        """The issues of the configured project, newest first, a hundred per request.

        Jira lists by an index, so very new issues may be missing.
        """
        if self._settings.target is None:
            return
        for issue in self._client.newest(self._settings.target):
            if since is not None and _is_before(issue, since):
                return
            yield Listed(issue.item.ref, issue.item.title, ops_in(plain(issue.description)))

    def present_name(self, target: str) -> str | None:
        """The configured project that had this key before."""
        homes = {self._settings.project, *self._settings.projects} - {target}
        # The target of an issue of another site is no key.
        key = self._site.project_key(target) if PROJECT.fullmatch(target) else None
        return key if key in homes else None

    def sees_place(self, ref: ItemRef) -> bool:
        """Whether the account may browse the project; Jira hides others with 404."""
        return self._site.permissions(project_of(ref.id), [_BROWSE]).has(_BROWSE) is True

    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        """Check the credential's permissions and the configuration."""
        from unlatch_jira.permissions import PermissionCheck  # noqa: PLC0415  (rarely needed)

        return PermissionCheck(self._settings, self._client, self._site).examine(refs)

    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        """Delete a comment that carries our marker; a missing one is a success.

        Raises:
            Forbidden: the account lacks Delete Own Comments, or Delete All Comments for another
                account's.
        """
        self._client.delete_comment(ref.id, comment.id)

    def _read(self, ref: ItemRef, change: Change | None, *more: str) -> Issue:
        fields = (*self._fields_for(change), *more)
        issue = self._client.issue(ref.id, *fields, moves=_moves(change))
        if change is not None and not self._settings.allows(issue.item.ref):
            raise Rejected(
                "target-not-allowed",
                f"{ref.id} is {issue.key} now, in a project that is not configured",
                where=ref.url,
                hint="add its project to trackers.jira.projects, and link the issue again",
            )
        return issue

    def _fields_for(self, change: Change | None) -> tuple[str, ...]:
        """The additional fields for a change."""
        if change is None:
            return ("description",)
        around = fields_around(self._settings, self._site) if change.goal is Goal.OPEN else ()
        return (
            *(("project",) if change.goal else ()),
            *(("description",) if change.draft else ()),
            *around,
        )

    def _comments(self, ref: ItemRef) -> list[Comment]:
        return sorted(
            self._client.comments(ref.id), key=lambda comment: (comment.at, int(comment.id))
        )

    def _find_unlisted(self, op: str, *, after: int) -> RemoteItem | None:
        """Find the issue among those not indexed yet; keys are assigned in order."""
        misses, number = 0, after
        while misses < _MOST_GAPS:
            number += 1
            try:
                issue = self._client.issue(f"{self._target()}-{number}", "description")
            except NotFound:
                misses += 1
                continue
            misses = 0
            if op in ops_in(plain(issue.description)):
                return issue.item
        return None

    def _target(self) -> str:
        if self._settings.target is None:
            raise ConfigError(
                ("trackers.jira.project is needed to create issues",), where="[trackers.jira]"
            )
        return self._settings.target


def _moves(change: Change | None) -> bool:
    return change is not None and change.goal is not None


def _is_before(issue: Issue, moment: datetime) -> bool:
    return issue.created is not None and issue.created < moment


def _number(key: str) -> int:
    digits = key.rpartition("-")[2]
    return int(digits) if digits.isdecimal() else 0
