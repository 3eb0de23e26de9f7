"""What a SpecWeave project's config.json is in force for, written into config.toml.

config.json itself stays: other programs read it, and not all of it is for us.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.increments.files.layout import SPECWEAVE
from unlatch.worklog.safe_open import exists, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tomlkit import TOMLDocument

    from unlatch.config.config import RawConfig
    from unlatch.project.workspace import Workspace

_HEADING = "Configuration of unlatch; every setting is explained in docs/configuration.md."
_SOURCE = f"{SPECWEAVE}/config.json"


def migrated_config(workspace: Workspace) -> bytes | None:
    """config.toml with all that SpecWeave's config.json says; None if nothing is to be done.

    Raises:
        ConfigError: the configuration has mistakes; all are listed.
    """
    if not exists(workspace.layout.root / _SOURCE) or not workspace.config.specweave:
        return None
    import tomlkit  # noqa: PLC0415  (slow to load)

    path = workspace.layout.config
    document = tomlkit.parse(read_file(path).decode()) if exists(path) else _new()
    off = tomlkit.item(False)
    document.add("specweave", off.comment(f"{_SOURCE} is not read any more"))
    for key, value in _inherited(workspace.raw_config):
        _set(document, key, value)
    return tomlkit.dumps(document).encode()


def _new() -> TOMLDocument:
    import tomlkit  # noqa: PLC0415

    document = tomlkit.document()
    document.add(tomlkit.comment(_HEADING))
    return document


def _inherited(raw: RawConfig) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The settings that come from config.json, by the steps of their keys."""
    values = {**raw.core.model_dump(mode="json"), "trackers": dict(raw.trackers)}
    for key, origin in raw.origins.items():
        if origin == _SOURCE:
            steps = tuple(key.split("."))
            value: Any = values
            for step in steps:
                value = value[step]
            yield steps, value


def _set(document: TOMLDocument, steps: tuple[str, ...], value: Any) -> None:
    import tomlkit  # noqa: PLC0415

    table: Any = document
    for depth, step in enumerate(steps[:-1]):
        if step not in table:
            is_outer = depth < len(steps) - 2
            table.add(step, tomlkit.table(is_super_table=is_outer))
        table = table[step]
    table.add(steps[-1], tomlkit.item(value).comment(f"from {_SOURCE}"))
