"""unlatch session: readable logs of agents' work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.runtime.lazy_group import LazyGroup

if TYPE_CHECKING:
    from unlatch.cli.table import Entry

_MODULES = {
    "start": "change",
    "log": "log",
    "pause": "change",
    "resume": "change",
    "complete": "change",
    "link": "link",
    "list": "read",
    "show": "read",
    "query": "query",
    "stats": "query",
    "import": "imports",
    "publish": "publish",
    "codify": "codify",
    "learn": "learn",
}


def command(entry: Entry) -> LazyGroup:
    """The group."""
    return LazyGroup(entry.name, help=entry.own_help, package=__package__ or "", modules=_MODULES)
