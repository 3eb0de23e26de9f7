"""unlatch effort: conversations with a model that are concluded, found again and reopened."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from unlatch.cli.runtime.suggest import Group

if TYPE_CHECKING:
    import click

    from unlatch.cli.table import Entry

# The module of each command, in the order of the help.
_MODULES = {
    "open": "change",
    "close": "change",
    "reopen": "change",
    "switch": "change",
    "expand": "change",
    "collapse": "change",
    "list": "read",
    "show": "read",
    "search": "read",
    "verify": "check",
    "export": "check",
    "chat": "chat",
    "demo": "chat",
}


class _Efforts(Group):
    """The commands; each is loaded when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*_MODULES]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _MODULES:
            return None
        module = import_module(f"unlatch.cli.commands.efforts.{_MODULES[name]}")
        found: click.Command = getattr(module, f"{name}_effort")
        return found


def command(entry: Entry) -> click.Group:
    """The group."""
    return _Efforts(entry.name, help=entry.own_help)
