"""GitHub's issues as unlatch's operations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.domain.text import without_controls
from unlatch.errors import ConfigError, NotFound, Rejected, Unauthorised
from unlatch.spi import (
    Change,
    CommentRef,
    Draft,
    Goal,
    ItemRef,
    Outcome,
    PlannedRequest,
    RemoteItem,
    Result,
    SyncPlugin,
    hidden,
    is_held_closed,
    markdown,
    must_move,
    ops_in,
    result_of,
)
from unlatch_github._body import section, with_section
from unlatch_github.client import Client
from unlatch_github.labels import within, without
from unlatch_github.planning import labels_to_add, labels_to_remove, plan

if TYPE_CHECKING:
    from datetime import datetime

    from unlatch.transport import Transport
    from unlatch_github.settings import GithubSettings

_LONGEST_TITLE = 256
_LONGEST_BODY = 65_536


class GithubPlugin(SyncPlugin):
    """One GitHub.

    A reopen or close is GET, PATCH, POST comment, POST labels, and a DELETE for each label that is
    there and shall not be. GitHub has no request that does them together, nor one that is refused
    when the issue has changed in between.
    """

    def __init__(self, settings: GithubSettings, transport: Transport) -> None:
        self._settings = settings
        self._client = Client(settings, transport)

    def get_issue_status(self, ref: ItemRef) -> RemoteItem:
        """Read an issue."""
        return self._client.read(ref).item

    def reopen_issue(self, ref: ItemRef, change: Change) -> Outcome:
        """Reopen an issue, comment, relabel."""
        before = self._client.read(ref).item
        if is_held_closed(before, change):
            raise Rejected(
                "deliberately-closed",
                "the issue was closed as not planned or as a duplicate",
                where=self._settings.name(ref),
                hint="repeat with --even-if-not-planned to reopen it all the same",
            )
        return self._move(before, change)

    def close_issue(self, ref: ItemRef, change: Change) -> Outcome:
        """Close an issue as completed or as not planned, comment, relabel."""
        return self._move(self._client.read(ref).item, change)

    def create_issue(self, draft: Draft, change: Change) -> Outcome:
        """Create an issue in the configured repository, with its labels in the same request."""
        target = self._settings.target
        if target is None:
            raise ConfigError(
                ("repository is not set, so there is no place for a new issue",),
                where="[trackers.github]",
                hint='set repository = "owner/name"',
            )
        title = _title(draft, where=target)
        body = _fitting(f"{section(markdown(draft.body))}\n{hidden(change.op)}", where=target)
        made = self._client.create(target, title=title, body=body, labels=change.add_labels).item
        # Who may not label gets the issue without its labels; asking again would change nothing.
        after = self._carry_out(made, replace(change, add_labels=()))
        return _outcome(Result.CREATED, None, after, change)

    def update_issue(self, ref: ItemRef, draft: Draft, change: Change) -> Outcome:
        """Set title and kept section; nothing is written where they say so already."""
        found = self._client.read(ref)
        where = self._settings.name(ref)
        title = _title(draft, where=where)
        body = _fitting(with_section(found.body, markdown(draft.body)), where=where)
        now = found
        if (title, body) != (found.item.title, found.body):
            now = self._client.write(found.item.ref, title=title, body=body)
        after = self._carry_out(now.item, change)
        return _outcome(Result.UPDATED, found.item, after, change)

    def find_comments(self, ref: ItemRef, op: str, since: datetime) -> tuple[CommentRef, ...]:
        """The comments that carry the marker of `op`, oldest first."""
        listed = self._client.comments(ref, since)
        marked = [comment for comment, text in listed if op in ops_in(text)]
        return tuple(sorted(marked, key=lambda comment: (comment.created, int(comment.id))))

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        """The issue of the configured repository whose body carries the marker of `op`."""
        target = self._settings.target
        if target is None:
            return None
        listed = self._client.created(target, since)
        found = next((ref for ref, body in listed if op in ops_in(body)), None)
        return None if found is None else self._client.read(found).item

    def plan(
        self, item: RemoteItem, change: Change, draft: Draft | None = None
    ) -> tuple[PlannedRequest, ...]:
        """The requests of a reopen, a close or, with a draft, an update."""
        return plan(self._settings, item, change, rewrites=draft is not None)

    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        """Delete a comment; one that is gone already is as good."""
        try:
            self._client.delete_comment(ref, comment)
        except NotFound:
            return

    def _move(self, before: RemoteItem, change: Change) -> Outcome:
        after = self._carry_out(before, change)
        result = result_of(change.goal, was_open=before.category.is_open)
        return _outcome(result, before, after, change)

    def _carry_out(self, item: RemoteItem, change: Change) -> RemoteItem:
        """State, comment, labels, each only where there is something to change."""
        after = self._reach(item, change.goal)
        if change.comment is not None:
            said = markdown(change.comment, mentions=change.mentions)
            self._client.comment(item.ref, f"{said}\n\n{hidden(change.op)}")
        return self._relabel(after, change)

    def _reach(self, item: RemoteItem, goal: Goal | None) -> RemoteItem:
        if goal is None or not must_move(item, goal):
            return item
        after = self._client.move(item.ref, goal).item
        if must_move(after, goal):
            raise Rejected(
                "state-not-taken",
                f"GitHub took the change and left the issue {after.state}",
                where=self._settings.name(item.ref),
                hint="the token needs the right to write issues",
            )
        return after

    def _relabel(self, item: RemoteItem, change: Change) -> RemoteItem:
        labels = item.labels
        try:
            if wanted := labels_to_add(item, change):
                labels = self._client.add_labels(item.ref, wanted)
            for name in labels_to_remove(item, change):
                left = self._client.remove_label(item.ref, name)
                labels = without(labels, [name]) if left is None else left
        except Unauthorised as error:
            # Commenting is open to more people than labelling; the outcome's notes say so.
            if error.id != "forbidden":
                raise
        return replace(item, labels=labels)


def _outcome(
    result: Result, before: RemoteItem | None, after: RemoteItem, change: Change
) -> Outcome:
    had = before.labels if before else ()
    return Outcome(
        result=result,
        before=before,
        after=after,
        commented=change.comment is not None,
        # What people relabelled meanwhile is theirs, and no undo of ours shall touch it.
        labels_added=within(without(after.labels, had), change.add_labels),
        labels_removed=within(without(had, after.labels), change.remove_labels),
        notes=_label_notes(after, change),
    )


def _label_notes(after: RemoteItem, change: Change) -> tuple[str, ...]:
    refused = [
        *(f"+{name}" for name in without(change.add_labels, after.labels)),
        *(f"-{name}" for name in within(after.labels, change.remove_labels)),
    ]
    if not refused:
        return ()
    return (f"GitHub did not change the labels {' '.join(refused)}: the token needs triage rights",)


def _title(draft: Draft, *, where: str) -> str:
    title = " ".join(without_controls(draft.title).split())
    if len(title) > _LONGEST_TITLE:
        raise Rejected(
            "title-too-long",
            f"the title has {len(title)} characters, and GitHub takes {_LONGEST_TITLE}",
            where=where,
            hint="shorten the first heading of spec.md",
        )
    return title


def _fitting(body: str, *, where: str) -> str:
    if len(body) > _LONGEST_BODY:
        raise Rejected(
            "body-too-long",
            f"the body has {len(body)} characters, and GitHub takes {_LONGEST_BODY}",
            where=where,
            hint="repeat with --comment short or --comment none, or shorten the text",
        )
    return body
