"""Pending operations that this user did not record here, and the consent to them.

What their author wrote is posted in this user's name. Neither an increment's name nor an author in
a file is a consent to that, so only the notes in the user's state folder count.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.delivery.preview import preview_operations
from unlatch.delivery.run import DeliveryRun
from unlatch.increments.files.changes.plans import Plan
from unlatch.increments.files.checkout_notes import contents_of, familiar_contents, note_agreed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from unlatch.delivery.preview import Previewed
    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace


def find_unfamiliar(workspace: Workspace, increments: Iterable[Increment]) -> Iterator[Increment]:
    """The increments with such operations, which are then the only pending ones."""
    waiting = [one for one in increments if one.pending]
    if not waiting or workspace.is_of_user:
        return
    familiar = familiar_contents(workspace.paths.root)
    for one in waiting:
        contents = contents_of(one.data)
        if left := tuple(op for op in one.pending if contents[op.key] not in familiar):
            yield replace(one, pending=left)


def preview_unfamiliar(
    workspace: Workspace, trackers: Trackers, increment: Increment
) -> Sequence[Previewed]:
    """What the operations of `find_unfamiliar` do and say; no request is sent."""
    run = DeliveryRun(workspace, trackers, named=True)
    (items,) = preview_operations(run, [Plan(increment, increment)], offline=True)
    return items


def agree(workspace: Workspace, increment: Increment) -> None:
    """Note that this user agrees to the operations of `find_unfamiliar`."""
    note_agreed(workspace.paths.root, increment.data, [one.key for one in increment.pending])
