"""Labels that trackers refused: name them, and ask for those of items alone again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.increments.records.links import identity, link_of
from unlatch.increments.records.refusals import find_refusals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.delivery.planning import RefusedLabels
    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace


def known_refusals(workspace: Workspace, increment: Increment) -> Sequence[RefusedLabels]:
    """The refused labels of an increment's items, or of an item alone, by its files.

    Without those of items with pending operations.
    """
    if not (refusals := find_refusals(increment)):
        return ()
    from unlatch.delivery.planning import refused_labels  # noqa: PLC0415  (slow to load)

    pending = {identity(link_of(increment, operation)) for operation in increment.pending}
    linked = {identity(link) for link in increment.links} - pending
    chosen = (refusal for refusal in refusals if identity(refusal.link) in linked)
    refused = (refused_labels(workspace, increment, refusal) for refusal in chosen)
    return [labels for labels in refused if labels is not None]


def refusals_of_items(workspace: Workspace) -> Iterator[tuple[Increment, RefusedLabels]]:
    """The refused labels of items alone, each with its record; the items are not read."""
    records, _ = workspace.manager.read_all()
    for record in records:
        for labels in known_refusals(workspace, record):
            yield record, labels


def ask_for_items(workspace: Workspace, *, by: str) -> None:
    """Enqueue operations that ask again for what was refused on items alone."""
    from unlatch.delivery.planning import ask_again  # noqa: PLC0415  (as above)
    from unlatch.increments.files.outbox import enqueue  # noqa: PLC0415

    for record, labels in [*refusals_of_items(workspace)]:
        enqueue(workspace.manager, record.id, ask_again(workspace, record, labels.refusal, by=by))
