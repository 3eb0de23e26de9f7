"""GitHub's issues as unlatch's operations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import ConfigError, NotFound, Rejected, TrackerError, Unauthorised
from unlatch.spi import (
    Change,
    CommentRef,
    Draft,
    Examination,
    Goal,
    ItemRef,
    Listed,
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
from unlatch.transport.pacing import Pace
from unlatch_github.client import Client
from unlatch_github.drafting import changed_fields, new_fields, wished_milestone
from unlatch_github.examining import examine
from unlatch_github.identity import Identity, identify
from unlatch_github.labels import without
from unlatch_github.many import statuses
from unlatch_github.outcomes import outcome_of
from unlatch_github.planning import (
    Known,
    labels_to_add,
    labels_to_remove,
    plan,
    plan_create,
    state_fields,
)
from unlatch_github.settings import OnReopen
from unlatch_github.standing import notes_on, notes_on_projects, wants_assignee
from unlatch_github.wishes import Wishes, missing_assignees, unfulfilled, wishes_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from unlatch.transport import Transport
    from unlatch_github.reading import Found, Milestone
    from unlatch_github.settings import GithubSettings

# "80 content-generating requests per minute and 500 per hour", and "at least one second between
# each" of many: docs.github.com/en/rest/using-the-rest-api, rate limits and best practices.
_PACE = Pace(limits=((80, 60.0), (500, 3600.0)), apart=1.0, free=5)


class GithubPlugin(SyncPlugin):
    """One GitHub.

    A reopen or close is GET, PATCH, POST comment, POST labels, and a DELETE for each label that is
    there and shall not be. GitHub has no request that does them together, nor one that is refused
    when the issue has changed in between.
    """

    def __init__(self, settings: GithubSettings, transport: Transport) -> None:
        self._settings = settings
        self._client = Client(settings, transport)
        self._pacer = transport.pacer(_PACE, why="GitHub takes 500 comments and issues an hour")
        # What a plan needs to know of issues that were read, besides their items.
        self._milestones: dict[ItemRef, Milestone | None] = {}
        self._identity: Identity | None = None

    def get_issue_status(self, ref: ItemRef) -> RemoteItem:
        """Read an issue; one that is unchanged since it was last read costs no quota."""
        return self._noted(self._client.look(ref)).item

    def get_statuses(self, refs: Sequence[ItemRef]) -> Mapping[ItemRef, RemoteItem | TrackerError]:
        """Read many issues, a hundred with one query."""
        return {
            ref: found if isinstance(found, TrackerError) else self._noted(found).item
            for ref, found in statuses(self._client, refs).items()
        }

    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        """Find out what the token may do in the configured repositories."""
        return examine(self._client, self._settings, refs)

    def reopen_issue(self, ref: ItemRef, change: Change) -> Outcome:
        """Reopen an issue, comment, relabel."""
        self._await_turn(change)
        before = self._client.read(ref)
        if is_held_closed(before.item, change):
            raise Rejected(
                "deliberately-closed",
                "the issue was closed as not planned or as a duplicate",
                where=self._settings.name(ref),
                hint="repeat with --even-if-not-planned to reopen it all the same",
            )
        if change.goal is not Goal.OPEN:
            return self._move(before, change)
        return self._reopened(before, change)

    def close_issue(self, ref: ItemRef, change: Change) -> Outcome:
        """Close an issue as completed or as not planned, comment, relabel."""
        self._await_turn(change)
        return self._move(self._client.read(ref), change)

    def create_issue(self, draft: Draft, change: Change) -> Outcome:
        """Create an issue in the configured repository, with all that belongs to it at once."""
        target = self._target()
        fields = new_fields(draft, hidden(change.op), where=target)
        wishes = wishes_in(draft.wishes)
        milestone = wished_milestone(self._client, wishes, None, target)
        optional = {
            "labels": [*change.add_labels],
            "milestone": milestone,
            "assignees": [*wishes.assignees],
            "type": wishes.type,
        }
        self._pacer.turn()
        given = {key: value for key, value in optional.items() if value}
        made = self._client.create(target, {**fields, **given})
        # Who may not label gets the issue without its labels; asking again would change nothing.
        after = self._carry_out(made, replace(change, add_labels=()))
        notes = tuple(unfulfilled(wishes, after, milestone))
        return outcome_of(Result.CREATED, None, after.item, change, notes)

    def update_issue(self, ref: ItemRef, draft: Draft, change: Change) -> Outcome:
        """Set title, kept section and what is wished for; nothing where they say so already."""
        self._await_turn(change)
        found = self._client.read(ref)
        fields = changed_fields(found, draft, where=self._settings.name(ref))
        wishes = wishes_in(draft.wishes)
        milestone = wished_milestone(self._client, wishes, found, ref.target)
        if milestone is not None and (
            found.milestone is None or found.milestone.number != milestone
        ):
            fields["milestone"] = milestone
        if wishes.type and (found.item.type or "").casefold() != wishes.type.casefold():
            fields["type"] = wishes.type
        now = self._client.change(ref, fields) if fields else found
        now = self._assigned(now, wishes)
        after = self._carry_out(now, change)
        notes = tuple(unfulfilled(wishes, after, milestone))
        return outcome_of(Result.UPDATED, found.item, after.item, change, notes)

    def find_comments(self, ref: ItemRef, op: str, since: datetime) -> tuple[CommentRef, ...]:
        """The comments that carry the marker of `op`, oldest first."""
        listed = self._client.comments(ref, since)
        marked = [comment for comment, text in listed if op in ops_in(text)]
        return tuple(sorted(marked, key=lambda comment: (comment.created, int(comment.id))))

    def find_ops(self, ref: ItemRef, since: datetime) -> tuple[str, ...]:
        """The operations whose markers stand in comments since then, oldest first."""
        listed = sorted(self._client.comments(ref, since), key=lambda one: one[0].created)
        return tuple(op for _, text in listed for op in sorted(ops_in(text)))

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        """The issue of the configured repository whose body carries the marker of `op`."""
        target = self._settings.target
        if target is None:
            return None
        listed = self._client.created(target, since)
        found = next((ref for ref, _, body in listed if op in ops_in(body)), None)
        return None if found is None else self._client.read(found).item

    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        """The issues of the configured repository, newest first, a hundred a request."""
        if self._settings.target is None:
            return
        for ref, title, body in self._client.created(self._settings.target, since):
            yield Listed(ref, title, ops_in(body))

    def plan(
        self, item: RemoteItem | None, change: Change, draft: Draft | None = None
    ) -> tuple[PlannedRequest, ...]:
        """The requests of a reopen, a close, with a draft an update, and without an item a create.

        Raises:
            ConfigError: an issue is to be made, and no repository is configured.
        """
        if item is not None:
            known = Known(self._milestones.get(item.ref), login=self._identity is not None)
            return plan(self._settings, item, change, draft, known)
        if draft is None:
            return ()
        return plan_create(self._settings, self._target(), change, draft)

    def retract_comment(self, ref: ItemRef, comment: CommentRef) -> None:
        """Delete a comment; one that is gone already is as good."""
        try:
            self._client.delete_comment(ref, comment)
        except NotFound:
            return

    def _await_turn(self, change: Change) -> None:
        # Before anything is read or written, so that a long wait leaves no half of a change behind.
        if change.comment is not None:
            self._pacer.turn()

    def _target(self) -> str:
        if self._settings.target is None:
            raise ConfigError(
                ("repository is not set, so there is no place for a new issue",),
                where="[trackers.github]",
                hint='set repository = "owner/name"',
            )
        return self._settings.target

    def _noted(self, found: Found) -> Found:
        self._milestones[found.item.ref] = found.milestone
        return found

    def _reopened(self, before: Found, change: Change) -> Outcome:
        wanted = self._settings.on_reopen
        after = self._carry_out(before, change, wanted)
        notes: list[str] = []
        if wants_assignee(after.assignees, wanted):
            after = self._taken(after, notes)
        notes += notes_on(after)
        if wanted.project == "report":
            notes += notes_on_projects(self._client, after.item.ref)
        result = result_of(change.goal, was_open=before.item.category.is_open)
        return outcome_of(result, before.item, after.item, change, tuple(notes))

    def _move(self, before: Found, change: Change) -> Outcome:
        after = self._carry_out(before, change)
        result = result_of(change.goal, was_open=before.item.category.is_open)
        return outcome_of(result, before.item, after.item, change)

    def _carry_out(self, found: Found, change: Change, wanted: OnReopen | None = None) -> Found:
        """State, comment, labels, each only where there is something to change."""
        after = self._reach(found, change, wanted or OnReopen())
        ref = found.item.ref
        if change.comment is not None:
            said = markdown(change.comment, mentions=change.mentions)
            self._client.comment(ref, f"{said}\n\n{hidden(change.op)}")
        return replace(after, item=self._relabel(after.item, change))

    def _reach(self, found: Found, change: Change, wanted: OnReopen) -> Found:
        fields = state_fields(found.item, found.milestone, change, wanted)
        if not fields:
            return found
        ref = found.item.ref
        try:
            after = self._client.change(ref, fields)
        except Rejected as error:
            if error.id == "redirected-write":
                # Nothing was written yet, and a read tells where the issue is now.
                self._client.read(ref)
            raise
        if change.goal is not None and must_move(after.item, change.goal):
            raise Rejected(
                "state-not-taken",
                f"GitHub took the change and left the issue {after.item.state}",
                where=self._settings.name(ref),
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

    def _assigned(self, found: Found, wishes: Wishes) -> Found:
        new = missing_assignees(wishes, found)
        if not new:
            return found
        try:
            return self._client.assign(found.item.ref, new)
        except Unauthorised as error:
            if error.id != "forbidden":
                raise
            return found

    def _taken(self, found: Found, notes: list[str]) -> Found:
        """The issue assigned to the token's account, or a note why it is not."""
        if self._identity is None:
            self._identity = identify(self._client)
        login = self._identity.login
        if login is None:
            notes.append("it could not be assigned: GitHub does not tell whom the token belongs to")
            return found
        after = self._assigned(found, Wishes(assignees=(login,)))
        if not after.assignees:
            notes.append(f"GitHub did not assign it to {login}")
        return after
