"""The places of items: in a project as it configures them, elsewhere by their addresses."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from unlatch.errors import ConfigError, PluginBroken, StoreError, UsageError
from unlatch.increments.files.paths import ProjectPaths, items_at, items_in
from unlatch.project.check_trackers import read_settings
from unlatch.project.plugins.errors import blaming
from unlatch.project.plugins.loading import load
from unlatch.project.registry import Registry
from unlatch.project.workspace import Workspace
from unlatch.values import dataclass
from unlatch.worklog.disk.user_files import items_folder, make_items_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from unlatch.spi import Manifest, Settings

Table = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ItemGroup:
    """Items that one set of settings serves, and the workspace with their records.

    Args:
        words: the items' addresses or names.
        is_project: whether the records are in a project; else they are this user's, here.
    """

    workspace: Workspace
    words: list[str] = field(default_factory=list)
    is_project: bool = True


def group_in_project(workspace: Workspace, words: Iterable[str]) -> ItemGroup:
    """The items in a project; its settings serve them all."""
    of_items = replace(workspace, paths=items_at(workspace.paths.root))
    return ItemGroup(of_items, list(dict.fromkeys(words)))


def group_outside(
    words: Iterable[str], *, environ: Mapping[str, str], user_config: Path
) -> list[ItemGroup]:
    """The items outside of a project, in as few groups as their sites allow.

    Raises:
        UsageError: `unknown-item`: no installed tracker knows an item; `site-unknown`.
    """
    registry, groups = Registry(), list[tuple[dict[str, Table], list[str]]]()
    checked: dict[str, Table] = {}
    for word in dict.fromkeys(words):
        tracker, table = _settings_for(registry, word, environ, checked)
        checked[tracker] = table  # thousands of items can follow that have the same
        for tables, members in groups:
            merged = _merge(tables.get(tracker), table)
            if merged is not None:
                tables[tracker] = merged
                members.append(word)
                break
        else:
            groups.append(({tracker: table}, [word]))
    make = Workspace(user_items(), environ, user_config, registry=registry)
    return [ItemGroup(replace(make, tables=tables), members, False) for tables, members in groups]


def user_items() -> ProjectPaths:
    """The paths of this user's records on this machine; the folders may be missing."""
    return items_in(items_folder())


def make_user_items() -> None:
    """Make the folder for these records; StoreError `not-writable`."""
    try:
        make_items_folder()
    except (OSError, RuntimeError) as error:
        raise StoreError(
            "not-writable",
            f"the folder for operations on items cannot be made: {error}",
            where=str(items_folder()),
            hint="make this folder writable, or run the command in a project: unlatch init",
        ) from error


def _settings_for(
    registry: Registry, word: str, environ: Mapping[str, str], checked: Mapping[str, Table]
) -> tuple[str, Table]:
    broken: PluginBroken | None = None  # the item may be of another plugin
    for name, manifest in registry.manifests.items():
        try:
            table = _table_for(manifest, word, environ, checked.get(name))
        except PluginBroken as error:
            broken = broken or error
            continue
        if table is not None:
            return name, table
    if broken:
        raise broken
    titles = ", ".join(manifest.title for manifest in registry.manifests.values())
    raise UsageError(
        "unknown-item",
        f"{word!r} is not the address or name of an item of {titles or 'an installed tracker'}",
        hint="paste the item's address, or its name: octo/widgets#4, SCRUM-28",
    )


def settings_of_item(manifest: Manifest, word: str, environ: Mapping[str, str]) -> Settings | None:
    """The settings with which a tracker knows an item outside of a project; PluginBroken."""
    table = _table_for(manifest, word, environ)
    return None if table is None else read_settings(manifest, table)[0]


def _table_for(
    manifest: Manifest, word: str, environ: Mapping[str, str], checked: Table | None = None
) -> Table | None:
    if not manifest.outside:
        return None
    find = load(manifest.name, manifest.outside)
    with blaming(manifest.name, "finding the settings of an item", where=manifest.outside):
        table: Table | None = None
        with suppress(ConfigError):  # such as octo/widgets#0
            table = find(word, environ)
    if table is None or table == checked:
        return table
    return None if read_settings(manifest, table)[1] else table


def _merge(first: Table | None, other: Table) -> Table | None:
    """A table for both, which may differ in their lists of targets only."""
    if first is None:
        return other
    merged: Table = {}
    for key in first.keys() | other.keys():
        here, there = first.get(key), other.get(key)
        if isinstance(here, list) and isinstance(there, list):
            merged[key] = list(dict.fromkeys([*here, *there]))
        elif here == there:
            merged[key] = here
        else:
            return None
    return merged
