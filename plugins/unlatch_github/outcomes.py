"""What became of a change, from what GitHub answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.spi import Outcome
from unlatch_github.labels import within, without

if TYPE_CHECKING:
    from unlatch.spi import Change, RemoteItem, Result


def outcome_of(
    result: Result,
    before: RemoteItem | None,
    after: RemoteItem,
    change: Change,
    notes: tuple[str, ...] = (),
) -> Outcome:
    """The outcome of a change that led from one answer to another."""
    had = before.labels if before else ()
    return Outcome(
        result=result,
        before=before,
        after=after,
        commented=change.comment is not None,
        # What people relabelled meanwhile is theirs, and no undo of ours shall touch it.
        labels_added=within(without(after.labels, had), change.add_labels),
        labels_removed=within(without(had, after.labels), change.remove_labels),
        notes=(*_label_notes(after, change), *notes),
    )


def _label_notes(after: RemoteItem, change: Change) -> tuple[str, ...]:
    refused = [
        *(f"+{name}" for name in without(change.add_labels, after.labels)),
        *(f"-{name}" for name in within(after.labels, change.remove_labels)),
    ]
    if not refused:
        return ()
    return (f"GitHub did not change the labels {' '.join(refused)}: the token needs triage rights",)
