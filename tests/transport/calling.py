"""Send single requests through a transport, and check their results."""

import socket
import ssl
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
import requests
from _pytest.mark.structures import ParameterSet
from tests.transport.faulty import Faulty, Reply

from unlatch.errors import TrackerError
from unlatch.transport import Answer, Explain, Transport, for_tests

TOKEN = "T0ken-that-nobody-may-see"

READS = ("GET", "HEAD", "OPTIONS")
WRITES = ("POST", "PATCH", "PUT", "DELETE")


def covering(rows: Mapping[str, object], columns: Sequence[str]) -> list[ParameterSet]:
    """A product of which each row runs with one column, in turn; `make torture` runs the rest."""
    return [
        pytest.param(
            *(row, column),
            id=f"{name}-{column}",
            marks=() if (number - place) % len(columns) == 0 else pytest.mark.sweep,
        )
        for number, (name, row) in enumerate(rows.items())
        for place, column in enumerate(columns)
    ]


def nothing(answer: Answer) -> None:
    """The error table of a plugin that has nothing of its own to say."""


def transport(server: Faulty, **options: Any) -> Transport:
    """A transport to a faulty server, which waits for every answer that comes."""
    options.setdefault("token", TOKEN)
    options.setdefault("timeouts", (30.0, server.patience))
    return for_tests("github", server.url, **options)


@contextmanager
def connected(
    *replies: Reply,
    otherwise: Reply | None = None,
    tls: ssl.SSLContext | None = None,
    **options: Any,
) -> Iterator[tuple[Faulty, requests.Session]]:
    """A faulty server, and a session that reaches it through a transport."""
    with (
        Faulty(*replies, otherwise=otherwise, tls=tls) as server,
        transport(server, **options).session(nothing) as session,
    ):
        yield server, session


def call(
    server: Faulty, method: str, *, explain: Explain = nothing, path: str = "/item", **options: Any
) -> requests.Response:
    """One request to a faulty server."""
    with transport(server, **options).session(explain) as session:
        return session.request(method, server.url + path, json={"n": 1})


def free_port() -> int:
    """A port that nothing listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def failure(server: Faulty, method: str, **options: Any) -> TrackerError:
    """The error that one request ends in."""
    with pytest.raises(TrackerError) as caught:
        call(server, method, **options)
    return caught.value


def everything_about(error: BaseException | None) -> str:
    """Words, traceback and attributes of an error and its causes."""
    parts = []
    while error is not None:
        parts += [str(error), repr(error), *traceback.format_exception(error)]
        parts += [repr(value) for value in vars(error).values()]
        for attribute in ("request", "response"):
            parts.append(repr(vars(getattr(error, attribute, None) or object)))
        error = error.__cause__ or error.__context__
    return "\n".join(parts)
