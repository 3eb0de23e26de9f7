"""The metadata manager: the one reader and writer of a project's increments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from unlatch.increments.files.collection import IncrementCollection
from unlatch.increments.files.locks import NEW, store_lock
from unlatch.increments.model.reopening import checked_reason
from unlatch.increments.model.status import Status
from unlatch.increments.records.link_edits import add_link
from unlatch.increments.records.pending import set_pending
from unlatch.increments.records.reopens import AMENDED, AMENDMENTS
from unlatch.worklog.ids import number_of
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from datetime import datetime

    from unlatch.increments.files.layout import Layout
    from unlatch.increments.files.plans import Intent, IntentDetails, Plan
    from unlatch.increments.files.snapshots import Shapes
    from unlatch.increments.files.transaction import Edit
    from unlatch.increments.model.amendment import Amended, Amendment
    from unlatch.increments.model.increment import Increment, Link, ReopenEntry
    from unlatch.spi.operation import Kind, Operation
    from unlatch.worklog.event_log import Event


class MetadataManager(IncrementCollection):
    """The increments of one project.

    Modules that only writing needs are imported by the methods that write: `list` is faster so.

    Args:
        layout: the project's folders.
        shapes: how the trackers' links are written.
        clock: returns the time, with a zone.
        new_id: makes ULIDs.
    """

    def __init__(
        self,
        layout: Layout,
        *,
        shapes: Shapes,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        super().__init__(layout, shapes=shapes)
        self.clock = clock
        self.new_id = new_id

    def create(self, title: str, *, kind: str, by: str, links: Iterable[Link] = ()) -> Increment:
        """Create an increment in planning, with the next number."""
        from unlatch.increments.files.new_increment import make_increment  # noqa: PLC0415
        from unlatch.increments.records.events import Created  # noqa: PLC0415

        with store_lock(self.layout, NEW):
            number = 1 + max((number_of(f.name) or 0 for f in self.layout.folders()), default=0)
            data: dict[str, Any] = {
                "id": "",
                "status": Status.PLANNING.value,
                "type": kind,
                "created": stamp(self.clock()),
                "lastActivity": stamp(self.clock()),
            }
            for link in links:
                add_link(data, link, self.shapes.links[link.tracker])
            event = Created(to=Status.PLANNING, **self.event_facts(by))
            folder = make_increment(self.layout, number, title, data, event)
        return self.read(folder.name)

    def reopen(
        self,
        wanted: str,
        reason: str,
        reopened_by: str,
        *,
        amendment: Amendment | None = None,
        update: Collection[Link] = (),
        **details: Unpack[IntentDetails],
    ) -> tuple[Increment, ReopenEntry]:
        """Make a completed increment active, and enqueue a reopen of its items.

        One write holds the status, the entry in reopenHistory and one pending operation for each
        link of that moment. An archived increment is moved back first.

        Args:
            amendment: the change of its work; its documents are written after metadata.json.
            update: links whose items are updated with the work.

        Raises:
            StoreError: `not-completed`, or as `change`.
            UsageError: as `checked_reason`.
        """
        from unlatch.increments.files.amendments import build_updates  # noqa: PLC0415
        from unlatch.increments.files.plans import plan_reopen  # noqa: PLC0415

        reason = checked_reason(reason)

        def plan(before: Increment, intent: Intent) -> Plan:
            updates = build_updates(self.new_id, update, at=intent.at, by=intent.by)
            return plan_reopen(before, intent, amendment=amendment, more=updates)

        made, increment = self.apply(
            wanted, plan, by=reopened_by, reason=reason, unarchive=True, **details
        )
        if made.entry is None:
            raise AssertionError("a reopen has an entry")
        return increment, made.entry

    def transition(
        self,
        wanted: str,
        to: Status,
        *,
        by: str,
        reason: str | None = None,
        enqueue: Kind | None = None,
        **details: Unpack[IntentDetails],
    ) -> Increment:
        """Move an increment along the status table.

        Args:
            enqueue: the kind of operation for its items, or None to leave them alone.
        """
        from unlatch.increments.files.plans import plan_transition  # noqa: PLC0415

        reason = checked_reason(reason) if reason is not None else None

        def plan(before: Increment, intent: Intent) -> Plan:
            return plan_transition(before, to, intent, enqueue=enqueue)

        is_open = not to.is_finished
        return self.apply(wanted, plan, by=by, reason=reason, unarchive=is_open, **details)[1]

    def undo(
        self, wanted: str, *, by: str, reason: str | None = None, **details: Unpack[IntentDetails]
    ) -> tuple[Increment, ReopenEntry]:
        """Restore the status before the last reopen, and enqueue the same for its items.

        The entry stays in the history, marked as undone.

        Raises:
            StoreError: `nothing-to-undo`, or as `change`.
        """
        from unlatch.increments.files.plans import plan_undo  # noqa: PLC0415

        made, increment = self.apply(wanted, plan_undo, by=by, reason=reason, **details)
        if made.undone is None:
            raise AssertionError("an undo marks an entry")
        return increment, made.undone

    def amend(
        self, wanted: str, amended: Amended, *, operations: tuple[Operation, ...]
    ) -> tuple[Increment, Amended]:
        """Change the work of an increment whose status stays, and enqueue updates of its items."""
        from unlatch.increments.files.amendments import plan_amendment  # noqa: PLC0415
        from unlatch.increments.records.events import amended_event  # noqa: PLC0415

        made: list[Amended] = []

        def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
            done = plan_amendment(before.folder, amended)
            made.append(done)
            data.setdefault(AMENDMENTS, []).append(AMENDED.write(done))
            set_pending(data, (*before.pending, *operations))
            return [amended_event(done)]

        return self.change(wanted, edit, unarchive=True), made[-1]

    def apply(
        self,
        wanted: str,
        plan: Callable[[Increment, Intent], Plan],
        *,
        by: str,
        reason: str | None = None,
        unarchive: bool = False,
        **details: Unpack[IntentDetails],
    ) -> tuple[Plan, Increment]:
        """Plan a change from the increment as it is under its lock, and write it."""
        from unlatch.increments.files.transaction import write_plan  # noqa: PLC0415

        made: list[Plan] = []

        def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
            made.append(plan(before, self.intent(by=by, reason=reason, **details)))
            return write_plan(data, made[-1], self.clock())

        increment = self.change(wanted, edit, unarchive=unarchive)
        return made[-1], increment

    def intent(
        self, *, by: str, reason: str | None = None, **details: Unpack[IntentDetails]
    ) -> Intent:
        """A new intent of now."""
        from unlatch.increments.files.plans import Intent  # noqa: PLC0415

        return Intent(self.new_id(), self.clock(), by, reason, **details)

    def event_facts(self, by: str) -> dict[str, Any]:
        """The id, time and author of a new event."""
        return {"id": self.new_id(), "at": self.clock(), "by": by}

    def change(
        self, wanted: str, edit: Edit, *, unarchive: bool = False, events_first: bool = False
    ) -> Increment:
        """Change one increment under its lock; nothing else writes its files.

        Args:
            unarchive: move it out of the archive, if it is there.
            events_first: write the events before metadata.json.

        Raises:
            StoreError: the files cannot be read or written; nothing was changed.
        """
        from unlatch.increments.files.transaction import change_folder  # noqa: PLC0415

        name = self.find(wanted).name
        with store_lock(self.layout, name):
            return change_folder(
                self.layout,
                self.find(name),
                self.shapes,
                edit,
                unarchive=unarchive,
                events_first=events_first,
            )

    def unarchive(self, wanted: str) -> Increment:
        """Move an increment out of the archive, and update its documents from metadata.json."""
        return self.change(wanted, lambda before, data: [], unarchive=True)  # noqa: ARG005
