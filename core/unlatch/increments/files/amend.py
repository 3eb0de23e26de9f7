"""Changing the work of an increment whose status stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.increments.files import events
from unlatch.increments.files.amending import planned
from unlatch.increments.records.records import AMENDED, AMENDMENTS, set_pending, told_of

if TYPE_CHECKING:
    from unlatch.increments.files.events import Event
    from unlatch.increments.files.manager import MetadataManager
    from unlatch.increments.model.amendment import Amended
    from unlatch.increments.model.increment import Increment
    from unlatch.spi.operation import Operation


def amend(
    manager: MetadataManager, wanted: str, amended: Amended, *, operations: tuple[Operation, ...]
) -> tuple[Increment, Amended]:
    """Change the work of an increment whose status stays, and enqueue the updates of its items.

    Args:
        operations: the updates of the items.

    Raises:
        StoreError: `document-unreadable`, or the files cannot be written; nothing was changed.
    """
    made: list[Amended] = []

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        done = planned(before.folder, amended)
        made.append(done)
        data.setdefault(AMENDMENTS, []).append(AMENDED.write(done))
        set_pending(data, (*before.pending, *operations))
        facts = {"reason": done.reason, **told_of(done.amendment)}
        return [events.event(done.id, "amended", at=done.at, by=done.by, **facts)]

    return manager.change(wanted, edit, unarchive=True), made[-1]
