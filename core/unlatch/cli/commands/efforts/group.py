"""unlatch effort: conversations with a model that are concluded, found again and reopened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.runtime.lazy_group import LazyGroup

if TYPE_CHECKING:
    from unlatch.cli.table import Entry

# The module of each command, in the order of the help.
_MODULES = {
    "open": "change",
    "close": "change",
    "reopen": "change",
    "switch": "change",
    "expand": "change",
    "collapse": "change",
    "link": "link",
    "list": "read",
    "show": "read",
    "search": "read",
    "verify": "check",
    "export": "check",
    "chat": "chat",
    "demo": "chat",
}


def command(entry: Entry) -> LazyGroup:
    """The group."""
    return LazyGroup(entry.name, help=entry.own_help, package=__package__ or "", modules=_MODULES)
