"""One HTTP adapter beneath every tracker's SDK.

Plugins and the project package use it. `requests` is imported when `Transport` is first used, so
that a command that sends nothing does not pay for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from unlatch.transport.answer import Answer, Explain, each_page
from unlatch.transport.cache import Cache
from unlatch.transport.error_table import Row, first_error, quoted, unreadable
from unlatch.transport.options import TransportOptions, Wait
from unlatch.transport.request_context import Meter, measure, reading

if TYPE_CHECKING:
    from unlatch.transport.parallel_requests import side_by_side
    from unlatch.transport.testing import for_tests
    from unlatch.transport.transport import Transport, open_transport

__all__ = [
    "Answer",
    "Cache",
    "Explain",
    "Meter",
    "Row",
    "Transport",
    "TransportOptions",
    "Wait",
    "each_page",
    "first_error",
    "for_tests",
    "measure",
    "open_transport",
    "quoted",
    "reading",
    "side_by_side",
    "unreadable",
]

_LAZY = {
    "Transport": "unlatch.transport.transport",
    "for_tests": "unlatch.transport.testing",
    "open_transport": "unlatch.transport.transport",
    "side_by_side": "unlatch.transport.parallel_requests",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
