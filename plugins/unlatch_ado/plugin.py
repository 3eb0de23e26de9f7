"""Azure DevOps work items as unlatch sees them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from unlatch.errors import Conflict, Rejected, TrackerError
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
    is_held_closed,
    ops_in,
)
from unlatch_ado import examining
from unlatch_ado.answers import DESCRIPTION
from unlatch_ado.client import Client
from unlatch_ado.creation import linked_items, plan_for
from unlatch_ado.description import checked, rewritten, title_notes, title_of
from unlatch_ado.discussion import plain
from unlatch_ado.errors import unreadable
from unlatch_ado.parents import look_after_parent, told_of_parent
from unlatch_ado.planning import patch_for, plan_change, plan_creation, target_state
from unlatch_ado.reopening import Renewal, renewal_of
from unlatch_ado.seeing import Seen, see, understand
from unlatch_ado.sending import outcome_of, sent
from unlatch_ado.together import Due, change_together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from unlatch.transport import Transport
    from unlatch_ado.answers import WorkItem
    from unlatch_ado.patch import Plan
    from unlatch_ado.planning import Fields
    from unlatch_ado.settings import AdoSettings

T = TypeVar("T")
_TITLE = "System.Title"
# The type's states may have been edited within the day that they are kept for.
_PERHAPS_STALE = ("no-legal-state", "rule-broken")


class AdoPlugin(SyncPlugin):
    """Azure DevOps Services and Server.

    State, tags and comment go in one request, guarded by the revision that was read
    (https://learn.microsoft.com/rest/api/azure/devops/wit/work-items/update), so an operation is
    done as a whole or not at all.
    """

    def __init__(self, settings: AdoSettings, transport: Transport) -> None:
        self._settings = settings
        self._client = Client(settings.organization_url, transport, newest=settings.api_version)
        # By the address of a work item: its parent's number, for the plan of a change.
        self._parents: dict[str, str | None] = {}

    def get_issue_status(self, ref: ItemRef) -> RemoteItem:
        """Read one work item."""
        return self._read(ref, related=self._looks_at_parents).remote

    def get_statuses(self, refs: Sequence[ItemRef]) -> Mapping[ItemRef, RemoteItem | TrackerError]:
        """Read many work items, two hundred a request."""
        found = self._client.read_many(ref.id for ref in refs)
        failed: dict[tuple[str, str], TrackerError] = {}
        return {ref: self._status_of(found[str(int(ref.id))], failed) for ref in refs}

    def reopen_issue(self, ref: ItemRef, change: Change) -> Outcome:
        """Bring a work item into an open state, comment and relabel, in one request."""
        return self._changed(self._read(ref, related=self._looks_at_parents), change)

    def close_issue(self, ref: ItemRef, change: Change) -> Outcome:
        """Bring a work item into a closed state, comment and relabel, in one request."""
        return self._changed(self._read(ref), change)

    def change_many(
        self, wanted: Sequence[tuple[ItemRef, Change]]
    ) -> Sequence[Outcome | TrackerError | None]:
        """Reopen and close many work items: one request reads them, and one changes them."""
        looks = self._looks_at_parents and any(one.goal is Goal.OPEN for _, one in wanted)
        found = self._client.read_many((ref.id for ref, _ in wanted), related=looks)
        parents = self._parents_told(found.values())
        # An item that is meant twice, by two addresses, is changed once.
        items = [(found.pop(str(int(ref.id)), None), change) for ref, change in wanted]
        due = [self._due(item, change, parents) for item, change in items]
        return change_together(self._client, due, self._answered)

    def create_issue(self, draft: Draft, change: Change) -> Outcome:
        """Make a work item in the configured project."""
        project, type_, plan = self._drafted(draft, change)
        # Asked before the item is made: an error after that would hide what was made.
        self._client.projects.workflow(project, type_)
        made, notes = sent(plan, lambda plan: self._client.create(project, type_, plan.steps()))
        after = self._answered(made)
        return Outcome(
            result=Result.CREATED,
            before=None,
            after=after.remote,
            commented=plan.comment is not None,
            labels_added=after.remote.labels,
            notes=(*notes, *title_notes(draft)),
        )

    def update_issue(self, ref: ItemRef, draft: Draft, change: Change) -> Outcome:
        """Set the title and the kept part of the description, comment and relabel."""
        seen = self._read(ref, description=True)
        outcome = self._changed(seen, change, _edits(seen, draft))
        notes = (*outcome.notes, *title_notes(draft))
        return replace(outcome, result=Result.UPDATED, notes=notes)

    def find_comments(self, ref: ItemRef, op: str, since: datetime) -> tuple[CommentRef, ...]:
        """The comments that carry the marker of `op`, oldest first."""
        return self._client.comments_with(_project_of(ref), ref.id, op, since)

    def find_ops(self, ref: ItemRef, since: datetime) -> tuple[str, ...]:
        """The operations whose markers stand in comments since then, oldest first."""
        return self._client.ops(_project_of(ref), ref.id, since)

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        """The work item of the configured project whose description carries the marker of `op`."""
        if self._settings.project is None:
            return None
        found = self._client.created_with(self._settings.project, op, since)
        return None if found is None else self._understood(found).remote

    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        """The work items of the configured project, newest first, two hundred a request."""
        if self._settings.project is None:
            return
        for item in self._client.newest(self._settings.project, since):
            if not isinstance(item, TrackerError):
                ref = self._settings.ref(item.project, str(item.id))
                yield Listed(ref, item.title, ops_in(plain(item.description)))

    def plan(
        self, item: RemoteItem | None, change: Change, draft: Draft | None = None
    ) -> tuple[PlannedRequest, ...]:
        """The requests of a reopen or a close; with a draft, of an update or a create."""
        if item is None:
            return plan_creation(self._settings, self._client, _given(draft), change)
        rewrites = draft is not None
        parent = self._parents.get(item.ref.url)
        return plan_change(
            self._settings, self._client, item, change, rewrites=rewrites, parent=parent
        )

    def approve(self, item: RemoteItem | None, change: Change, draft: Draft | None = None) -> None:
        """Let Azure DevOps judge the request that would be sent (`validateOnly`)."""
        if item is None:
            project, type_, plan = self._drafted(_given(draft), change)
            sent(plan, lambda plan: self._client.would_create(project, type_, plan.steps()))
            return
        seen = self._read(item.ref, description=draft is not None)
        fields = _edits(seen, draft) if draft else ()
        self._with_fresh_states(seen, lambda seen: self._judged(seen, change, fields))

    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        """Find out what the token may do, and hold the configuration against the process."""
        return examining.examine(self._settings, self._client, refs)

    @property
    def _looks_at_parents(self) -> bool:
        return self._settings.on_reopen.parent != "ignore"

    def _parents_told(
        self, found: Iterable[WorkItem | TrackerError]
    ) -> dict[str, tuple[str, ...] | None]:
        """What is to be said of the parents of many work items, by number; as told_of_parent."""
        items = [item for item in found if not isinstance(item, TrackerError)]
        numbers = {item.parent for item in items if item.parent}
        parents = self._client.read_many(numbers) if numbers else {}
        return {n: told_of_parent(self._settings, self._client, one) for n, one in parents.items()}

    def _due(
        self,
        item: WorkItem | TrackerError | None,
        change: Change,
        parents: Mapping[str, tuple[str, ...] | None],
    ) -> Due | None:
        """What is to be sent for one of many; None where more than one request may be needed."""
        if item is None or isinstance(item, TrackerError):
            return None
        try:
            seen = see(self._settings, self._client.projects, item)
            state, plan, notes = self._planned(seen, change, ())
        except TrackerError:
            return None
        told: tuple[str, ...] | None = ()
        if state is not None and change.goal is Goal.OPEN and item.parent:
            told = parents.get(item.parent)
        return None if told is None else Due(seen, change, state, plan, (*told, *notes))

    def _drafted(self, draft: Draft, change: Change) -> tuple[str, str, Plan]:
        project = self._settings.project
        if project is None:
            raise Rejected(
                "target-missing",
                "no project is configured for new work items",
                hint="set `project` in [trackers.ado]",
            )
        wanted = [item for _, item in linked_items(self._settings, draft)]
        items = self._client.read_many(wanted) if wanted else {}
        plan = plan_for(self._settings, draft, change, items)
        return project, self._settings.type_for(draft.type), plan

    def _read(self, ref: ItemRef, *, description: bool = False, related: bool = False) -> Seen:
        item = self._client.read(ref.id, description=description, related=related)
        seen = see(self._settings, self._client.projects, item)
        if related:
            self._parents[seen.remote.ref.url] = item.parent
        return seen

    def _status_of(
        self, item: WorkItem | TrackerError, failed: dict[tuple[str, str], TrackerError]
    ) -> RemoteItem | TrackerError:
        if isinstance(item, TrackerError):
            return item
        # What cannot be learnt about a type is not asked for again with every item.
        kind = (item.project, item.type)
        if kind in failed:
            return failed[kind]
        try:
            return see(self._settings, self._client.projects, item).remote
        except Rejected as refusal:
            return refusal
        except TrackerError as error:
            return failed.setdefault(kind, error)

    def _answered(self, item: WorkItem) -> Seen:
        """What a change was answered with; it has been made, whatever else goes wrong."""
        try:
            return self._understood(item)
        except TrackerError as error:
            raise unreadable(writing=True) from error

    def _understood(self, item: WorkItem) -> Seen:
        return understand(self._settings, self._client.projects, item)

    def _changed(self, seen: Seen, change: Change, fields: Fields = ()) -> Outcome:
        if change.revision not in (None, seen.remote.revision):
            raise Conflict("conflict", "the work item was changed since it was looked at")
        return self._with_fresh_states(seen, lambda seen: self._apply(seen, change, fields))

    def _with_fresh_states(self, seen: Seen, act: Callable[[Seen], T]) -> T:
        try:
            return act(seen)
        except Rejected as refusal:
            if refusal.id not in _PERHAPS_STALE:
                raise
            fresh = self._client.projects.workflow(seen.item.project, seen.item.type, anew=True)
            if fresh == seen.workflow:
                raise
            return act(replace(seen, workflow=fresh))

    def _apply(self, seen: Seen, change: Change, fields: Fields) -> Outcome:
        state, plan, notes = self._planned(seen, change, fields)
        if state is not None and change.goal is Goal.OPEN:
            notes += look_after_parent(
                self._settings,
                self._client,
                seen,
                make_sure=lambda: self._rehearse(seen, plan),
            )
        after, missed = seen, _NO_NOTES
        if not plan.is_empty:
            answered, missed = sent(plan, lambda plan: self._write(seen, plan))
            after = self._answered(answered)
        return outcome_of(seen, after, change, state=state, notes=(*missed, *notes))

    def _judged(self, seen: Seen, change: Change, fields: Fields) -> None:
        _, plan, _ = self._planned(seen, change, fields)
        self._rehearse(seen, plan)

    def _rehearse(self, seen: Seen, plan: Plan) -> None:
        def send(plan: Plan) -> None:
            if not plan.is_empty:
                self._client.would_change(str(seen.item.id), plan.steps())

        sent(plan, send)

    def _planned(
        self, seen: Seen, change: Change, fields: Fields
    ) -> tuple[str | None, Plan, tuple[str, ...]]:
        state, renewal = self._wanted_state(seen, change), Renewal()
        if state is not None and change.goal is Goal.OPEN:
            today = datetime.now(UTC).date()
            renewal = renewal_of(self._settings, self._client.projects, seen.item, today=today)
        fields += renewal.fields
        plan = patch_for(self._settings, seen.remote, change, state=state, fields=fields)
        return state, plan, renewal.notes

    def _write(self, seen: Seen, plan: Plan) -> WorkItem:
        # Nothing is left where the only wish was a tag that may not be made.
        return seen.item if plan.is_empty else self._client.change(str(seen.item.id), plan.steps())

    def _wanted_state(self, seen: Seen, change: Change) -> str | None:
        """The state to go to; None if the item is where it shall be."""
        if is_held_closed(seen.remote, change):
            raise Rejected(
                "deliberately-closed",
                f"the work item was closed on purpose ({seen.remote.state})",
                hint="reopen it all the same with --even-if-not-planned",
            )
        return target_state(self._settings, seen.remote, change, seen.workflow)


_NO_NOTES: tuple[str, ...] = ()


def _given(draft: Draft | None) -> Draft:
    if draft is None:
        raise TypeError("a work item is made from a draft")
    return draft


def _edits(seen: Seen, draft: Draft) -> Fields:
    old = seen.item
    edits = {
        _TITLE: (old.title, title_of(draft)),
        DESCRIPTION: (old.description, checked(rewritten(old.description, draft))),
    }
    return tuple((name, new) for name, (was, new) in edits.items() if new != was)


def _project_of(ref: ItemRef) -> str:
    return ref.target.partition("/")[2]
