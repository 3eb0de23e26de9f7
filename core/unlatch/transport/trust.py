"""Which hosts a credential may be sent to.

The vendor's own by default, more only by the environment or the user's own configuration. Nothing
in a repository can add one: a pull request must not be able to point CI's token elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from unlatch.errors import UnlatchError
from unlatch.transport.origin import Origin, host_name, origin_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TRUSTED_HOSTS = "UNLATCH_TRUSTED_HOSTS"


def check_origin(
    url: str,
    *,
    hosts: Iterable[str],
    env: Mapping[str, str],
    host_env: Iterable[str] = (),
    user_hosts: Iterable[str] = (),
) -> None:
    """Make sure that a token may be sent to `url`.

    Args:
        url: where requests are to go.
        hosts: the vendor's own hosts, on the scheme's own port; "*.example.com" for subdomains of
            one label, as in a certificate.
        env: the environment; UNLATCH_TRUSTED_HOSTS lists hosts, with or without a port, by commas.
        host_env: variables that hold a further host, or its URL.
        user_hosts: hosts from the user's own configuration.

    Raises:
        UnlatchError: `host-not-trusted`, `insecure-url`, `url-malformed`, `url-with-credentials`.
    """
    origin = origin_of(url)
    if origin.scheme == "http" and not origin.is_loopback:
        raise UnlatchError(
            "insecure-url",
            f"a token is never sent over plain http to {origin.authority}",
            where=str(origin),
            hint=f"use https://{origin.host}",
        )
    named = filter(None, map(env.get, host_env))
    known = [*env.get(TRUSTED_HOSTS, "").split(","), *named, *user_hosts]
    if origin.scheme == "https" and origin.port == 443:  # noqa: PLR2004
        known += hosts
    if any(_covers(entry, origin) for entry in known):
        return
    raise UnlatchError(
        "host-not-trusted",
        f"{origin.authority} is not a host that a token may be sent to",
        where=str(origin),
        hint=f"if you trust it, set {TRUSTED_HOSTS}={origin.authority} in the environment, or name "
        "it in your user configuration; a file in the repository cannot add it",
    )


def _covers(entry: str, origin: Origin) -> bool:
    """Whether a host, host and port, URL, or "*.domain" means this origin."""
    entry = entry.strip()
    subdomains = entry.startswith("*.")
    parsed = _host_and_port(entry[2:] if subdomains else entry)
    if parsed is None:
        return False
    host, port = parsed
    if port is not None and port != origin.port:
        return False
    # "*.com" would trust half the world; a domain has a dot in it.
    if subdomains:
        return "." in host and origin.host.partition(".")[2] == host
    return origin.host == host


def _host_and_port(entry: str) -> tuple[str, int | None] | None:
    # An entry that cannot be read trusts nothing.
    if not entry or "@" in entry or "\\" in entry:
        return None
    try:
        parts = urlsplit(entry if "://" in entry else f"//{entry}")
        return host_name(parts.hostname or ""), parts.port
    except (ValueError, UnlatchError):
        return None
