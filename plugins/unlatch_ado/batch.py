"""Change many work items with one request, each guarded by its own revision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import Conflict, NotFound, Rejected, TrackerError, UnknownOutcome
from unlatch.spi import Outcome
from unlatch.values import dataclass
from unlatch_ado.parents import note_on_parent, parent_needs_reopen
from unlatch_ado.snapshot import interpret_answer, reopens, was_commented
from unlatch_ado.write import notes_on, patch_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from unlatch.spi import Change, Snapshot
    from unlatch_ado.api.client import Client
    from unlatch_ado.api.models import WorkItem
    from unlatch_ado.api.patch import Patch
    from unlatch_ado.settings import AdoSettings
    from unlatch_ado.snapshot import WorkItemSnapshot


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
    return Outcome(after, was_commented(part.seen, answer, part.change), notes=part.notes)
