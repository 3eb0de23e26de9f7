"""The one code path of a change, alone or among many: decide, then send, validate or list it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import Conflict, NotFound, Rejected, TrackerError, UnknownOutcome
from unlatch.spi import Goal, Outcome, Progress, must_move
from unlatch.values import dataclass
from unlatch_ado.api.patch import DESCRIPTION, STATE, TITLE, Patch, changed_tags, comment_of
from unlatch_ado.description import fit, title_notes, title_of, update_description
from unlatch_ado.parents import note_on_parent, parent_needs_reopen, reopen_parent
from unlatch_ado.snapshot import WorkItemSnapshot, interpret_answer, reopens, was_commented
from unlatch_ado.writers import Writer, notes_on_refused, send_aloud, send_dropping_tags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from unlatch.spi import Change, Draft, Snapshot
    from unlatch_ado.api.client import Client
    from unlatch_ado.api.models import WorkItem
    from unlatch_ado.api.projects import Projects
    from unlatch_ado.settings import AdoSettings
    from unlatch_ado.settings_types import FieldValue


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
        answer, refused = send_dropping_tags(
            patch, lambda attempt: send_aloud(attempt, send, done.notes)
        )
        done.item = interpret_answer(writer.settings, writer.projects, answer).remote
        done.commented = was_commented(seen, answer, change)
        done.account = answer.changed_by if done.commented else None
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


@dataclass(frozen=True, slots=True)
class Part:
    """One work item's part of the request."""

    seen: WorkItemSnapshot
    change: Change
    patch: Patch
    notes: tuple[str, ...]

    @property
    def item(self) -> str:
        """The work item's number."""
        return str(self.seen.item.id)


def write_many(
    settings: AdoSettings, client: Client, wanted: Sequence[tuple[Snapshot, Change]]
) -> list[Outcome | TrackerError | None]:
    """Change many work items; the result is None for one that must be written separately.

    Raises:
        TrackerError: the result of all of them.
    """
    parts = [_part(settings, snapshot.private, change) for snapshot, change in wanted]
    due = [part for part in parts if part and not part.patch.is_empty]
    answers = _answers(client, due)
    return [part if part is None else _outcome(settings, client, part, answers) for part in parts]


def _part(settings: AdoSettings, seen: WorkItemSnapshot, change: Change) -> Part | None:
    """One work item's part; None if it may need more than one request."""
    try:
        patch = patch_for(settings, seen, change)
    except Rejected:
        return None
    if not reopens(seen, change):
        return Part(seen, change, patch, notes_on(seen, change))
    if parent_needs_reopen(settings, seen):
        return None
    return Part(seen, change, patch, (*note_on_parent(seen), *notes_on(seen, change)))


def _answers(client: Client, due: Sequence[Part]) -> Mapping[str, WorkItem | TrackerError]:
    if not due:
        return {}
    try:
        silent = {part.item for part in due if part.patch.is_silent}
        return client.change_many({part.item: part.patch.steps() for part in due}, silent=silent)
    except (NotFound, Rejected):
        return {}  # nothing was changed; an old server may lack the call


def _outcome(
    settings: AdoSettings,
    client: Client,
    part: Part,
    answers: Mapping[str, WorkItem | TrackerError],
) -> Outcome | TrackerError | None:
    if part.patch.is_empty:
        return Outcome(part.seen.remote, notes=part.notes)
    answer = answers.get(part.item)
    if isinstance(answer, Conflict | UnknownOutcome):
        return answer
    if answer is None or isinstance(answer, TrackerError):
        return None
    try:
        after = interpret_answer(settings, client.projects, answer).remote
    except TrackerError as error:
        return error
    is_commented = was_commented(part.seen, answer, part.change)
    account = answer.changed_by if is_commented else None
    return Outcome(after, is_commented, notes=part.notes, account=account)
