"""The server: uvicorn with limits for slow clients, on a socket that may be reached by them.

uvicorn, because one thread serves any number of slow connections, with TLS or on a Unix socket.
Waitress has no TLS; the threads of cheroot and http.server wait for slow clients.
"""

from __future__ import annotations

import os
import socket
import ssl
import stat
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from unlatch.errors import UsageError
from unlatch.values import dataclass

if TYPE_CHECKING:
    import asyncio

    from starlette.applications import Starlette

# From the connection to the end of the answer. Senders of webhooks need a second.
LONGEST = 20.0
# Beyond them, the oldest one ends.
MOST = 400
_HEADERS = [
    ("Cache-Control", "no-store"),
    ("Connection", "close"),
    ("X-Content-Type-Options", "nosniff"),
]
_UNIX = "unix:"
_BEHIND = 256


class _Bounded(H11Protocol):
    """A connection for one request, within a time; a new one may end the oldest."""

    _ending: asyncio.TimerHandle

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._ending = self.loop.call_later(LONGEST, transport.abort)
        if len(self.connections) > MOST:
            oldest = min(self.connections, key=_age)
            oldest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ending.cancel()
        super().connection_lost(exc)


def _age(connection: Any) -> float:
    return float(connection._ending.when())  # noqa: SLF001  (of the class above)


@dataclass(frozen=True, slots=True)
class Certificate:
    """The files of a certificate with its chain, and of its key, in PEM."""

    chain: Path
    key: Path


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server listens.

    Args:
        host: a name or a number; the path of a Unix socket if `port` is None.
        port: 0 for any free one.
    """

    host: str
    port: int | None

    @property
    def is_loopback(self) -> bool:
        return self.port is not None and is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a name or a number stands for this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.casefold() == "localhost"


def parse_address(text: str) -> Address:
    """HOST:PORT, [HOST]:PORT or unix:PATH.

    Raises:
        UsageError: `listen-address`.
    """
    if text.startswith(_UNIX) and len(text) > len(_UNIX):
        return Address(text.removeprefix(_UNIX), None)
    host, _, port = text.rpartition(":")
    if not host or not (port.isascii() and port.isdecimal()) or int(port) > 65535:  # noqa: PLR2004
        raise UsageError(
            "listen-address",
            f"{text!r} is not an address to listen on",
            hint="name HOST:PORT or unix:PATH, as in --listen 127.0.0.1:8787",
        )
    return Address(host.removeprefix("[").removesuffix("]"), int(port))


def bind(address: Address, certificate: Certificate | None) -> socket.socket:
    """A socket that nobody but the machine, holders of TLS or the socket's folder reach.

    Raises:
        UsageError: `listen-without-tls`, `listen-failed`.
    """
    if address.port is not None and not address.is_loopback and certificate is None:
        raise UsageError(
            "listen-without-tls",
            f"{address.host} can be reached from other machines, and there is no certificate",
            hint="name --tls-cert and --tls-key, or listen on unix:PATH behind a proxy",
        )
    try:
        return _unix_socket(Path(address.host)) if address.port is None else _port(address)
    except OSError as error:
        raise UsageError(
            "listen-failed",
            f"cannot listen there: {error.strerror or error}",
            where=address.host if address.port is None else f"{address.host}:{address.port}",
            hint="choose another address with --listen, or stop the program that uses it",
        ) from error


def _port(address: Address) -> socket.socket:
    family, *_, place = socket.getaddrinfo(
        address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    return socket.create_server(place[:2], family=family, backlog=_BEHIND)


def _unix_socket(path: Path) -> socket.socket:
    """A socket for its owner and group; one that nobody listens on any more is replaced."""
    with suppress(FileNotFoundError):
        if stat.S_ISSOCK(path.lstat().st_mode) and not _is_used(path):
            path.unlink()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o117)
    try:
        listening.bind(str(path))
        listening.listen(_BEHIND)
    except OSError:
        listening.close()
        raise
    finally:
        os.umask(before)
    return listening


def _is_used(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        try:
            client.connect(str(path))
        except ConnectionRefusedError:
            return False
    return True


def build_server(app: Starlette, certificate: Certificate | None) -> uvicorn.Server:
    """A server that runs until a signal ends it, and answers requests under way first.

    Raises:
        UsageError: `certificate-unusable`.
    """
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=_Bounded,
            ws="none",
            lifespan="off",
            # Its log has paths, and so secrets.
            access_log=False,
            log_config=None,
            log_level="error",
            proxy_headers=False,
            server_header=False,
            headers=_HEADERS,
            timeout_graceful_shutdown=int(LONGEST),
            **_tls(certificate),
        )
    )


def _tls(certificate: Certificate | None) -> dict[str, Any]:
    if certificate is None:
        return {}
    try:
        # Without a password for the key, which OpenSSL would ask for at a terminal.
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate.chain, certificate.key, password=lambda: b"")
    except OSError as error:  # ssl.SSLError is one
        raise UsageError(
            "certificate-unusable",
            f"the certificate or its key cannot be used: {error.strerror or error}",
            where=f"{certificate.chain}, {certificate.key}",
            hint="name PEM files: the certificate with its chain, and its key without a password",
        ) from error
    return {"ssl_certfile": certificate.chain, "ssl_keyfile": certificate.key}
