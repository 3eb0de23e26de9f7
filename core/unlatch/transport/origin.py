"""Where a request goes: scheme, host and port, spelt one way only."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from unlatch.errors import UnlatchError

_PORTS = {"http": 80, "https": 443}
_HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_.])?")
# urlsplit drops some of these silently, and libraries differ about the backslash.
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\xa0\\]")


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port. The host is in lower case and ASCII."""

    scheme: str
    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether requests stay on this machine."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def authority(self) -> str:
        """Host, and port where it is not the scheme's own, as a URL spells them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"


def origin_of(url: str) -> Origin:
    """The origin of an http or https URL.

    Raises:
        UnlatchError: `url-malformed`, or `url-with-credentials`; the message leaves the URL out
            where it may hold a secret.
    """
    if _FORBIDDEN.search(url):
        raise _malformed(url, "it has a space, a backslash or a control character in it")
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise _malformed(url, "it cannot be read as an address") from error
    if parts.scheme not in _PORTS:
        raise _malformed(url, "it must begin with https://")
    if "@" in parts.netloc:
        raise UnlatchError(
            "url-with-credentials",
            "an address must not contain a user name or a password",
            hint="take it out of the address, and put the token into the environment",
        )
    host = host_name(parts.hostname or "")
    try:
        port = _PORTS[parts.scheme] if parts.port is None else parts.port
    except ValueError as error:
        raise _malformed(url, "its port is not a number up to 65535") from error
    return Origin(parts.scheme, host, port)


def credential_host(base_url: str) -> str:
    """The host that people know a tracker by, for the keyring and the vendor's program.

    Some trackers have their API on a host of its own: api.github.com is github.com to `gh`.
    """
    return origin_of(base_url).authority.removeprefix("api.")


def host_name(raw: str) -> str:
    """A host name or address in the one spelling that hosts are compared in.

    Raises:
        UnlatchError: `url-malformed`.
    """
    host = raw.lower() if raw.isascii() else _to_ascii(raw)
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    if not _HOST_NAME.fullmatch(host) or ".." in host:
        raise _malformed(raw, "its host is not a host name")
    return host


def _to_ascii(raw: str) -> str:
    # The same library and the same rules by which requests finds the host that it connects to.
    import idna  # noqa: PLC0415  # 20 ms, for hosts that are hardly ever there

    try:
        return idna.encode(raw, uts46=True).decode("ascii")
    except idna.IDNAError as error:
        raise _malformed(raw, "its host is not a host name") from error


def _malformed(url: str, why: str) -> UnlatchError:
    shown = "".join(c if c.isprintable() else "?" for c in url.partition("?")[0])[:100]
    where = None if "@" in shown else shown
    return UnlatchError(
        "url-malformed", f"this is no address to send requests to: {why}", where=where
    )
