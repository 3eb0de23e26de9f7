"""unlatch agents: installing unlatch in coding agents, and their hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.runtime.lazy_group import LazyGroup

if TYPE_CHECKING:
    from unlatch.cli.table import Entry

# The module of each command, in the order of the help.
_MODULES = {
    "install": "install",
    "uninstall": "install",
    "list": "install",
    "trust": "trust",
    "hook": "hook",
}


def command(entry: Entry) -> LazyGroup:
    """The group."""
    return LazyGroup(entry.name, help=entry.own_help, package=__package__ or "", modules=_MODULES)
