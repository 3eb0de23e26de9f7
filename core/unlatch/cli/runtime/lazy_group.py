"""A group of commands that are loaded when they are needed."""

from collections.abc import Mapping
from importlib import import_module

import click

from unlatch.cli.runtime.suggest import Group


class LazyGroup(Group):
    """A group below `unlatch`.

    Args:
        package: the package with its modules.
        modules: the module of each command, in the order of the help; the command `open` of the
            group `effort` is the function `open_effort`.
    """

    def __init__(self, name: str, *, help: str, package: str, modules: Mapping[str, str]) -> None:
        super().__init__(name, help=help)
        self.package, self.modules = package, modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.modules]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.modules:
            return None
        module = import_module(f"{self.package}.{self.modules[name]}")
        found: click.Command = getattr(module, f"{name}_{self.name}")
        return found
