"""Azure DevOps work items as unlatch sees them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from unlatch.domain.text import without_controls
from unlatch.errors import Conflict, Rejected, TrackerError, Unauthorised
from unlatch.spi import (
    Category,
    Change,
    CommentRef,
    Draft,
    ItemRef,
    Outcome,
    PlannedRequest,
    RemoteItem,
    Result,
    SyncPlugin,
    is_held_closed,
    result_of,
)
from unlatch_ado.answers import DESCRIPTION
from unlatch_ado.client import Client
from unlatch_ado.description import LONGEST, LONGEST_TITLE, rewritten, title_of, written
from unlatch_ado.errors import unreadable
from unlatch_ado.patch import Plan, changed_tags, comment_of
from unlatch_ado.planning import patch_for, plan, target_state

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from unlatch.transport import Transport
    from unlatch_ado.answers import WorkItem
    from unlatch_ado.planning import Fields
    from unlatch_ado.settings import AdoSettings
    from unlatch_ado.workflow import Workflow

_TITLE = "System.Title"
# The type's states may have been edited within the day that they are kept for.
_PERHAPS_STALE = ("no-legal-state", "rule-broken")
_NO_NOTES: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Seen:
    """A work item as it was answered: the tracker's words, and what they mean."""

    item: WorkItem
    remote: RemoteItem
    workflow: Workflow


class AdoPlugin(SyncPlugin):
    """Azure DevOps Services and Server.

    State, tags and comment go in one request, guarded by the revision that was read
    (https://learn.microsoft.com/rest/api/azure/devops/wit/work-items/update), so an operation is
    done as a whole or not at all.
    """

    def __init__(self, settings: AdoSettings, transport: Transport) -> None:
        self._settings = settings
        self._client = Client(settings.organization_url, transport)

    def get_issue_status(self, ref: ItemRef) -> RemoteItem:
        """Read one work item."""
        return self._read(ref).remote

    def reopen_issue(self, ref: ItemRef, change: Change) -> Outcome:
        """Bring a work item into an open state, comment and relabel, in one request."""
        return self._changed(self._read(ref), change)

    def close_issue(self, ref: ItemRef, change: Change) -> Outcome:
        """Bring a work item into a closed state, comment and relabel, in one request."""
        return self._changed(self._read(ref), change)

    def create_issue(self, draft: Draft, change: Change) -> Outcome:
        """Make a work item in the configured project."""
        project = self._settings.project
        if project is None:
            raise Rejected(
                "target-missing",
                "no project is configured for new work items",
                hint="set `project` in [trackers.ado]",
            )
        type_ = self._settings.type_for(draft.type)
        # Asked before the item is made: an error after that would hide what was made.
        self._client.workflow(project, type_)
        plan = Plan(
            revision=None,
            fields=((_TITLE, title_of(draft)), (DESCRIPTION, _checked(written(draft, change.op)))),
            tags=((), changed_tags((), change)),
            comment=comment_of(change),
        )
        made, notes = _sent(plan, lambda plan: self._client.create(project, type_, plan.steps()))
        after = self._answered(made)
        return Outcome(
            result=Result.CREATED,
            before=None,
            after=after.remote,
            commented=plan.comment is not None,
            labels_added=after.remote.labels,
            notes=(*notes, *_title_notes(draft)),
        )

    def update_issue(self, ref: ItemRef, draft: Draft, change: Change) -> Outcome:
        """Set the title and the kept part of the description, comment and relabel."""
        seen = self._read(ref, description=True)
        edits = {
            _TITLE: (seen.item.title, title_of(draft)),
            DESCRIPTION: (
                seen.item.description,
                _checked(rewritten(seen.item.description, draft)),
            ),
        }
        fields = tuple((name, new) for name, (old, new) in edits.items() if new != old)
        outcome = self._changed(seen, change, fields)
        notes = (*outcome.notes, *_title_notes(draft))
        return replace(outcome, result=Result.UPDATED, notes=notes)

    def find_comments(self, ref: ItemRef, op: str, since: datetime) -> tuple[CommentRef, ...]:
        """The comments that carry the marker of `op`, oldest first."""
        return self._client.comments_with(_project_of(ref), ref.id, op, since)

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        """The work item of the configured project whose description carries the marker of `op`."""
        if self._settings.project is None:
            return None
        found = self._client.created_with(self._settings.project, op, since)
        return None if found is None else self._understood(found).remote

    def plan(
        self, item: RemoteItem, change: Change, draft: Draft | None = None
    ) -> tuple[PlannedRequest, ...]:
        """The requests of a reopen, a close or, with a draft, an update."""
        return plan(
            self._settings,
            item,
            change,
            rewrites=draft is not None,
            workflow=self._client.known_workflow(_project_of(item.ref), item.type or ""),
            knows_routes=self._client.knows_routes,
        )

    def _read(self, ref: ItemRef, *, description: bool = False) -> _Seen:
        item = self._client.read(ref.id, description=description)
        # Azure DevOps finds items by their number alone: the address may name a project that the
        # item has left, or never was in.
        found = self._settings.ref(item.project, str(item.id))
        if not self._settings.allows(found):
            raise Rejected(
                "target-not-allowed",
                f"the work item is in {found.target}, which is not among the configured projects",
                hint="add the project to `projects` in [trackers.ado]",
            )
        return self._understood(item)

    def _answered(self, item: WorkItem) -> _Seen:
        """What a change was answered with; it has been made, whatever else goes wrong."""
        try:
            return self._understood(item)
        except TrackerError as error:
            raise unreadable(writing=True) from error

    def _understood(self, item: WorkItem) -> _Seen:
        workflow = self._client.workflow(item.project, item.type)
        category = workflow.category(item.state)
        if category is None:
            # The process was edited since the type was read.
            workflow = self._client.workflow(item.project, item.type, anew=True)
            category = workflow.category(item.state)
        if category is None:
            raise Rejected(
                "state-unknown",
                f"the work item's state {item.state!r} is none of those of a {item.type}",
                hint="give it another state by hand",
            )
        remote = RemoteItem(
            ref=self._settings.ref(item.project, str(item.id)),
            title=item.title,
            state=item.state,
            category=category,
            type=item.type,
            deliberate=category is Category.DROPPED,
            labels=item.tags,
            assignee=item.assignee,
            revision=str(item.revision),
            updated=item.changed,
        )
        return _Seen(item, remote, workflow)

    def _changed(self, seen: _Seen, change: Change, fields: Fields = ()) -> Outcome:
        if change.revision not in (None, seen.remote.revision):
            raise Conflict("conflict", "the work item was changed since it was looked at")
        try:
            return self._apply(seen, change, fields)
        except Rejected as refusal:
            if refusal.id not in _PERHAPS_STALE:
                raise
            fresh = self._client.workflow(seen.item.project, seen.item.type, anew=True)
            if fresh == seen.workflow:
                raise
            return self._apply(replace(seen, workflow=fresh), change, fields)

    def _apply(self, seen: _Seen, change: Change, fields: Fields) -> Outcome:
        state = self._wanted_state(seen, change)
        plan = patch_for(seen.remote, change, state=state, fields=fields)
        after, notes = seen, _NO_NOTES
        if not plan.is_empty:
            answered, notes = _sent(plan, lambda plan: self._write(seen, plan))
            after = self._answered(answered)
        return _outcome(seen, after, change, state=state, notes=notes)

    def _write(self, seen: _Seen, plan: Plan) -> WorkItem:
        # Nothing is left where the only wish was a tag that may not be made.
        return seen.item if plan.is_empty else self._client.change(str(seen.item.id), plan.steps())

    def _wanted_state(self, seen: _Seen, change: Change) -> str | None:
        """The state to go to; None if the item is where it shall be."""
        if is_held_closed(seen.remote, change):
            raise Rejected(
                "deliberately-closed",
                f"the work item was closed on purpose ({seen.remote.state})",
                hint="reopen it all the same with --even-if-not-planned",
            )
        return target_state(self._settings, seen.remote, change, seen.workflow)


def _sent(plan: Plan, send: Callable[[Plan], WorkItem]) -> tuple[WorkItem, tuple[str, ...]]:
    """Send the plan; where tags may not be made, without them (nothing of the first was taken)."""
    try:
        return send(plan), ()
    except Unauthorised as refusal:
        lesser = plan.without_new_tags()
        if refusal.id != "tag-not-permitted" or lesser == plan:
            raise
        missing = ", ".join(tag for tag in plan.tags[1] if tag not in lesser.tags[1])
        note = f"not added, because this account may not create tags in the project: {missing}"
        return send(lesser), (note,)


def _outcome(
    before: _Seen, after: _Seen, change: Change, *, state: str | None, notes: tuple[str, ...]
) -> Outcome:
    if state is not None and after.item.state != state:
        raise Rejected(
            "state-not-taken",
            f"Azure DevOps took the change and left the work item in state {after.item.state!r}",
            hint="look at the rules of the work item's type",
        )
    old, new = before.item.tags, after.item.tags
    return Outcome(
        result=result_of(change.goal, was_open=before.remote.category.is_open),
        before=before.remote,
        after=after.remote,
        commented=change.comment is not None and after.item.revision > before.item.revision,
        labels_added=_without(new, old),
        labels_removed=_without(old, new),
        notes=notes,
    )


def _without(tags: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    known = {tag.casefold() for tag in others}
    return tuple(tag for tag in tags if tag.casefold() not in known)


def _checked(text: str) -> str:
    if len(text) > LONGEST:
        raise Rejected(
            "body-too-long",
            f"the description would have {len(text)} characters, and {LONGEST} fit",
            hint="shorten spec.md, or what else the description holds",
        )
    return text


def _title_notes(draft: Draft) -> tuple[str, ...]:
    cut = title_of(draft) != " ".join(without_controls(draft.title).split())
    return (f"the title was cut to {LONGEST_TITLE} characters",) if cut else ()


def _project_of(ref: ItemRef) -> str:
    return ref.target.partition("/")[2]
