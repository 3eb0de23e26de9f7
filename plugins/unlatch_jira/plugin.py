"""The five operations, and how their traces are found again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.errors import ConfigError, NotFound, Rejected
from unlatch.spi import (
    CommentRef,
    Examination,
    Goal,
    ItemRef,
    Listed,
    Outcome,
    PlannedRequest,
    RemoteItem,
    Result,
    SyncPlugin,
    is_held_closed,
    must_move,
    ops_in,
    result_of,
)
from unlatch_jira import screens
from unlatch_jira.bodies import LONGEST, format_of, kept, plain
from unlatch_jira.children import CHILDREN, Children
from unlatch_jira.client import JiraClient
from unlatch_jira.creating import fields_of, plan_create
from unlatch_jira.edit import Edit, marker, property_of, title_of
from unlatch_jira.examining import Examiner
from unlatch_jira.many import read_many
from unlatch_jira.planning import labels_to_add, labels_to_remove, plan
from unlatch_jira.site import JiraSite
from unlatch_jira.surroundings import Aftermath, Surroundings
from unlatch_jira.walking import ALLOW_PATH, Walked, Walker
from unlatch_jira.wire import Wire
from unlatch_jira.writing import Written, clear_resolution, create, take_back, write

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from unlatch.errors import TrackerError
    from unlatch.spi import Change, Draft
    from unlatch.transport import Transport
    from unlatch_jira.answers import Issue
    from unlatch_jira.settings import JiraSettings

# A key is skipped where making an issue failed halfway; so many in a row, and there are no more.
_MOST_GAPS = 3


class JiraPlugin(SyncPlugin):
    """Jira Cloud and Data Center."""

    def __init__(self, settings: JiraSettings, transport: Transport) -> None:
        self._settings = settings
        self._wire = wire = Wire(settings, transport)
        self._client = client = JiraClient(settings, wire)
        self._site = site = JiraSite(settings, wire)
        self._walker = walker = Walker(settings, client, site)
        self._surroundings = Surroundings(settings, client, site, walker)
        self._children = Children(settings, client, site, walker, self._plain_edit)
        self._format = format_of(settings.version)

    def get_issue_status(self, ref: ItemRef) -> RemoteItem:
        """Read one issue; one that was moved to another project is told at its new place."""
        return self._client.issue(ref.id).item

    def get_statuses(self, refs: Sequence[ItemRef]) -> Mapping[ItemRef, RemoteItem | TrackerError]:
        """Read many issues: a hundred a request on Cloud, each by itself on Data Center."""
        return read_many(self._client, refs)

    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        """Find out what the credential may do, and whether the configuration fits."""
        return Examiner(self._settings, self._client, self._site).examine(refs)

    def reopen_issue(self, ref: ItemRef, change: Change) -> Outcome:
        """Take a transition to an open status, then comment and relabel in one edit.

        An epic's children come before its own comment, so that its marker proves them too.
        """
        return self._bring(ref, change)

    def close_issue(self, ref: ItemRef, change: Change) -> Outcome:
        """Take a transition to a done status, then comment and relabel in one edit."""
        return self._bring(ref, change)

    def create_issue(self, draft: Draft, change: Change) -> Outcome:
        """Create an issue in the configured project."""
        text = (*kept(draft.body, draft.increment), marker(change.op))
        comment = self._comment(change)
        description = self._fitting(self._format.render(text), "description")
        fields = fields_of(self._settings, self._site, draft, description)
        issue, notes = create(self._client, fields, change.add_labels, change.op)
        if comment is not None:
            self._client.comment(issue.key, comment)
        return Outcome(
            Result.CREATED,
            before=None,
            after=issue.item,
            commented=comment is not None,
            labels_added=issue.item.labels,
            notes=notes,
        )

    def update_issue(self, ref: ItemRef, draft: Draft, change: Change) -> Outcome:
        """Set the summary and the kept part of the description.

        Jira has no guard against an edit that lands between our reading the description and our
        writing it; the two requests follow each other at once.
        """
        issue = self._found(ref, "description")
        body = self._format.with_kept(issue.description, draft.body, draft.increment)
        new = {"summary": title_of(draft), "description": self._fitting(body, "description")}
        now = {"summary": issue.item.title, "description": issue.description}
        fields = {name: value for name, value in new.items() if value != now[name]}
        written = write(self._client, issue, self._edit(issue, change, fields), moved=False)
        return _outcome(Result.UPDATED, issue, written, change)

    def find_comments(self, ref: ItemRef, op: str, since: datetime) -> tuple[CommentRef, ...]:
        """The comments that carry the marker of `op`, among all that there are."""
        found = [
            CommentRef(comment.id, comment.at)
            for comment in self._client.comments(ref.id)
            if op in ops_in(plain(comment.body))
        ]
        return tuple(sorted(found, key=lambda comment: (comment.created, int(comment.id))))

    def find_ops(self, ref: ItemRef, since: datetime) -> tuple[str, ...]:
        """The operations whose markers stand in comments since then, oldest first."""
        listed = [one for one in self._client.comments(ref.id) if one.at >= since]
        ordered = sorted(listed, key=lambda one: (one.at, int(one.id)))
        return tuple(op for one in ordered for op in sorted(ops_in(plain(one.body))))

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        """The issue that carries the marker of `op` in its description, or as a property.

        Jira lists issues by an index alone, and on Cloud that may lag by some seconds
        (https://developer.atlassian.com/cloud/jira/platform/search-and-reconcile/), so the keys
        that follow the newest listed one are read as well: reading asks no index.
        """
        key, newest = property_of(op)["key"], 0
        for issue in self._client.newest(self._target(), property_key=key):
            newest = max(newest, _number(issue.key))
            if op in ops_in(plain(issue.description)) or key in issue.answer.properties:
                return issue.item
            if issue.created is not None and issue.created < since:
                break
        return self._find_unlisted(op, after=newest)

    def _find_unlisted(self, op: str, *, after: int) -> RemoteItem | None:
        """The issue among those that the index does not list yet; keys are given in order."""
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

    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        """The issues of the configured project, newest first, a hundred a request.

        Jira lists by its index, so an issue of the last few seconds may be missing.
        """
        if self._settings.target is None:
            return
        for issue in self._client.newest(self._settings.target):
            if since is not None and issue.created is not None and issue.created < since:
                return
            yield Listed(issue.item.ref, issue.item.title, ops_in(plain(issue.description)))

    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        """Delete a comment that carries our marker; one that is gone is as good."""
        self._client.delete_comment(ref.id, comment.id)

    def plan(
        self, item: RemoteItem | None, change: Change, draft: Draft | None = None
    ) -> tuple[PlannedRequest, ...]:
        """The requests of a create, or of a reopen, a close or, with a draft, an update."""
        if item is not None:
            api = self._wire.api
            return plan(self._settings, api, item, change, rewrites=draft is not None)
        if draft is None:
            raise ValueError("neither an item nor a draft")
        return plan_create(self._settings, self._wire.api, draft, change)

    def _bring(self, ref: ItemRef, change: Change) -> Outcome:
        goal = change.goal
        fields = self._surroundings.wanted_fields() if goal is Goal.OPEN else ("project",)
        issue = self._found(ref, *(fields if goal else ()), moves=goal is not None)
        _refuse_deliberate(issue, change)
        # What cannot be posted is refused before anything is written.
        edit = self._edit(issue, change, {})
        was_open = issue.item.category.is_open
        walked = None
        if goal is not None and must_move(issue.item, goal):
            allowed = ALLOW_PATH in change.options
            walked = self._walker.bring(issue, goal, allow_path=allowed)
        after = self._after_reopening(issue, change)
        written = write(
            self._client, issue, replace(edit, fields=after.fields), moved=walked is not None
        )
        notes = (*written.notes, *after.notes_without(written.unset))
        written = replace(written, notes=notes)
        if walked is not None:
            if written.after.item.category.is_open == was_open:
                take_back(self._client, issue, edit)
                raise screens.had_no_effect(written.after, walked.move)
            written = self._settled(written, walked, goal)
        return _outcome(result_of(goal, was_open=was_open), issue, written, change)

    def _after_reopening(self, issue: Issue, change: Change) -> Aftermath:
        if change.goal is not Goal.OPEN:
            return Aftermath()
        found = self._surroundings.after_reopening(issue)
        if CHILDREN not in change.options:
            return found
        told = self._children.reopen(issue.key, change)
        return replace(found, notes=(*found.notes, *told))

    def _settled(self, written: Written, walked: Walked, goal: Goal | None) -> Written:
        """What a transition left, with its resolution cleared where it stayed open and resolved."""
        if goal is Goal.OPEN and written.after.resolution is not None:
            written = clear_resolution(self._client, written)
        notes = (
            *written.notes,
            *walked.notes,
            *screens.resolution_notes(written.after, walked.move),
        )
        return replace(written, notes=notes)

    def _plain_edit(self, issue: Issue, change: Change) -> Edit:
        return self._edit(issue, change, {})

    def _found(self, ref: ItemRef, *fields: str, moves: bool = False) -> Issue:
        issue = self._client.issue(ref.id, *fields, moves=moves)
        if not self._settings.allows(issue.item.ref):
            raise Rejected(
                "target-not-allowed",
                f"{ref.id} is {issue.key} now, in a project that is not configured",
                where=ref.url,
                hint="add its project to trackers.jira.projects, and link the issue again",
            )
        return issue

    def _edit(self, issue: Issue, change: Change, fields: dict[str, Any]) -> Edit:
        return Edit(
            op=change.op,
            fields=fields,
            add_labels=labels_to_add(issue.item, change),
            remove_labels=labels_to_remove(issue.item, change),
            comment=self._comment(change),
        )

    def _comment(self, change: Change) -> Any:
        if change.comment is None:
            return None
        body = self._format.render((*change.comment, marker(change.op)))
        return self._fitting(body, "comment")

    def _fitting(self, body: Any, what: str) -> Any:
        length = self._format.length(body)
        if length > LONGEST:
            raise Rejected(
                "body-too-long",
                f"the {what} takes {length} characters in Jira's format, and Jira takes {LONGEST}",
                hint="repeat with --comment short or --comment none, or shorten the text",
            )
        return body

    def _target(self) -> str:
        if self._settings.target is None:
            raise ConfigError(
                ("trackers.jira.project is needed to create issues",), where="[trackers.jira]"
            )
        return self._settings.target


def _refuse_deliberate(issue: Issue, change: Change) -> None:
    if not is_held_closed(issue.item, change):
        return
    resolution = issue.resolution.name if issue.resolution else None
    raise Rejected(
        "deliberately-closed",
        f"{issue.key} was closed on purpose, with the resolution {resolution!r}",
        where=issue.item.ref.url,
        hint="--even-if-not-planned reopens it all the same",
    )


def _outcome(result: Result, before: Issue, written: Written, change: Change) -> Outcome:
    had, has = before.item.labels, written.after.item.labels
    return Outcome(
        result=result,
        before=before.item,
        after=written.after.item,
        commented=written.commented,
        # What people relabelled meanwhile is theirs, and no undo of ours shall touch it.
        labels_added=tuple(n for n in change.add_labels if n in has and n not in had),
        labels_removed=tuple(n for n in change.remove_labels if n in had and n not in has),
        notes=written.notes,
    )


def _number(key: str) -> int:
    digits = key.rpartition("-")[2]
    return int(digits) if digits.isdecimal() else 0
