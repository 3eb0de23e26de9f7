"""The one code path of a change: decide, then let a `Writer` send, validate or list it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import Rejected
from unlatch.spi import Goal, Outcome, Progress, must_move
from unlatch_ado.api.patch import DESCRIPTION, STATE, TITLE, Patch, changed_tags, comment_of
from unlatch_ado.description import fit, title_notes, title_of, update_description
from unlatch_ado.parents import reopen_parent
from unlatch_ado.snapshot import WorkItemSnapshot, interpret_answer, reopens, was_commented
from unlatch_ado.writers import notes_on_refused, send_aloud, send_dropping_tags

if TYPE_CHECKING:
    from unlatch.spi import Change, Draft, Snapshot
    from unlatch_ado.api.models import WorkItem
    from unlatch_ado.api.projects import Projects
    from unlatch_ado.settings import AdoSettings
    from unlatch_ado.settings_types import FieldValue
    from unlatch_ado.writers import Writer

Fields = tuple[tuple[str, "FieldValue"], ...]
# The cached states of the type may be outdated.
_PERHAPS_STALE = ("no-legal-state", "rule-broken")


def write(writer: Writer, snapshot: Snapshot, change: Change) -> Outcome:
    """Change a work item in one request, guarded by the revision of the snapshot.

    Raises:
        Conflict: the item changed since the snapshot; nothing was applied.
        Rejected: `no-legal-state`; a rule of the type refuses the change; `body-too-long`.
        TrackerError: anything else; its `done` holds the parts done before.
    """
    seen: WorkItemSnapshot = snapshot.private
    with Progress(snapshot.item) as done:
        try:
            _attempt(writer, seen, change, done)
        except Rejected as refusal:
            fresh = _with_fresh_states(writer.projects, seen, refusal)
            if fresh is None:
                raise
            # A note on its parent means that the parent was handled.
            parent = None if done.notes else seen.parent
            _attempt(writer, replace(fresh, parent=parent), change, done)
    return done.outcome


def patch_for(settings: AdoSettings, seen: WorkItemSnapshot, change: Change) -> Patch:
    """The request that applies the change to a work item.

    Raises:
        Rejected: `no-legal-state`, `body-too-long`.
    """
    item = seen.item
    return Patch(
        revision=item.revision,
        fields=(
            *_state_fields(settings, seen, change),
            *(_draft_fields(item, change.draft) if change.draft else ()),
        ),
        tags=(item.tags, changed_tags(item.tags, change)),
        comment=comment_of(change),
        is_silent=settings.is_silent(change),
    )


def notes_on(seen: WorkItemSnapshot, change: Change) -> tuple[str, ...]:
    """Messages for people about a completed change."""
    renewed = seen.renewal.notes if reopens(seen, change) else ()
    return (*seen.notes, *renewed, *(title_notes(change.draft) if change.draft else ()))


def _attempt(writer: Writer, seen: WorkItemSnapshot, change: Change, done: Progress) -> None:
    patch = patch_for(writer.settings, seen, change)
    done.unchanged = change.draft is not None and not patch.fields
    if reopens(seen, change):
        done.notes += reopen_parent(writer, seen, patch)
    if not patch.is_empty:
        send = partial(_send_patch, writer, seen.item)
        answer, refused = send_dropping_tags(patch, lambda one: send_aloud(one, send, done.notes))
        done.item = interpret_answer(writer.settings, writer.projects, answer).remote
        done.commented = was_commented(seen, answer, change)
        done.refused += refused
        done.notes += notes_on_refused(refused)
    done.notes += notes_on(seen, change)


def _send_patch(writer: Writer, item: WorkItem, patch: Patch) -> WorkItem:
    # Without a forbidden tag, the request may be empty.
    return item if patch.is_empty else writer.change(item, patch)


def _with_fresh_states(
    projects: Projects, seen: WorkItemSnapshot, refusal: Rejected
) -> WorkItemSnapshot | None:
    """The same with freshly read states; None if they are unchanged."""
    if refusal.id not in _PERHAPS_STALE:
        return None
    fresh = projects.workflow(seen.item.project, seen.item.type, anew=True)
    return None if fresh == seen.workflow else replace(seen, workflow=fresh)


def _state_fields(settings: AdoSettings, seen: WorkItemSnapshot, change: Change) -> Fields:
    """The new state, and the fields to set with it."""
    if change.goal is None:
        return ()
    if not must_move(seen.remote, change.goal):
        return ()
    configured = settings.state_for(change.goal, seen.item.type)
    state = seen.workflow.target(seen.item.state, change.goal, configured=configured)
    renewed = seen.renewal.fields if change.goal is Goal.OPEN else ()
    return ((STATE, state), *settings.fields.of(change.goal).items(), *renewed)


def _draft_fields(item: WorkItem, draft: Draft) -> Fields:
    if item.description is None:
        raise ValueError("the snapshot was read without the description that is to be edited")
    was = item.description
    new = fit(draft, lambda part: update_description(was, part))
    edits = {TITLE: (item.title, title_of(draft)), DESCRIPTION: (was, new)}
    return tuple((name, new) for name, (was, new) in edits.items() if new != was)
