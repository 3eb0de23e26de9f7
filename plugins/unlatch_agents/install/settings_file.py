"""A settings file of an agent, JSON or TOML, changed so that everything else stays as it is."""

from __future__ import annotations

import codecs
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.worklog.json_text.document import JsonText, JsonTextError, render_new
from unlatch.worklog.text.parsing import load_toml
from unlatch_agents.install.toml_table import with_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from unlatch_agents.install.catalog import Keys


class SettingsFile:
    """The content of a file, to be changed; StoreError `agent-file-unreadable`.

    Args:
        raw: None if it is missing.
    """

    def __init__(self, path: Path, raw: bytes | None) -> None:
        self.path = path
        self._raw = raw
        self._made: bytes | None = None
        self._is_toml = path.suffix == ".toml"
        try:
            self._toml = (raw or b"").decode("utf-8-sig") if self._is_toml else ""
            self._tree: dict[str, Any] = load_toml(self._toml) if self._is_toml else _load(raw)
        except ValueError as error:
            raise self._unreadable(str(error)) from error
        if not isinstance(self._tree, dict):
            raise self._unreadable("it is not an object")

    def content(self) -> bytes:
        """The file with the changes; all else means the same as before."""
        if self._made is None:
            self._made = self._content()
        return self._made

    def _content(self) -> bytes:
        if self._is_toml:
            mark = codecs.BOM_UTF8 if (self._raw or b"").startswith(codecs.BOM_UTF8) else b""
            return mark + self._toml.encode()
        try:
            content = JsonText.parse(self._raw).with_value(self._tree) if self._raw else None
            content = render_new(self._tree) if content is None else content
            if JsonText.parse(content).value == self._tree:
                return content
        except ValueError as error:
            raise self._unreadable(str(error)) from error
        raise self._unreadable("other settings would change")

    def get(self, keys: Keys) -> list[Any]:
        """The plain value at a place, as a list of one; empty if it is missing."""
        value: Any = self._tree
        for key in keys:
            if not isinstance(value, dict) or key not in value:
                return []
            value = value[key]
        return [value]

    def set(self, keys: Keys, value: Any) -> list[Keys]:
        """Set a value; returns the tables that were made for it, the outermost first."""
        tables = []
        for prefix in (keys[:end] for end in range(1, len(keys))):
            if not self.get(prefix):
                self._parent(prefix)[prefix[-1]] = {}
                tables.append(prefix)
            if not isinstance(self.get(prefix)[0], dict):
                raise self._unreadable(f"{'.'.join(prefix)} is not an object")
        before = self.get(keys)
        if isinstance(value, list) and before and not isinstance(before[0], list):
            raise self._unreadable(f"{'.'.join(keys)} is not a list")
        self._parent(keys)[keys[-1]] = value
        self._changed(keys, before, value)
        return tables

    def remove(self, keys: Keys) -> None:
        before = self.get(keys)
        del self._parent(keys)[keys[-1]]
        self._changed(keys, before, None)

    def elements(self, keys: Keys) -> Sequence[Any]:
        """The elements of a list, empty if there is none."""
        return next((value for value in self.get(keys) if isinstance(value, list)), ())

    @property
    def is_empty(self) -> bool:
        """Whether nothing is in it, not even a comment."""
        return not self._tree and not self._toml.strip()

    def _changed(self, keys: Keys, before: list[Any], value: Any) -> None:
        self._made = None
        # An empty table around ours has no line of its own.
        if self._is_toml and before != [{}]:
            try:
                old = before[0] if before else None
                self._toml = with_table(self._toml, keys, old, value)
            except ValueError as error:
                raise self._unreadable(str(error)) from error

    def _parent(self, keys: Keys) -> dict[str, Any]:
        table = self._tree
        for key in keys[:-1]:
            table = table[key]
        return table

    def _unreadable(self, why: str) -> StoreError:
        message = f"{self.path.name} cannot be changed: {why}"
        hint = "fix the file, then run the command again"
        return StoreError("agent-file-unreadable", message, where=str(self.path), hint=hint)


def _load(raw: bytes | None) -> Any:
    if raw is None:
        return {}
    try:
        return deepcopy(JsonText.parse(raw).value)
    except JsonTextError as error:
        raise ValueError(f"{error}; comments are not kept") from error
