"""Each increment's files, held against the schemas and against each other."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from unlatch.doctor.cross_checks import same_names, shared_items
from unlatch.doctor.dates import odd_dates
from unlatch.doctor.event_log import EventLog, missing_events
from unlatch.doctor.finding import FIX, Finding, Severity, below, from_error
from unlatch.doctor.papers import odd_papers
from unlatch.doctor.shape import explain, is_vital, pointer
from unlatch.errors import ConfigError, StoreError, UnlatchError
from unlatch.increments.files import front_matter
from unlatch.increments.files.layout import METADATA, SPEC
from unlatch.increments.files.reading import ID_KEYS, read_document, read_metadata
from unlatch.increments.files.schemas import metadata_schema
from unlatch.increments.files.snapshots import snapshot
from unlatch.increments.model.status import read_status
from unlatch.increments.records.links import same_item, spelled_twice
from unlatch.worklog.atomic import unfinished_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from unlatch.increments.files.layout import Folder
    from unlatch.increments.model.increment import Increment, Link
    from unlatch.project.workspace import Workspace
    from unlatch.spi import Settings
    from unlatch.worklog.json_text.document import JsonText


MIGRATE = "unlatch migrate"


def check_increments(workspace: Workspace) -> Iterator[Finding]:
    """What is wrong with, or odd about, the files of each increment, in the order of their ids."""
    checkup = _Checkup(workspace)
    for folder in workspace.layout.folders():
        yield from checkup.of(folder)
    yield from checkup.together()
    yield from checkup.unconfigured()


class _Checkup:
    def __init__(self, workspace: Workspace) -> None:
        self._root = workspace.layout.root
        self._shapes = workspace.manager.shapes
        self._manifests = workspace.registry.manifests
        self._schema = Draft202012Validator(metadata_schema(self._shapes))
        self._events = EventLog(self._root)
        self._settings = _settings(workspace)
        self._unconfigured: Counter[str] = Counter()
        self._folders: list[Folder] = []
        self._sound: list[Increment] = []
        self._now = workspace.clock()

    def of(self, folder: Folder) -> Iterator[Finding]:
        """What there is to say about one increment."""
        path = below(folder.path / METADATA, self._root)
        self._folders.append(folder)
        try:
            yield from _unfinished(folder, self._root)
            text = read_metadata(folder.path / METADATA)
        except StoreError as error:
            yield from_error(error, self._root, increment=folder.name)
            return
        for key in text.duplicates:
            yield Finding(
                Severity.ERROR,
                "metadata-duplicate-key",
                "occurs twice; the last one is read, and nothing is written",
                f"{path}:{key}",
                "remove the wrong one by hand",
                folder.name,
            )
        yield from self._read(folder, text, path)
        yield from self._events.of(folder)

    def together(self) -> Iterator[Finding]:
        """What is odd about increments only beside others."""
        yield from same_names(self._folders, self._root)
        yield from shared_items(self._sound, self._root)

    def unconfigured(self) -> Iterator[Finding]:
        """One finding for each tracker that links point to and nothing is configured for."""
        for tracker, count in sorted(self._unconfigured.items()):
            title = self._manifests[tracker].title
            yield Finding(
                Severity.WARNING,
                "tracker-not-configured",
                f"{title} is not configured, and {_links(count)} there",
                hint=f"add a table [trackers.{tracker}] to .unlatch/config.toml",
            )

    def _read(self, folder: Folder, text: JsonText, path: str) -> Iterator[Finding]:
        try:
            increment = snapshot(folder, text, self._shapes)
        except StoreError as error:
            yield from self._broken(folder, text, error, path)
            return
        yield from self._against_schema(folder, text, path)
        yield from _id(folder, text, path)
        yield from _spec(folder, increment, below(folder.path / SPEC, self._root))
        yield from self._links(increment, path)
        yield from odd_dates(increment, path, now=self._now)
        yield from odd_papers(increment, self._root)
        yield from missing_events(increment, self._root)
        self._sound.append(increment)

    def _broken(
        self, folder: Folder, text: JsonText, broken: StoreError, path: str
    ) -> Iterator[Finding]:
        found = list(self._against_schema(folder, text, path, broken=broken))
        if not any(one.severity is Severity.ERROR for one in found):
            yield from_error(broken, self._root, increment=folder.name)
        yield from found

    def _against_schema(
        self, folder: Folder, text: JsonText, path: str, *, broken: StoreError | None = None
    ) -> Iterator[Finding]:
        for error in self._schema.iter_errors(text.value):
            what, message, place = explain(error, text.value)
            where = f"{path}:{place}" if place else path
            if broken and is_vital(error):
                yield Finding(
                    Severity.ERROR, broken.id, message, where, broken.hint, increment=folder.name
                )
            else:
                hint = MIGRATE if what.startswith("old-") else None
                yield Finding(Severity.WARNING, what, message, where, hint, folder.name)

    def _links(self, increment: Increment, path: str) -> Iterator[Finding]:
        old: dict[str, list[str]] = {}
        for link in increment.links:
            if not self._is_canonical(link, increment.data):
                outer = link.path[:-1] if isinstance(link.path[-1], int) else link.path
                old.setdefault(pointer(outer), []).append(f"{link.tracker} {link.item}")
            if problem := self._unusable(link):
                what, message, hint = problem
                place = f"{path}:{pointer(link.path)}"
                yield Finding(Severity.WARNING, what, message, place, hint, increment.id)
        for link in spelled_twice(increment.data, self._shapes.links):
            first = next(one for one in increment.links if same_item(one, link))
            message = f"{link.url} is the same item as {first.url or first.item}"
            place = f"{path}:{pointer(link.path)}"
            hint = "remove one of the two links from metadata.json"
            yield Finding(Severity.WARNING, "link-repeated", message, place, hint, increment.id)
        for place, items in old.items():
            message = f"is read as the link to {', '.join(items)}"
            yield Finding(
                Severity.WARNING, "old-link", message, f"{path}:{place}", MIGRATE, increment.id
            )

    def _is_canonical(self, link: Link, data: Mapping[str, Any]) -> bool:
        tracker, *rest = link.path
        if tracker != link.tracker or (rest and rest[0] != "items"):
            return False
        return bool(rest) or self._shapes.links[link.tracker].item in data[link.tracker]

    def _unusable(self, link: Link) -> tuple[str, str, str | None] | None:
        """Why nothing can be delivered to a linked item, as far as the configuration tells."""
        if self._settings is None:
            return None
        settings = self._settings.get(link.tracker)
        if settings is None:
            self._unconfigured[link.tracker] += 1
            return None
        try:
            ref = settings.locate(link.item, link.url)
        except ConfigError as error:
            return "link-unlocated", "; ".join(error.problems), error.hint
        except UnlatchError as error:
            return "link-unlocated", error.message, error.hint
        if not settings.allows(ref):
            title = self._manifests[link.tracker].title
            why = f"{ref.target} is not among the configured targets of {title}"
            return "target-not-allowed", why, None
        return None


def _settings(workspace: Workspace) -> Mapping[str, Settings] | None:
    try:
        return workspace.settings
    except ConfigError:
        return None


def _id(folder: Folder, text: JsonText, path: str) -> Iterator[Finding]:
    key = next((key for key in ID_KEYS if text.value.get(key)), None)
    if key and text.value[key] != folder.name:
        yield Finding(
            Severity.WARNING,
            "id-differs",
            f"{text.value[key]!r} is not the folder's name; the folder counts",
            f"{path}:{pointer([key])}",
            FIX,
            folder.name,
        )


def _spec(folder: Folder, increment: Increment, path: str) -> Iterator[Finding]:
    try:
        spec = read_document(folder.path / SPEC)
    except StoreError:
        return  # reported with the documents
    said = front_matter.status(spec) if spec is not None else None
    if said is not None and read_status(said) is not increment.status:
        yield Finding(
            Severity.WARNING,
            "spec-status-differs",
            f"says {said}, metadata.json {increment.status}; the next change of status mends it",
            path,
            FIX,
            increment.id,
        )


def _unfinished(folder: Folder, root: Path) -> Iterator[Finding]:
    for path in unfinished_files(folder.path):
        yield Finding(
            Severity.NOTE,
            "unfinished-file",
            "a writer that died left it behind; nobody reads it",
            below(path, root),
            FIX,
            folder.name,
        )


def _links(count: int) -> str:
    return "1 link points" if count == 1 else f"{count} links point"
