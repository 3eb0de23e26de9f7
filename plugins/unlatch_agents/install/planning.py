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
        changed = {p: None if it is None else it.content() for p, it in self._settings.items()}
        after = changed | self._whole
        return tuple(
            FileChange(path, before, after[path], tuple(self._changes.get(path, ())))
            for path, before in self._before.items()
            if before != after[path]
        )

    def install(self, agent: Agent) -> None:
        """Plan to install; StoreError if a file cannot be read, or is behind a link."""
        wanted = [*entries_for(agent, self.target)]
        places = {one.place for one in wanted}
        self._take_out(one for one in self._of(agent) if (one.path, one.keys) not in places)
        for entry in wanted:
            add_root(entry.base)
            known = [it for it in self.record if (it.path, it.keys) == entry.place]
            made = self._put(entry, {it.digest for it in known})
            if made is None:
                self.kept.append(KeptEntry(*entry.place, is_foreign=not known))
                continue
            mine = [it for it in known if it.agent == agent.name]
            self.record = [it for it in self.record if it not in mine]
            made = [*made, *(keys for it in known for keys in it.made)]
            self.record.append(_written(agent, entry, made))

    def uninstall(self, agent: Agent) -> None:
        """Plan to remove all unmodified entries; StoreError: a file cannot be read."""
        for place in (agent.skills, agent.servers.place, *_hook_places(agent)):
            add_root(place.of(self.target)[0])
        self._take_out(self._of(agent))

    def _of(self, agent: Agent) -> list[Written]:
        return [it for it in self.record if it.agent == agent.name]

    def _put(self, entry: Entry, known: set[str]) -> list[Keys] | None:
        """Write an entry; the tables that were made for it, or None if the user's stays."""
        found = self._found(entry.path, entry.keys, is_element=entry.is_element)
        if entry.value in found:
            return []
        ours = [it for it in found if digest(it) in known][:1]
        return None if found and not ours else self._set(entry, ours)

    def _found(self, path: Path, keys: Keys, *, is_element: bool) -> list[Any]:
        """The values at a place that can be ours."""
        if not keys:
            text = self._text(path)
            return [] if text is None else [text]
        settings = self._file(path)
        if settings is None:
            return []
        if is_element:
            return [it for it in settings.elements(keys) if _is_hook(it)]
        return settings.get(keys)

    def _set(self, entry: Entry, ours: list[Any]) -> list[Keys]:
        if not entry.keys:
            self._whole[entry.path] = entry.value.encode()
            return []
        made: list[Keys] = []
        if (settings := self._file(entry.path)) is None:
            settings = self._settings[entry.path] = SettingsFile(entry.path, None)
            made.append(())
        value = entry.value
        before = ours[0] if ours else None
        self._note(entry, before, value)
        if entry.is_element:
            there = settings.elements(entry.keys)
            value = [value if it in ours else it for it in there]
            if not ours:
                value.append(entry.value)
            if not there:
                made.append(entry.keys)
        return [*made, *settings.set(entry.keys, value)]

    def _take_out(self, entries: Iterable[Written]) -> None:
        entries = [*entries]
        self.record = [it for it in self.record if it not in entries]
        for one in entries:
            if not any((it.path, it.keys) == (one.path, one.keys) for it in self.record):
                self._remove(one)
        made = {(one.path, keys) for one in entries for keys in one.made}
        for path, keys in sorted(made, key=lambda it: len(it[1]), reverse=True):
            self._prune(path, keys)

    def _remove(self, one: Written) -> None:
        found = self._found(one.path, one.keys, is_element=one.is_element)
        if not found:
            return
        if one.digest not in map(digest, found):
            self.kept.append(KeptEntry(one.path, one.keys, is_foreign=False))
            self.record.append(one)  # it is still installed, and unmodified if the user reverts it
        elif not one.keys:
            self._whole[one.path] = None
        elif settings := self._file(one.path):
            self._note(one, next(it for it in found if digest(it) == one.digest), None)
            if one.is_element:
                there = settings.elements(one.keys)
                settings.set(one.keys, [it for it in there if digest(it) != one.digest])
            else:
                settings.remove(one.keys)

    def _note(self, one: Entry | Written, before: Any, after: Any) -> None:
        change = EntryChange(one.keys, one.is_element, before, after)
        self._changes.setdefault(one.path, []).append(change)

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


def _written(agent: Agent, entry: Entry, made: Iterable[Keys]) -> Written:
    tables = tuple(dict.fromkeys(made))
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
