"""unlatch workflow: checking and showing workflow markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.runtime.lazy_group import LazyGroup

if TYPE_CHECKING:
    from unlatch.cli.table import Entry

_MODULES = {"validate": "workflow", "show": "workflow"}


def command(entry: Entry) -> LazyGroup:
    """The group."""
    return LazyGroup(entry.name, help=entry.own_help, package=__package__ or "", modules=_MODULES)
