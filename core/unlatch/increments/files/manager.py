"""The metadata manager: the one writer of increments, and the keeper of the status table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.errors import UsageError
from unlatch.increments.files.amendments import enqueue_updates, plan_amendment
from unlatch.increments.files.apply import write_plan
from unlatch.increments.files.finding import Finder
from unlatch.increments.files.locks import store_lock
from unlatch.increments.files.new_increment import make_increment
from unlatch.increments.files.plans import Intent, Plan, plan_reopen, plan_transition, plan_undo
from unlatch.increments.files.snapshots import read_folder, read_increment
from unlatch.increments.files.transaction import change_folder
from unlatch.increments.model.increment import BrokenIncrement
from unlatch.increments.model.status import Status
from unlatch.increments.records.links import add_link
from unlatch.increments.records.records import AMENDED, AMENDMENTS, set_pending
from unlatch.spi.options import AS_CONFIGURED, DeliveryOptions
from unlatch.spi.text import without_surrogates
from unlatch.worklog.collection import without_collection
from unlatch.worklog.ids import number_of
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    from unlatch.increments.files.layout import Folder, Layout
    from unlatch.increments.files.snapshots import Shapes
    from unlatch.increments.files.transaction import Edit
    from unlatch.increments.model.amendment import Amended, Amendment
    from unlatch.increments.model.increment import Increment, Link, ReopenEntry
    from unlatch.spi.operation import Kind, Operation
    from unlatch.worklog.event_log import Event

LONGEST_REASON = 10_000


class MetadataManager:
    """The increments of one project.

    Args:
        layout: where they lie.
        shapes: how the trackers' links are written.
        clock: tells the time, with a zone.
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
        self.layout = layout
        self.clock = clock
        self.new_id = new_id
        self.shapes = shapes
        self._finder = Finder(layout)

    # Reading

    def find(self, wanted: str) -> Folder:
        """The folder that `wanted` means: 7, 0007, or the folder's name; archived ones too.

        Raises:
            UsageError: `unknown-increment` or `ambiguous-increment`.
            StoreError: `folder-vanished`, if it was found before.
        """
        return self._finder.find(wanted)

    def read(self, wanted: str) -> Increment:
        """The increment that `wanted` means.

        Raises:
            UsageError: it is unknown or ambiguous.
            StoreError: its files cannot be read.
        """
        return read_increment(self.find(wanted), self.shapes)

    def list(self) -> list[Increment | BrokenIncrement]:
        """All increments, archived and broken ones included."""
        return [*self.each(self.layout.folders())]

    def read_all(self) -> tuple[Sequence[Increment], Sequence[BrokenIncrement]]:
        """The increments that can be read, and those that cannot."""
        found = self.list()
        broken = [one for one in found if isinstance(one, BrokenIncrement)]
        return [one for one in found if not isinstance(one, BrokenIncrement)], broken

    def each(self, folders: Iterable[Folder]) -> Iterator[Increment | BrokenIncrement]:
        """The increments in these folders, each read when it is its turn."""
        with without_collection():
            for folder in folders:
                yield read_folder(folder, self.shapes)

    def has_frequent_reopens(self, wanted: str, threshold: int = 3) -> bool:
        """Whether it was reopened `threshold` times or more, undone reopens left out."""
        return self.read(wanted).has_frequent_reopens(threshold)

    # Life

    def create(self, title: str, *, kind: str, by: str, links: Iterable[Link] = ()) -> Increment:
        """A new increment in planning, numbered on from the highest.

        Raises:
            StoreError: `not-writable`.
        """
        from unlatch.increments.records.events import Created  # noqa: PLC0415  (reading needs none)

        with store_lock(self.layout, "new"):
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
            told = Created(id=self.new_id(), at=self.clock(), by=by, to=Status.PLANNING)
            folder = make_increment(self.layout, number, title, data, told=told)
        return self.read(folder.name)

    def reopen(
        self,
        wanted: str,
        reason: str,
        reopened_by: str,
        *,
        source: str | None = None,
        category: str | None = None,
        forced: tuple[str, ...] = (),
        amendment: Amendment | None = None,
        exclude: Collection[Link] = (),
        update: Collection[Link] = (),
        options: DeliveryOptions = AS_CONFIGURED,
    ) -> tuple[Increment, ReopenEntry]:
        """Make a completed increment active, and enqueue a reopen of its items.

        One write holds the status, the entry in reopenHistory and one pending operation for each
        link of that moment. An archived increment is moved back first.

        Args:
            source: the item that it follows, for a pull.
            category: the kind of reason that it is.
            forced: the ids of the rule violations that were overridden.
            amendment: what is changed about the work; its documents are written behind it.
            exclude: links whose items are left alone.
            update: links whose items are to show the work as it is then.
            options: how the items are to be reopened.

        Raises:
            StoreError: `not-completed`, and whatever keeps the files from being read or written.
            UsageError: `reason-missing` or `reason-too-long`.
        """
        reason = checked_reason(reason)

        def plan(before: Increment, intent: Intent) -> Plan:
            return plan_reopen(
                before,
                replace(intent, exclude=exclude, options=options),
                source=source,
                category=category,
                forced=forced,
                amendment=amendment,
                more=enqueue_updates(self.new_id, update, at=intent.at, by=reopened_by)
                if update
                else (),
            )

        plans, increment = self.apply(wanted, plan, by=reopened_by, reason=reason, unarchive=True)
        if plans.entry is None:
            raise AssertionError("a reopen has an entry")
        return increment, plans.entry

    def transition(
        self,
        wanted: str,
        to: Status,
        *,
        by: str,
        reason: str | None = None,
        enqueue: Kind | None = None,
        exclude: Collection[Link] = (),
        forced: tuple[str, ...] = (),
        options: DeliveryOptions = AS_CONFIGURED,
    ) -> Increment:
        """Move an increment along the status table.

        Args:
            enqueue: the kind of operation for its items, or None to leave them alone.
            exclude: links whose items are left alone in any case.
            forced: the ids of the rule violations that were overridden.
            options: how the operations are to be delivered.

        Raises:
            StoreError: `transition-refused`, naming the moves that are open.
            UsageError: `reason-missing` where leaving a finished status needs one.
        """
        reason = checked_reason(reason) if reason is not None else None

        def plan(before: Increment, intent: Intent) -> Plan:
            intent = replace(intent, exclude=exclude, options=options)
            return plan_transition(before, to, intent, enqueue=enqueue, forced=forced)

        return self.apply(wanted, plan, by=by, reason=reason, unarchive=not to.is_finished)[1]

    def undo(
        self,
        wanted: str,
        *,
        by: str,
        reason: str | None = None,
        options: DeliveryOptions = AS_CONFIGURED,
    ) -> tuple[Increment, ReopenEntry]:
        """Set an increment back to what it was before its last reopen, and enqueue the same.

        The entry stays in the history, marked as undone.

        Raises:
            StoreError: `nothing-to-undo`, or the files cannot be written.
        """

        def plan(before: Increment, intent: Intent) -> Plan:
            return plan_undo(before, replace(intent, options=options))

        made, increment = self.apply(wanted, plan, by=by, reason=reason)
        if made.undone is None:
            raise AssertionError("an undo marks an entry")
        return increment, made.undone

    def amend(
        self, wanted: str, amended: Amended, *, operations: tuple[Operation, ...]
    ) -> tuple[Increment, Amended]:
        """Change the work of an increment whose status stays, and enqueue updates of its items.

        Raises:
            StoreError: `document-unreadable`, or the files cannot be written; nothing was changed.
        """
        from unlatch.increments.records.events import amended_event  # noqa: PLC0415  (as plans)

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
    ) -> tuple[Plan, Increment]:
        """Plan a change from the increment as it is under its lock, and write it.

        Args:
            plan: decides what the change comes to; it raises where there is none to make.

        Raises:
            StoreError: the files cannot be read or written; nothing was changed.
        """
        made: list[Plan] = []

        def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
            made.append(plan(before, self.intent(by=by, reason=reason)))
            return write_plan(data, made[-1], self.clock())

        increment = self.change(wanted, edit, unarchive=unarchive)
        return made[-1], increment

    def intent(self, *, by: str, reason: str | None = None) -> Intent:
        """An intent of now."""
        return Intent(self.new_id(), self.clock(), by, reason)

    def change(
        self, wanted: str, edit: Edit, *, unarchive: bool = False, events_first: bool = False
    ) -> Increment:
        """Change one increment under its lock; nothing else writes its files.

        Args:
            unarchive: move it out of the archive, if it lies there.
            events_first: write the events before the change that they tell of.

        Raises:
            StoreError: the files cannot be read or written; nothing was changed.
        """
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
        """Move an increment out of the archive, and let its documents follow metadata.json.

        Raises:
            StoreError: `archive-blocked` or `not-writable`.
        """
        return self.change(wanted, lambda before, data: [], unarchive=True)  # noqa: ARG005


def checked_reason(reason: str) -> str:
    """The reason as it will be stored.

    Raises:
        UsageError: `reason-missing` or `reason-too-long`.
    """
    reason = without_surrogates(reason).strip()
    if not reason:
        raise UsageError("reason-missing", "the reason is empty", hint="--reason TEXT says why")
    if len(reason) > LONGEST_REASON:
        raise UsageError(
            "reason-too-long",
            f"the reason has {len(reason):,} characters; at most {LONGEST_REASON:,} are kept",
            hint="say it in short and put the rest into spec.md",
        )
    return reason
