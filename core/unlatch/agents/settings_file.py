"""A settings file of an agent, JSON or TOML, changed so that everything else stays as it is."""

from __future__ import annotations

from collections.abc import MutableMapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.worklog.json_text.document import JsonText, JsonTextError, render_new

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from unlatch.agents.catalog import Keys

Tree = MutableMapping[str, Any]


class SettingsFile:
    """The content of a file, to be changed; StoreError `agent-file-unreadable`.

    Args:
        raw: None if it is missing.
    """

    def __init__(self, path: Path, raw: bytes | None) -> None:
        self.path = path
        self._tree, self._dump = self._read(raw)
        if not isinstance(self._tree, MutableMapping):
            raise self._unreadable("it is not an object")

    def _read(self, raw: bytes | None) -> tuple[Tree, Callable[[], bytes]]:
        try:
            if self._is_toml:
                return _read_toml(raw)
            return _read_json(raw)
        except ValueError as error:
            raise self._unreadable(str(error)) from error

    @property
    def _is_toml(self) -> bool:
        return self.path.suffix == ".toml"

    def content(self) -> bytes:
        """The file with the changes."""
        try:
            return self._dump()
        except ValueError as error:
            raise self._unreadable(str(error)) from error

    def get(self, keys: Keys) -> Any:
        """A plain value; None if it is missing."""
        found: Any = self._tree
        for key in keys:
            found = found.get(key) if isinstance(found, MutableMapping) else None
        return found.unwrap() if hasattr(found, "unwrap") else found

    def set(self, keys: Keys, value: Any) -> list[Keys]:
        """Set a value; returns the tables that were made for it, the outermost first."""
        made = []
        for end in range(1, len(keys)):
            if self.get(keys[:end]) is None:
                self._parent(keys[:end])[keys[end - 1]] = self._table()
                made.append(keys[:end])
        if not isinstance(self.get(keys[:-1]), MutableMapping):
            raise self._unreadable(f"{'.'.join(keys[:-1])} is not an object")
        self._parent(keys)[keys[-1]] = self._item(value)
        return made

    def remove(self, keys: Keys) -> None:
        del self._parent(keys)[keys[-1]]

    def elements(self, keys: Keys) -> Sequence[Any]:
        """The elements of a list, empty if it is missing."""
        found = self.get(keys)
        if found is None:
            return ()
        if not isinstance(found, list):
            raise self._unreadable(f"{'.'.join(keys)} is not a list")
        return found

    @property
    def is_empty(self) -> bool:
        return not self._tree

    def _table(self) -> Tree:
        if not self._is_toml:
            return {}
        import tomlkit  # noqa: PLC0415  (slow to load)

        return tomlkit.table(is_super_table=True)  # it has no line of its own

    def _item(self, value: Any) -> Any:
        if not self._is_toml:
            return value
        import tomlkit  # noqa: PLC0415  (as above)

        made = tomlkit.item(value)
        made.add(tomlkit.nl())  # before the next table
        return made

    def _parent(self, keys: Keys) -> Tree:
        found = self._tree
        for key in keys[:-1]:
            found = found[key]
        return found

    def _unreadable(self, why: str) -> StoreError:
        message = f"{self.path.name} cannot be changed: {why}"
        hint = "fix the file, or add the entry by hand; docs/agents.md lists the entries"
        return StoreError("agent-file-unreadable", message, where=str(self.path), hint=hint)


def _read_json(raw: bytes | None) -> tuple[Tree, Callable[[], bytes]]:
    if raw is None:
        made: Tree = {}
        return made, lambda: render_new(made)
    try:
        text = JsonText.parse(raw)
    except JsonTextError as error:
        raise ValueError(f"{error}; comments are not kept") from error
    tree = deepcopy(text.value)
    return tree, lambda: text.with_value(tree)


def _read_toml(raw: bytes | None) -> tuple[Tree, Callable[[], bytes]]:
    import tomlkit  # noqa: PLC0415  (slow to load)

    document = tomlkit.parse((raw or b"").decode())
    return document, lambda: tomlkit.dumps(document).encode()
