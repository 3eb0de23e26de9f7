"""One HTTP adapter beneath every tracker's SDK.

Plugins and the project package use it. Each name is imported when it is first used, so that a
command that sends nothing does not pay for `requests` and its like.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unlatch.transport.answer import Answer, Explain, each_page
    from unlatch.transport.cache import Cache
    from unlatch.transport.error_table import Row, first_error, quoted, unreadable
    from unlatch.transport.options import TransportOptions, Wait
    from unlatch.transport.parallel_requests import side_by_side
    from unlatch.transport.request_context import Meter, measure, reading
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

_NAMES = {
    "answer": "Answer Explain each_page",
    "cache": "Cache",
    "error_table": "Row first_error quoted unreadable",
    "options": "TransportOptions Wait",
    "parallel_requests": "side_by_side",
    "request_context": "Meter measure reading",
    "testing": "for_tests",
    "transport": "Transport open_transport",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
