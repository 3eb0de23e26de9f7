"""The snapshot of a project for the checks: each file is read once, and released after them."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from unlatch.errors import ConfigError, StoreError
from unlatch.increments.documents.spec_and_tasks import Criterion, Task
from unlatch.increments.files.metadata_file import read_document, read_metadata
from unlatch.increments.files.paths import EVENTS, METADATA, items_at
from unlatch.increments.files.snapshots import snapshot
from unlatch.increments.files.unit_collection import has_records
from unlatch.increments.files.units import unit_in
from unlatch.increments.files.work.files import WorkFiles, work_files
from unlatch.values import dataclass
from unlatch.worklog.disk.safe_open import read_file
from unlatch_doctor.schemas import event_schema, metadata_schema
from unlatch_doctor.shape import pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from unlatch.config.config import CoreConfig
    from unlatch.increments.layouts.interface import Work
    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace
    from unlatch.spi import Manifest, Settings
    from unlatch.worklog.collection import Folder
    from unlatch.worklog.json_text.document import JsonText


class IncrementFiles:
    """The files of one increment.

    Args:
        text: metadata.json; None if unreadable.
        increment: None if metadata.json lacks a required key; `error` is the reason.
    """

    def __init__(self, project: ProjectSnapshot, folder: Folder) -> None:
        self.project, self.folder, self.name = project, folder, folder.name
        self.metadata = folder.path / METADATA
        self.text: JsonText | None = None
        self.increment: Increment | None = None
        self.error: StoreError | None = None
        self._alone: dict[str, Work] = {}
        try:
            self.text = read_metadata(self.metadata, folder)
            self.increment = snapshot(folder, self.text, project.workspace.manager.shapes)
        except StoreError as error:
            self.error = error

    @property
    def data(self) -> Mapping[str, Any]:
        return self.text.value if self.text is not None else {}

    def at(self, *path: str | int) -> str:
        """A place in metadata.json."""
        return f"{self.metadata}:{pointer(path)}"

    @cached_property
    def work(self) -> WorkFiles:
        """The documents about the work, where the increment's layout keeps them."""
        return work_files(self.folder.path, unit_in(self.folder))

    @property
    def paths(self) -> Mapping[str, Path]:
        """The paths of all documents by their names."""
        ours = {EVENTS: self.folder.path / EVENTS}
        return {name: self.work.place / name for name in self.work.names} | ours

    @cached_property
    def documents(self) -> dict[str, str | StoreError | None]:
        """The text of each document; the error if it is refused, None if it is not text."""
        return {name: self._document(path) for name, path in self.paths.items()}

    @cached_property
    def read_work(self) -> Work:
        return self.work.layout.read({name: self.text_of(name) for name in self.work.names})

    def place_of(self, part: Criterion | Task) -> Path:
        """The document that a criterion or task is in."""
        wanted = (type(part), part.line, _words(part))
        for name in self.work.names:
            work = self._read_alone(name)
            parts: tuple[Criterion | Task, ...] = (*work.spec.criteria, *work.tasks)
            if any(wanted == (type(part), part.line, _words(part)) for part in parts):
                return self.paths[name]
        return self.paths[self.work.listing]

    def _read_alone(self, name: str) -> Work:
        if name not in self._alone:
            empty = dict.fromkeys(self.work.names, "")
            self._alone[name] = self.work.layout.read({**empty, name: self.text_of(name)})
        return self._alone[name]

    @cached_property
    def readable(self) -> ReadableIncrement | None:
        return None if self.increment is None else ReadableIncrement(self, self.increment)

    def release(self) -> None:
        """Keep only what other increments are compared with."""
        for name in ("documents", "events", "read_work", "readable", "work"):
            vars(self).pop(name, None)
        self._alone.clear()
        self.text = None
        if self.increment is not None:
            self.increment = replace(self.increment, data={})

    def text_of(self, name: str) -> str:
        document = self.documents[name]
        return document if isinstance(document, str) else ""

    @cached_property
    def events(self) -> list[str] | OSError | StoreError:
        """The lines of events.jsonl, or the error; none without metadata.json."""
        try:
            raw = read_file(self.folder.path / EVENTS) if self.text is not None else b""
        except FileNotFoundError:
            return []
        except (OSError, StoreError) as error:
            return error
        return raw.decode("utf-8", errors="replace").split("\n")

    @property
    def lines(self) -> list[str]:
        return self.events if isinstance(self.events, list) else []

    def _document(self, path: Path) -> str | StoreError | None:
        try:
            return read_document(path)
        except StoreError as error:
            return error


@dataclass(frozen=True, eq=False)
class ReadableIncrement:
    files: IncrementFiles
    increment: Increment

    @property
    def name(self) -> str:
        return self.files.name


def _words(part: Criterion | Task) -> str:
    return part.text if isinstance(part, Criterion) else part.title


@dataclass(frozen=True, eq=False)
class TrackerSetup:
    workspace: Workspace
    manifest: Manifest
    settings: Settings


class ProjectSnapshot:
    """The files of a project, or the records of its items with `of_items`."""

    def __init__(self, workspace: Workspace, *, of_items: bool = False) -> None:
        self.of_items = of_items
        self.workspace, self.paths, self.root = workspace, workspace.paths, workspace.paths.root

    @cached_property
    def increments(self) -> tuple[IncrementFiles, ...]:
        """The files of all increments; StoreError where the folders cannot be listed."""
        return tuple(files for files in self._files if has_records(files.folder))

    @cached_property
    def units(self) -> tuple[IncrementFiles, ...]:
        """The files of units without records of unlatch, which other tools own alone."""
        return tuple(files for files in self._files if not has_records(files.folder))

    @cached_property
    def _files(self) -> tuple[IncrementFiles, ...]:
        folders = self.workspace.manager.collection.folders()
        return tuple(IncrementFiles(self, folder) for folder in folders)

    def each(self) -> Iterator[IncrementFiles]:
        """The files of each increment and unit, which are released afterwards.

        StoreError where the folders cannot be listed.
        """
        kept = []
        for folder in self.workspace.manager.collection.folders():
            files = IncrementFiles(self, folder)
            yield files
            files.release()
            kept.append(files)
        self._files = tuple(kept)

    @cached_property
    def items(self) -> ProjectSnapshot:
        """The records of items that belong to no increment, as a project of their own."""
        return ProjectSnapshot(replace(self.workspace, paths=items_at(self.root)), of_items=True)

    @cached_property
    def readable(self) -> tuple[ReadableIncrement, ...]:
        return tuple(files.readable for files in self.increments if files.readable)

    @cached_property
    def core(self) -> CoreConfig | None:
        """The project's configuration; None where it has mistakes."""
        try:
            return self.workspace.raw_config.core
        except ConfigError:
            return None

    @cached_property
    def settings(self) -> Mapping[str, Settings] | None:
        """The settings of each configured tracker; None where they have mistakes."""
        try:
            return self.workspace.settings
        except ConfigError:
            return None

    @cached_property
    def trackers(self) -> tuple[TrackerSetup, ...]:
        manifest = self.workspace.registry.manifest
        tables = (self.settings or {}).items()
        return tuple(TrackerSetup(self.workspace, manifest(name), table) for name, table in tables)

    @cached_property
    def metadata_schema(self) -> Draft202012Validator:
        return Draft202012Validator(metadata_schema(self.workspace.manager.shapes))

    @cached_property
    def event_schemas(self) -> dict[str, Draft202012Validator]:
        """The schema of each type of events; a common one would not say which key is wrong."""
        schema = event_schema()
        return {
            word: Draft202012Validator({"$ref": place, "$defs": schema["$defs"]})
            for word, place in schema["discriminator"]["mapping"].items()
        }
