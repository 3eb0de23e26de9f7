"""One HTTP adapter beneath every tracker's SDK.

What the adapter needs of `requests` is loaded when `Transport` is first used, so that trust,
credentials and redaction cost a command that sends nothing only their own import.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from unlatch.transport.answer import Answer, Explain
from unlatch.transport.meter import Meter, measure, reading
from unlatch.transport.pages import each_page
from unlatch.transport.waits import Wait

if TYPE_CHECKING:
    from unlatch.transport.opening import open_transport
    from unlatch.transport.rehearsal import for_tests
    from unlatch.transport.transport import Transport

__all__ = [
    "Answer",
    "Explain",
    "Meter",
    "Transport",
    "Wait",
    "each_page",
    "for_tests",
    "measure",
    "open_transport",
    "reading",
]

_LAZY = {
    "Transport": "unlatch.transport.transport",
    "for_tests": "unlatch.transport.rehearsal",
    "open_transport": "unlatch.transport.opening",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
