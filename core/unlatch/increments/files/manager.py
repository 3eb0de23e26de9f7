"""The metadata manager: the one reader and writer of a project's increments."""

from __future__ import annotations

import gc
import os
from contextlib import nullcontext, suppress
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Unpack

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.metadata_file import words_of
from unlatch.increments.files.paths import METADATA, SPEC, TASKS, ProjectPaths
from unlatch.increments.files.snapshots import read_folder, read_increment
from unlatch.increments.files.units import unit_in
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.worklog.collection import Collection, Folder, sorted_folders
from unlatch.worklog.disk.safe_open import add_root, exists, make_folders, root_of, word_file
from unlatch.worklog.name_matching import listed, similar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from unlatch.increments.files.changes.plans import Intent, IntentDetails, Plan
    from unlatch.increments.files.transaction import Edit
    from unlatch.increments.model.link import Link
    from unlatch.increments.records.shapes import Shapes
    from unlatch.worklog.event_log import Event


def collection_of(paths: ProjectPaths) -> Collection:
    """The increments of a project, with the units of the layouts that it uses."""
    if not paths.layouts:
        return Collection(paths.increments, paths.earlier)
    from unlatch.increments.files.unit_collection import UnitCollection  # noqa: PLC0415

    add_root(paths.root)
    return UnitCollection(
        paths.increments, root=paths.root, states=paths.states, layouts=paths.layouts
    )


# What operations send: they themselves, and the words of reopens and changes of scope.
_SENT = frozenset(("pending", "reopenHistory", "amendments"))
# The group of what works on records of any version.
_RECORDS = "unlatch.records"
# Increments; those that one command reads by name, not those of a list.
_MOST_KEPT = 200
_NO_TIME = "the time of the last change of state is not known"
_UNREAD = "the last change of state could not be read"
_UNANSWERED = "so the same command in another clone would post a second comment"


class MetadataManager:
    """The increments of one project.

    The methods that write import the modules that only they need, which makes `list` faster. The
    clock returns a time with a zone, and `new_id` a ULID.
    """

    def __init__(
        self,
        paths: ProjectPaths,
        *,
        shapes: Shapes,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self.paths, self.shapes, self.clock, self.new_id = paths, shapes, clock, new_id
        self.collection = collection_of(paths)
        # The revisions that a plan was made for, each until the first change of its increment.
        self.planned: dict[str, str] = {}
        # The increments as this command last read or wrote them, by name.
        self._last: dict[str, Increment] = {}

    def find(self, name: str) -> Folder:
        """The folder for 7, 0007, 24G, or a folder's present or former name; archived ones too.

        Raises:
            UsageError: `unknown-increment` or `ambiguous-increment`.
            StoreError: `folder-vanished`, if it was found before.
        """
        return self.one_of(self.collection.find(name) or self.once_named(name), name)

    def once_named(self, name: str) -> Sequence[Folder]:
        """The folders of the increments that had exactly this id before they were renamed."""
        from unlatch.increments.files.former import once_named  # noqa: PLC0415  (rarely needed)

        return once_named(self.collection.folders(), name)

    def one_of(self, candidates: Sequence[Folder], wanted: str) -> Folder:
        """The only one of the folders that a word means; UsageError as `find`."""
        if len(candidates) == 1:
            return candidates[0]

        increments = self.paths.increments
        if not candidates:
            raise UsageError(
                "unknown-increment",
                f"there is no increment {wanted!r}",
                where=str(increments),
                hint="unlatch list --all",
                problems=similar([folder.name for folder in self.collection.folders()], wanted),
            )
        root = self.paths.root
        places = [(folder, unit_in(folder)) for folder in candidates]
        names = [
            str(unit.place.relative_to(root) if unit else folder.path.relative_to(increments))
            for folder, unit in places
        ]
        raise UsageError(
            "ambiguous-increment",
            f"{wanted!r} matches several increments",
            where=str(increments),
            hint="name one of them in full; of two with one name, rename or remove one",
            problems=listed(names),
        )

    def places(self) -> Mapping[Path, str]:
        """The names of the increments, by their folders, and by those of other tools' units."""
        folders = [*self.collection.folders()]
        units = {unit.place: folder.name for folder in folders if (unit := unit_in(folder))}
        return {folder.path: folder.name for folder in folders} | units

    def read(self, wanted: str) -> Increment:
        """One increment; raises StoreError if its files cannot be read, or as `find`.

        Its file is compared with what was read before, and parsed again only if it changed.
        """
        folder = self.find(wanted)
        increment = read_increment(folder, self.shapes, self._last.get(folder.name))
        self._keep(increment)
        return increment

    def _keep(self, increment: Increment) -> None:
        if len(self._last) >= _MOST_KEPT:
            self._last.clear()
        self._last[increment.id] = increment

    def list(self) -> list[Increment | BrokenIncrement]:
        """All increments, archived and broken ones included."""
        return [*self.each(self.collection.folders())]

    def read_all(self) -> tuple[Sequence[Increment], Sequence[BrokenIncrement]]:
        increments = self.list()
        broken = [increment for increment in increments if isinstance(increment, BrokenIncrement)]
        return [
            increment for increment in increments if not isinstance(increment, BrokenIncrement)
        ], broken

    def each(self, folders: Iterable[Folder]) -> Iterator[Increment | BrokenIncrement]:
        was_enabled = gc.isenabled()
        gc.disable()  # parsing files makes no garbage
        try:
            for folder in folders:
                yield read_folder(folder, self.shapes)
        finally:
            if was_enabled:
                gc.enable()

    def unread_folders(self) -> Iterator[tuple[Path, bool]]:
        """The folders that look like increments but are not read; whether that is for the place."""
        for folder in self.collection.ignored():
            has_file = any(os.path.lexists(folder.path / name) for name in (METADATA, SPEC, TASKS))
            if has_file or folder.name[:1].isdigit():
                yield folder.path, False
            with suppress(StoreError):
                for nested in sorted_folders(folder.path, archived=False):
                    yield nested.path, True

    def unreadable_documents(self, increment: Increment) -> Sequence[StoreError]:
        """Why spec.md or tasks.md cannot be read."""
        from unlatch.increments.files.work.files import files_of  # noqa: PLC0415

        return files_of(increment).unreadable()

    def unreadable_title(self, increment: Increment) -> StoreError | None:
        """Why the title of an increment is its folder's name, if spec.md cannot be read."""
        if increment.unit or increment.title != words_of(increment.id):
            return None
        return next(iter(self.unreadable_documents(increment)), None)

    def create(
        self,
        title: str,
        *,
        kind: str,
        by: str,
        links: Iterable[Link] = (),
        taken: Iterable[str] = (),
    ) -> Increment:
        """Create an increment in planning, with the next number.

        Args:
            taken: the names of increments that are not checked out.
        """
        from unlatch.increments.files.locks import NEW, store_lock  # noqa: PLC0415
        from unlatch.increments.files.new_increment import make_increment  # noqa: PLC0415

        with store_lock(self.paths, NEW):
            name = make_increment(
                self.paths,
                self.shapes,
                title,
                kind=kind,
                links=links,
                taken=taken,
                facts=self.event_facts(by),
            )
        return self.read(name)

    def apply(
        self,
        wanted: str,
        plan: Callable[[Increment, Intent], Plan],
        *,
        by: str,
        reason: str | None = None,
        unarchive: bool = False,
        recorded: bool = True,
        **details: Unpack[IntentDetails],
    ) -> tuple[Plan, Increment]:
        """Lock an increment, plan a change from its present state, and write it.

        Args:
            recorded: plan from the status that unlatch recorded, not from what the files of a unit
                show since.
        """
        from unlatch.increments.files.transaction import write_plan  # noqa: PLC0415

        plans: list[Plan] = []

        def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
            now = before.as_recorded if recorded else before
            plans.append(plan(now, self.intent(by=by, reason=reason, **details)))
            return write_plan(data, plans[-1], self.clock())

        increment = self.change(wanted, edit, unarchive=unarchive)
        unread = plans[-1].unread
        dated = [name for name in plans[-1].unanswered if name not in unread]
        for names, why in ((dated, _NO_TIME), (unread, _UNREAD)):
            if names:
                warning = f"{', '.join(names)}: {why}, {_UNANSWERED}"
                increment = replace(increment, warnings=(*increment.warnings, warning))
        return plans[-1], increment

    def intent(
        self, *, by: str, reason: str | None = None, **details: Unpack[IntentDetails]
    ) -> Intent:
        """A new intent of now; raises as `checked_reason`."""
        from unlatch.increments.files.changes.plans import Intent  # noqa: PLC0415
        from unlatch.increments.model.reason import checked_reason  # noqa: PLC0415

        reason = None if reason is None else checked_reason(reason)
        return Intent(self.new_id(), self.clock(), by, reason, **details)

    def event_facts(self, by: str) -> dict[str, Any]:
        return {"id": self.new_id(), "at": self.clock(), "by": by}

    def change(
        self, wanted: str, edit: Edit, *, unarchive: bool = False, events_first: bool = False
    ) -> Increment:
        """Change one increment under its lock; all writes to its files pass here.

        Raises:
            StoreError: the files cannot be read or written; nothing was changed.
        """
        from unlatch.increments.files.locks import store_lock  # noqa: PLC0415
        from unlatch.increments.files.transaction import change_folder  # noqa: PLC0415
        from unlatch.increments.records.status_events import signed  # noqa: PLC0415

        self.take_over()
        folder = self.find(wanted)
        name = folder.name
        if unit_in(folder):
            self._make_state(folder)

        def noted(before: Increment, data: dict[str, Any]) -> list[Event]:
            if planned := self.planned.pop(name, None):
                from unlatch.increments.files.changes.plans import check_planned  # noqa: PLC0415

                check_planned(before, planned)
            events = [*map(signed, edit(before, data))]
            if _SENT & data.keys():
                from unlatch.increments.files.checkout_notes import note_own  # noqa: PLC0415

                note_own(self.paths.root, before.data, data)
            return events

        with store_lock(self.paths, name):
            place, now = self.find(name), self.clock()
            with _own_texts(place, moved_to=self.paths.increments / name):
                increment = change_folder(
                    *(self.paths, place, self.shapes, noted),
                    now=now,
                    unarchive=unarchive,
                    events_first=events_first,
                    last=self._last.get(place.name),
                )
            self._keep(increment)
            return increment

    def take_over(self) -> None:
        """Move the records that are where earlier versions keep them, before a write."""
        if not (self.paths.earlier and os.path.lexists(self.paths.home)):
            return
        from unlatch.worklog.entry_points import entry_points  # noqa: PLC0415  (rarely needed)

        module, _, move = entry_points(_RECORDS)["move"].partition(":")
        getattr(import_module(module), move)(self.paths, self.shapes)
        self._last.clear()

    def _make_state(self, folder: Folder) -> None:
        """Make unlatch's own folder for a unit, which alone changes nothing."""
        from unlatch.increments.files.locks import NEW, store_lock  # noqa: PLC0415

        if not exists(folder.path):
            states = replace(self.paths, increments=self.paths.states)
            with store_lock(states, NEW), suppress(FileExistsError):
                make_folders(folder.path)

    def unarchive(self, wanted: str) -> Increment:
        """Move an increment out of the archive, and update its documents from metadata.json."""
        return self.change(wanted, lambda before, data: [], unarchive=True)  # noqa: ARG005


def _own_texts(place: Folder, *, moved_to: Path) -> AbstractContextManager[None]:
    """Note the texts of an increment for this user, in a checkout that the user trusts."""
    root = root_of(place.path)
    # Few are trusted, and what follows is slow to load.
    if root is None or not os.path.lexists(word_file(root)):
        return nullcontext()
    from unlatch.increments.files.work.files import texts_of  # noqa: PLC0415
    from unlatch.worklog.disk.own_texts import own_texts  # noqa: PLC0415

    return own_texts(*texts_of(place), moved_to=moved_to)
