"""The hosts that a credential may be sent to, and the origin of a request.

The vendor's own hosts by default, more only by the environment or the user's own configuration.
Nothing in a repository can add one: a pull request must not be able to point CI's token elsewhere.
"""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from unlatch.errors import HostNotBound, UnlatchError
from unlatch.patterns import pattern
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from unlatch.spi import Manifest

TRUSTED_HOSTS = "UNLATCH_TRUSTED_HOSTS"
_PORTS = {"http": 80, "https": 443}
_HOST_NAME = pattern(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_.])?")
# urlsplit drops some of these silently, and libraries differ about the backslash.
_FORBIDDEN = pattern(r"[\x00-\x20\x7f-\xa0\\]")


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port of a URL. The host is in lower case and ASCII."""

    scheme: str
    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether requests stay on this machine."""
        with suppress(ValueError):
            return ipaddress.ip_address(self.host).is_loopback
        return self.host == "localhost"

    @property
    def authority(self) -> str:
        """Host, and port where it is not the scheme's own, as a URL spells them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"


def origin_of(url: str) -> Origin:
    """The origin of an http or https URL.

    UnlatchError: `url-malformed`, or `url-with-credentials`; the message leaves the URL out where
    it may hold a secret.
    """
    if _FORBIDDEN.search(url):
        raise _malformed(url, "it contains a space, a backslash or a control character")
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise _malformed(url, "it cannot be parsed") from error
    if parts.scheme not in _PORTS:
        raise _malformed(url, "it must begin with https://")
    if "@" in parts.netloc:
        message = "an address must not contain a user name or a password"
        hint = "take it out of the address, and put the token into the environment"
        raise UnlatchError("url-with-credentials", message, hint=hint)
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
    """A host name or address as hosts are compared; UnlatchError `url-malformed`."""
    host = raw.lower() if raw.isascii() else _to_ascii(raw)
    with suppress(ValueError):
        return str(ipaddress.ip_address(host))
    if not _HOST_NAME.fullmatch(host) or ".." in host:
        raise _malformed(raw, "its host is not a valid host name")
    return host


def _to_ascii(raw: str) -> str:
    # The library and the rules by which requests finds the host to connect to.
    import idna  # noqa: PLC0415  # 20 ms, for rare hosts

    try:
        return idna.encode(raw, uts46=True).decode("ascii")
    except idna.IDNAError as error:
        raise _malformed(raw, "its host is not a valid host name") from error


def _malformed(url: str, why: str) -> UnlatchError:
    printable = "".join(c if c.isprintable() else "?" for c in url.partition("?")[0])[:100]
    message = f"invalid address: {why}"
    return UnlatchError("url-malformed", message, where=None if "@" in printable else printable)


@dataclass(frozen=True, slots=True)
class TrustedHosts:
    """The hosts that the environment and the user's own configuration name.

    An entry is a host, with or without a port, its URL, or "*.example.com" for subdomains of one
    label, as in a certificate.

    Args:
        bound: the entries of each tracker.
        unbound: entries of earlier versions, which name no tracker, with the place of each.
    """

    bound: Mapping[str, Sequence[str]]
    unbound: Mapping[str, str]


def read_trusted_hosts(
    env: Mapping[str, str],
    manifests: Iterable[Manifest],
    configured: Mapping[str, Sequence[str]] = MappingProxyType({}),
    *,
    file: str = "",
) -> TrustedHosts:
    """The hosts that `env` and the user's own configuration `file` name for these trackers.

    UNLATCH_TRUSTED_HOSTS lists TRACKER=HOST by commas, and each variable of a manifest's
    `host_env` has a further host of that tracker. An entry without a tracker counts for the one
    tracker with which another of these sources names a host that it covers.
    """
    named = [(name, entry, file) for name, entries in configured.items() for entry in entries]
    named += [(name, entry, TRUSTED_HOSTS) for name, entry in named_hosts(env)]
    bound: dict[str, list[str]] = {
        manifest.name: [*filter(None, map(env.get, manifest.host_env))] for manifest in manifests
    }
    for name, entry, _ in named:
        if name:
            bound.setdefault(name, []).append(entry)
    unbound = {entry: place for name, entry, place in named if not name}
    for entry in [*unbound]:
        ties = [name for name, hosts in bound.items() if any(_names(entry, host) for host in hosts)]
        if len(ties) == 1:
            bound[ties[0]].append(entry)
    return TrustedHosts(bound, unbound)


def named_hosts(env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The tracker, or "", and the host of each entry in UNLATCH_TRUSTED_HOSTS."""
    for entry in env.get(TRUSTED_HOSTS, "").split(","):
        tracker, _, host = entry.strip().rpartition("=")
        if host := host.strip():
            yield tracker.strip(), host


def _names(entry: str, other: str) -> bool:
    """Whether an entry covers the host of another."""
    host, port = _host_and_port(other)
    return bool(host) and _covers(entry, Origin("https", host, port or 443))


def check_origin(url: str, manifest: Manifest, trusted: TrustedHosts) -> None:
    """Check that a tracker's token may be sent to `url`.

    The vendor's hosts in the manifest are trusted on the scheme's own port.

    UnlatchError: `host-not-trusted`, `insecure-url`, `url-malformed`, `url-with-credentials`.
    HostNotBound: the only entry that covers the host names no tracker.
    """
    origin = check_secure(url)
    entries = [*trusted.bound.get(manifest.name, ())]
    if origin.scheme == "https" and origin.port == 443:  # noqa: PLR2004
        entries += manifest.hosts
    if any(_covers(entry, origin) for entry in entries):
        return
    for entry, place in trusted.unbound.items():
        if _covers(entry, origin):
            raise _not_bound(origin, manifest, place)
    message = f"{origin.authority} is not a host that a token for {manifest.title} may be sent to"
    hint = (
        f"if you trust it, set {TRUSTED_HOSTS}={manifest.name}={origin.authority} in the "
        "environment, or name it in your user configuration; a file in the repository cannot add it"
    )
    raise UnlatchError("host-not-trusted", message, where=str(origin), hint=hint)


def _not_bound(origin: Origin, manifest: Manifest, place: str) -> HostNotBound:
    line = f"set {TRUSTED_HOSTS}={manifest.name}={origin.authority}"
    if place != TRUSTED_HOSTS:
        line = f'write trusted_hosts.{manifest.name} = ["{origin.authority}"] in place of the list'
    message = (
        f"{origin.authority} is trusted in {place}, which does not name {manifest.name} for it"
    )
    hint = f"if it is your {manifest.title} server, {line}"
    return HostNotBound("host-not-bound", message, where=str(origin), hint=hint)


def check_secure(url: str) -> Origin:
    """The origin of a URL that a secret may be sent to: https, or this machine.

    UnlatchError: `insecure-url`, `url-malformed`, `url-with-credentials`.
    """
    origin = origin_of(url)
    if origin.scheme == "http" and not origin.is_loopback:
        message = f"a token is never sent over plain http to {origin.authority}"
        port = origin.port if origin.port != _PORTS["http"] else _PORTS["https"]
        hint = f"use {Origin('https', origin.host, port)}"
        raise UnlatchError("insecure-url", message, where=str(origin), hint=hint)
    return origin


def _covers(entry: str, origin: Origin) -> bool:
    """Whether a host, host and port, URL, or "*.domain" means this origin."""
    entry = entry.strip()
    subdomains = entry.startswith("*.")
    host, port = _host_and_port(entry[2:] if subdomains else entry)
    if port not in (None, origin.port):
        return False
    # "*.com" would trust half the world; a domain has a dot in it.
    if subdomains:
        return "." in host and origin.host.partition(".")[2] == host
    return origin.host == host


def _host_and_port(entry: str) -> tuple[str, int | None]:
    if entry and "@" not in entry and "\\" not in entry:
        with suppress(ValueError, UnlatchError):
            parts = urlsplit(entry if "://" in entry else f"//{entry}")
            return host_name(parts.hostname or ""), parts.port
    return "", None  # covers no origin
