"""One HTTP adapter beneath every tracker's SDK.

Plugins and the project package use it. Each name is imported when it is first used, so that a
command that sends nothing does not pay for `requests` and its like.

For plugins (`help(unlatch.transport.Row)` describes one of them):
    Transport        the connection to one tracker; `session` and `mount` give it to an SDK
    reading          marks the requests of a block as reads, also a POST, such as a query of GraphQL
    side_by_side     sends reads at the same time
    each_page        counts the pages of a list, and ends one that does not end
    Cache            answers that rarely change, kept between runs

Errors:
    Answer           one HTTP answer, for
    Explain          a plugin's error table: the error that an answer means, or None
    Row              an error for some answers
    first_error      the error of the first row that matches
    quoted           a tracker's text, for a message
    unreadable       the error for a success that cannot be read

For tests, and the commands:
    for_tests        a transport without a configuration
    measure, Meter   the number of requests in a block
    open_transport, TransportOptions, Wait
                     the transport of a configured tracker, and its waits
    finishing        marks the requests of a block as begun before the command's end
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unlatch.transport.answer import Answer, Explain, each_page
    from unlatch.transport.breaker import TransportOptions, Wait
    from unlatch.transport.cache import Cache
    from unlatch.transport.errors import Row, first_error, quoted, unreadable
    from unlatch.transport.request_context import Meter, finishing, measure, reading, side_by_side
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
    "finishing",
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
    "errors": "Row first_error quoted unreadable",
    "breaker": "TransportOptions Wait",
    "request_context": "Meter finishing measure reading side_by_side",
    "testing": "for_tests",
    "transport": "Transport open_transport",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
