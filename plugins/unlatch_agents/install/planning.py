"""The steps of a plan: what installing or uninstalling one agent changes in which file.

An entry that differs from what was written is the user's: it is neither replaced nor removed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.values import dataclass
from unlatch.worklog.disk.safe_open import add_root, read_file
from unlatch_agents.install.entries import HOOK, Entry, digest, entries_for
from unlatch_agents.install.settings_file import SettingsFile
from unlatch_agents.install.written import Written, read_written

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from unlatch_agents.install.catalog import Agent, Keys, Target


@dataclass(frozen=True, slots=True)
class EntryChange:
    """A change of an entry of ours in a settings file; None for a missing one."""

    keys: Keys
    is_element: bool
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class FileChange:
    """A change of one file; None for a missing one.

    Args:
        entries: what changes in a settings file. Its other lines are not for output: they can have
            credentials.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    entries: tuple[EntryChange, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptEntry:
    """An entry at a place of ours that stays as it is.

    Args:
        is_foreign: whether unlatch never wrote one there; else the user changed it.
    """

    path: Path
    keys: Keys
    is_foreign: bool


class Planning:
    """The changes of files in memory.

    Attributes:
        record: the entries that are ours after the steps so far.
        kept: the entries that stay though others are wanted, or none.
    """

    def __init__(self, target: Target) -> None:
        self.target = target
        self.record = read_written(target.name)
        self.kept: list[KeptEntry] = []
        self._before: dict[Path, bytes | None] = {}
        self._whole: dict[Path, bytes | None] = {}
        self._settings: dict[Path, SettingsFile | None] = {}
        self._changes: dict[Path, list[EntryChange]] = {}

    def files(self) -> tuple[FileChange, ...]:
        """The changes so far."""
        changed = {
            p: None if settings is None else settings.content()
            for p, settings in self._settings.items()
        }
        after = changed | self._whole
        return tuple(
            FileChange(path, before, after[path], tuple(self._changes.get(path, ())))
            for path, before in self._before.items()
            if before != after[path]
        )

    def install(self, agent: Agent) -> None:
        """Plan to install; StoreError if a file cannot be read, or is behind a link."""
        wanted = [*entries_for(agent, self.target)]
        places = {entry.place for entry in wanted}
        self._take_out(
            written for written in self._of(agent) if (written.path, written.keys) not in places
        )
        for entry in wanted:
            add_root(entry.base)
            recorded = [
                written for written in self.record if (written.path, written.keys) == entry.place
            ]
            tables = self._put(entry, {written.digest for written in recorded})
            if tables is None:
                self.kept.append(KeptEntry(*entry.place, is_foreign=not recorded))
                continue
            mine = [written for written in recorded if written.agent == agent.name]
            self.record = [written for written in self.record if written not in mine]
            tables = [*tables, *(keys for written in recorded for keys in written.tables)]
            self.record.append(_written(agent, entry, tables))

    def uninstall(self, agent: Agent) -> None:
        """Plan to remove all unmodified entries; StoreError: a file cannot be read."""
        for place in (agent.skills, agent.servers.place, *_hook_places(agent)):
            add_root(place.of(self.target)[0])
        self._take_out(self._of(agent))

    def _of(self, agent: Agent) -> list[Written]:
        return [written for written in self.record if written.agent == agent.name]

    def _put(self, entry: Entry, digests: set[str]) -> list[Keys] | None:
        """Write an entry; the tables that were made for it, or None if the user's stays."""
        values = self._found(entry.path, entry.keys, is_element=entry.is_element)
        if entry.value in values:
            return []
        ours = [value for value in values if digest(value) in digests][:1]
        return None if values and not ours else self._set(entry, ours)

    def _found(self, path: Path, keys: Keys, *, is_element: bool) -> list[Any]:
        """The values at a place that can be ours."""
        if not keys:
            text = self._text(path)
            return [] if text is None else [text]
        settings = self._file(path)
        if settings is None:
            return []
        if is_element:
            return [element for element in settings.elements(keys) if _is_hook(element)]
        return settings.get(keys)

    def _set(self, entry: Entry, ours: list[Any]) -> list[Keys]:
        if not entry.keys:
            self._whole[entry.path] = entry.value.encode()
            return []
        tables: list[Keys] = []
        if (settings := self._file(entry.path)) is None:
            settings = self._settings[entry.path] = SettingsFile(entry.path, None)
            tables.append(())
        value = entry.value
        before = ours[0] if ours else None
        self._note(entry, before, value)
        if entry.is_element:
            there = settings.elements(entry.keys)
            value = [value if element in ours else element for element in there]
            if not ours:
                value.append(entry.value)
            if not there:
                tables.append(entry.keys)
        return [*tables, *settings.set(entry.keys, value)]

    def _take_out(self, entries: Iterable[Written]) -> None:
        entries = [*entries]
        self.record = [written for written in self.record if written not in entries]
        for entry in entries:
            if not any(
                (written.path, written.keys) == (entry.path, entry.keys) for written in self.record
            ):
                self._remove(entry)
        tables = {(entry.path, keys) for entry in entries for keys in entry.tables}
        for path, keys in sorted(tables, key=lambda table: len(table[1]), reverse=True):
            self._prune(path, keys)

    def _remove(self, written: Written) -> None:
        values = self._found(written.path, written.keys, is_element=written.is_element)
        if not values:
            return
        if written.digest not in map(digest, values):
            self.kept.append(KeptEntry(written.path, written.keys, is_foreign=False))
            self.record.append(
                written
            )  # it is still installed, and unmodified if the user reverts it
        elif not written.keys:
            self._whole[written.path] = None
        elif settings := self._file(written.path):
            self._note(
                written, next(value for value in values if digest(value) == written.digest), None
            )
            if written.is_element:
                there = settings.elements(written.keys)
                settings.set(
                    written.keys,
                    [element for element in there if digest(element) != written.digest],
                )
            else:
                settings.remove(written.keys)

    def _note(self, entry: Entry | Written, before: Any, after: Any) -> None:
        change = EntryChange(entry.keys, entry.is_element, before, after)
        self._changes.setdefault(entry.path, []).append(change)

    def _prune(self, path: Path, keys: Keys) -> None:
        """Remove a table that was made for entries, if nothing else is in it."""
        settings = self._file(path)
        if settings is None:
            return
        if not keys and settings.is_empty:
            self._settings[path] = None
        elif keys and settings.get(keys) in ([{}], [[]]):
            settings.remove(keys)

    def _text(self, path: Path) -> str | None:
        if path not in self._whole:
            self._before[path] = self._whole[path] = _read(path)
        content = self._whole[path]
        return None if content is None else content.decode(errors="replace")

    def _file(self, path: Path) -> SettingsFile | None:
        if path not in self._settings:
            raw = self._before[path] = _read(path)
            self._settings[path] = None if raw is None else SettingsFile(path, raw)
        return self._settings[path]


def _written(agent: Agent, entry: Entry, created: Iterable[Keys]) -> Written:
    tables = tuple(dict.fromkeys(created))
    return Written(
        agent.name, entry.path, entry.keys, digest(entry.value), entry.is_element, tables
    )


def _hook_places(agent: Agent) -> tuple[Any, ...]:
    return (agent.hooks.place,) if agent.hooks else ()


def _is_hook(element: Any) -> bool:
    """Whether an element is a hook of unlatch, perhaps changed by the user."""
    text = json.dumps(element)
    return HOOK in text and "unlatch" in text


def _read(path: Path) -> bytes | None:
    try:
        return read_file(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        message = f"{path.name} cannot be read: {error.strerror}"
        hint = "check the path and its permissions"
        raise StoreError("agent-file-unreadable", message, where=str(path), hint=hint) from error
