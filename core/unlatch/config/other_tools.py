"""The settings that another tool keeps in a project, below those of config.toml.

A package reads them: by an entry point of the group `unlatch.settings` with the name of the tool's
folder. The project switches them off by this name, as in `specweave = false`.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from unlatch.errors import ConfigError
from unlatch.increments.files.paths import SPECWEAVE
from unlatch.worklog.entry_points import entry_points

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_GROUP = "unlatch.settings"
_TOOL = SPECWEAVE.removeprefix(".")
FILE = f"{SPECWEAVE}/config.json"


class ToolSettings(Protocol):
    """The settings of a tool. Nothing is raised for its mistakes: the tool reports them itself."""

    def settings(self, root: Path, ours: Mapping[str, Any]) -> dict[str, Any]:
        """The tables of config.toml that follow from them; empty if they cannot be read.

        Args:
            ours: the content of config.toml, which goes before.
        """

    def repositories(self, root: Path) -> Mapping[str, str]:
        """The repository (`octo/widgets`) of each profile that links can name."""


def settings_below(root: Path, ours: Mapping[str, Any]) -> dict[str, Any]:
    """The tables below those of config.toml.

    ConfigError: the package cannot be loaded; settings can forbid writes, so none are left out.
    """
    file = root / FILE
    if ours.get(_TOOL) is False or not os.path.lexists(file):
        return {}
    return _reader(str(file)).settings(root, ours)


def repositories_at(root: Path) -> Mapping[str, str]:
    """The repositories by profile; ConfigError: a package cannot be loaded."""
    return _reader(str(root / FILE)).repositories(root)


@cache
def _reader(where: str) -> ToolSettings:
    target = entry_points(_GROUP).get(_TOOL)
    if target is None:
        raise _unread(where, "no installed package reads them")
    module, _, name = target.partition(":")
    try:
        reader: ToolSettings = getattr(import_module(module), name)
    except Exception as error:
        raise _unread(where, f"{type(error).__name__}: {error}") from error
    return reader


def _unread(where: str, why: str) -> ConfigError:
    problem = f"the settings in this file cannot be read: {why}"
    hint = f"to leave them unread, write in .unlatch/config.toml: {_TOOL} = false"
    return ConfigError((problem,), where=where, hint=hint)
