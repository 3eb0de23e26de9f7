"""unlatch run: plans that many workers carry out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.runtime.lazy_group import LazyGroup

if TYPE_CHECKING:
    from unlatch.cli.table import Entry

_MODULES = {
    "start": "execute",
    "resume": "execute",
    "recover": "execute",
    "check": "plans",
    "agree": "plans",
    "list": "read",
    "status": "read",
    "events": "read",
    "watch": "read",
    "pause": "request",
    "stop": "request",
    "context": "request",
    "questions": "request",
    "answer": "request",
    "demo": "demo",
}


def command(entry: Entry) -> LazyGroup:
    """The group."""
    return LazyGroup(entry.name, help=entry.own_help, package=__package__ or "", modules=_MODULES)
