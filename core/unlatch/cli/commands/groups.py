"""The groups of commands whose modules are loaded when they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from unlatch.cli.runtime.suggest import Group

if TYPE_CHECKING:
    import click

    from unlatch.cli.table import Entry


class LazyGroup(Group):
    """A group below `unlatch`; the command `open` of `effort` is the function `open_effort`."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(entry.name, help=entry.own_help)
        self.package, self.modules = entry.package, entry.commands or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.modules]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.modules:
            return None
        module = import_module(f"{self.package}.{self.modules[name]}")
        found: click.Command = getattr(module, f"{name}_{self.name}")
        return found
