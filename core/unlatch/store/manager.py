"""The metadata manager: the one writer of increments, and the keeper of the status table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.domain.amendment import Amended
from unlatch.domain.ids import matches, number_of
from unlatch.domain.increment import BrokenIncrement, Increment, Link, ReopenEntry
from unlatch.domain.operation import AS_CONFIGURED, Kind, Manner, Operation
from unlatch.domain.status import TRANSITIONS, Status, needs_reason
from unlatch.domain.text import without_surrogates
from unlatch.domain.times import stamp
from unlatch.errors import StoreError, UsageError
from unlatch.store import events
from unlatch.store._bytes import without_collection
from unlatch.store.amending import keep_apart, owed_updates, planned
from unlatch.store.atomic import vanished
from unlatch.store.change import change_folder
from unlatch.store.folders import make_increment
from unlatch.store.layout import Listings
from unlatch.store.links import add_link, same_item
from unlatch.store.locks import store_lock
from unlatch.store.reading import ACTIVITY_KEYS, COMPLETED_KEYS, read_folder, read_increment
from unlatch.store.records import overtaken, set_pending, write_reopen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from datetime import datetime

    from unlatch.domain.amendment import Amendment
    from unlatch.store.change import Edit
    from unlatch.store.events import Event
    from unlatch.store.layout import Folder, Layout
    from unlatch.store.reading import Shapes

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
        self._found: set[str] = set()
        self._listings = Listings()

    # Reading

    def find(self, wanted: str) -> Folder:
        """The folder that `wanted` means: 7, 0007, or the folder's name; archived ones too.

        Raises:
            UsageError: `unknown-increment` or `ambiguous-increment`.
            StoreError: `folder-vanished`, if it was found before.
        """
        candidates = self.layout.folders_named(wanted, self._listings) or [
            folder for folder in self.layout.folders() if matches(folder.name, wanted)
        ]
        if len(candidates) == 1:
            self._found.add(candidates[0].name)
            return candidates[0]
        if wanted in self._found:
            raise vanished(self.layout.increments / wanted)
        if not candidates:
            raise UsageError(
                "unknown-increment",
                f"there is no increment {wanted!r}",
                where=str(self.layout.increments),
                hint="unlatch list --all",
            )
        names = ", ".join(str(c.path.relative_to(self.layout.increments)) for c in candidates)
        raise UsageError(
            "ambiguous-increment",
            f"{wanted!r} may be any of {names}",
            where=str(self.layout.increments),
            hint="name the folder; of two with one name, rename or remove one",
        )

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
            told = self.event("created", by=by, to=Status.PLANNING.value)
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
        spare: Collection[Link] = (),
        update: Collection[Link] = (),
        manner: Manner = AS_CONFIGURED,
    ) -> tuple[Increment, ReopenEntry]:
        """Make a completed increment active, and owe its items a reopen.

        One write holds the status, the entry in reopenHistory and one pending operation for each
        link of that moment. An archived increment is moved back first.

        Args:
            category: the kind of reason that it is.
            forced: the ids of the refusals that it is made in spite of.
            amendment: what is changed about the work; its documents are written behind it.
            spare: links whose items are left alone.
            update: links whose items are to show the work as it is then.
            manner: how the items are to be reopened.

        Raises:
            StoreError: `not-completed`, and whatever keeps the files from being read or written.
            UsageError: `reason-missing` or `reason-too-long`.
        """
        reason = checked_reason(reason)
        entries: list[ReopenEntry] = []

        def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
            if before.status is not Status.COMPLETED:
                raise StoreError(
                    "not-completed",
                    f"{before.id} is {before.status}; only what is completed can be reopened",
                    hint=f"unlatch show {before.id}",
                )
            entry = ReopenEntry(
                id=self.new_id(),
                reopened_at=self.clock(),
                reason=reason,
                previous_status=before.status,
                previous_completed_at=_completed_text(data),
                reopened_by=reopened_by,
                category=category,
                source=source,
                forced=forced,
            )
            entry = self._planned(before, entry, amendment)
            entries.append(entry)
            self._set_status(data, Status.ACTIVE)
            data.setdefault("reopenHistory", []).append(write_reopen(entry))
            if entry.amendment and entry.amendment.parts:
                keep_apart(data, spare, status=Status.ACTIVE)
            owed = self._owed(
                before,
                Kind.REOPEN,
                op=entry.id,
                at=entry.reopened_at,
                spare=spare,
                manner=manner,
            )
            owed += owed_updates(self, update, at=entry.reopened_at, by=reopened_by)
            set_pending(data, (*overtaken(before.pending, before.reopens), *owed))
            return [events.reopened(entry)]

        increment = self.change(wanted, edit, unarchive=True)
        return increment, entries[-1]

    def _planned(
        self, before: Increment, entry: ReopenEntry, amendment: Amendment | None
    ) -> ReopenEntry:
        if amendment is None:
            return entry
        made = Amended(entry.id, entry.reopened_at, entry.reopened_by, amendment, entry.reason)
        return replace(entry, amendment=planned(before.folder, made).amendment)

    def transition(
        self,
        wanted: str,
        to: Status,
        *,
        by: str,
        reason: str | None = None,
        owe: Kind | None = None,
        spare: Collection[Link] = (),
        forced: tuple[str, ...] = (),
        manner: Manner = AS_CONFIGURED,
    ) -> Increment:
        """Move an increment along the status table.

        Args:
            forced: the ids of the refusals that it is moved in spite of.
            owe: the kind of operation that the items are owed, or None to leave them alone.
            spare: links whose items are left alone whatever is owed.
            manner: how the operations are to be carried out.

        Raises:
            StoreError: `transition-refused`, naming the moves that are open.
            UsageError: `reason-missing` where leaving a finished status needs one.
        """
        reason = checked_reason(reason) if reason is not None else None

        def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
            check_transition(before, to, reason)
            at, op = self.clock(), self.new_id()
            pending = before.pending
            if to.is_finished != before.status.is_finished:
                pending = overtaken(pending, before.reopens)
            if owe:
                owed = self._owed(
                    before, owe, op=op, at=at, by=by, reason=reason, spare=spare, manner=manner
                )
                pending = (*pending, *owed)
            elif before.status.is_finished and not to.is_finished:
                keep_apart(data, before.links, status=to)
            self._set_status(data, to)
            set_pending(data, pending)
            moved = {"from": before.status.value, "to": to.value}
            facts = {**moved, "forced": list(forced) or None}
            return [events.event(op, "transitioned", at=at, by=by, reason=reason, **facts)]

        return self.change(wanted, edit, unarchive=not to.is_finished)

    def _owed(
        self,
        before: Increment,
        kind: Kind,
        *,
        op: str,
        at: datetime,
        by: str | None = None,
        reason: str | None = None,
        spare: Collection[Link] = (),
        manner: Manner,
    ) -> tuple[Operation, ...]:
        return tuple(
            Operation(op, kind, link.tracker, link.key, at, by, reason, manner=manner)
            for link in before.links
            if not any(same_item(link, other) for other in spare)
        )

    def _set_status(self, data: dict[str, Any], to: Status) -> None:
        now = stamp(self.clock())
        data["status"] = to.value
        data[_time_key(data, ACTIVITY_KEYS)] = now
        if to is Status.COMPLETED:
            data[_time_key(data, COMPLETED_KEYS)] = now
        elif not to.is_finished:
            for key in _times_in(data, COMPLETED_KEYS):
                del data[key]

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

    def event(self, kind: str, /, *, by: str, **details: object) -> Event:
        """An event of now."""
        return events.event(self.new_id(), kind, at=self.clock(), by=by, **details)


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


def check_transition(before: Increment, to: Status, reason: str | None) -> None:
    """Make sure that an increment may be moved to a status, for that reason.

    Raises:
        StoreError: `transition-refused`, naming the moves that are open.
        UsageError: `reason-missing` where leaving a finished status needs one.
    """
    legal = TRANSITIONS[before.status]
    if to not in legal or before.status is Status.COMPLETED:
        moves = (
            f"unlatch resume {before.id}"
            if before.status is Status.COMPLETED
            else f"from {before.status} it can become {', '.join(sorted(legal))}"
        )
        raise StoreError(
            "transition-refused",
            f"{before.id} is {before.status} and cannot become {to}",
            where=str(before.folder),
            hint=moves,
        )
    if needs_reason(before.status) and not reason:
        raise UsageError(
            "reason-missing",
            f"{before.id} is {before.status}; taking it up again needs a reason",
            hint="--reason TEXT says why",
        )


def _completed_text(data: Mapping[str, Any]) -> str | None:
    values = (data[key] for key in _times_in(data, COMPLETED_KEYS))
    return next((value for value in values if value), None)


def _times_in(data: Mapping[str, Any], keys: Iterable[str]) -> tuple[str, ...]:
    # A number or a truth value under such a name is somebody else's field.
    return tuple(key for key in keys if key in data and isinstance(data[key], str | None))


def _time_key(data: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    free = (key for key in keys if key not in data)
    return (*_times_in(data, keys), *free, keys[0])[0]
