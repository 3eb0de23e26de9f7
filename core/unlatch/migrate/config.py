"""The settings of a SpecWeave project's config.json that are in force, written into config.toml.

config.json itself stays: other programs read it, and it has other settings than ours.
"""

from __future__ import annotations

from functools import reduce
from operator import getitem
from typing import TYPE_CHECKING, Any

from unlatch.increments.files.layout import SPECWEAVE
from unlatch.worklog.safe_open import exists, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.config.config import RawConfig
    from unlatch.project.workspace import Workspace

_HEADING = "Configuration of unlatch; every setting is explained in docs/configuration.md."
_SOURCE = f"{SPECWEAVE}/config.json"


def migrated_config(workspace: Workspace) -> bytes | None:
    """config.toml with all settings of SpecWeave's config.json; None if nothing has to change."""
    if not exists(workspace.layout.root / _SOURCE) or not workspace.config.specweave:
        return None
    import tomlkit  # noqa: PLC0415  (slow to load)

    path = workspace.layout.config
    if exists(path):
        document = tomlkit.parse(read_file(path).decode())
    else:
        document = tomlkit.document()
        document.add(tomlkit.comment(_HEADING))
    off = tomlkit.item(False)
    document.add("specweave", off.comment(f"{_SOURCE} is not read any more"))
    for steps, value in _inherited(workspace.raw_config):
        table: Any = document
        for depth, step in enumerate(steps[:-1], 2):
            if step not in table:
                table.add(step, tomlkit.table(is_super_table=depth < len(steps)))
            table = table[step]
        table.add(steps[-1], tomlkit.item(value).comment(f"from {_SOURCE}"))
    return tomlkit.dumps(document).encode()


def _inherited(raw: RawConfig) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The settings that come from config.json, by the steps of their keys."""
    values = {**raw.core.model_dump(mode="json"), "trackers": dict(raw.trackers)}
    for key, origin in raw.origins.items():
        if origin == _SOURCE:
            steps = tuple(key.split("."))
            yield steps, reduce(getitem, steps, values)
