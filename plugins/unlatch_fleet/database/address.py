"""The address of the database, and what may stand in it."""

from __future__ import annotations

import os
from ipaddress import ip_address
from typing import TYPE_CHECKING

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from unlatch.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "UNLATCH_FLEET_DATABASE"
_SECRETS = ("password", "sslpassword", "oauth_client_secret")
_ENCRYPTED = ("require", "verify-ca", "verify-full")


def choose_address(typed: str | None, noted: str | None, environment: Mapping[str, str]) -> str:
    """The address to connect to: typed, of the environment, or of node.toml, in this order.

    Args:
        typed: what stands among the arguments; other users of the machine can read it.

    Raises:
        UsageError: `fleet-database-missing`, `fleet-database-invalid`, `fleet-password-typed`,
            `fleet-database-plain`.
    """
    if typed is not None:
        _refuse_password(typed)
    address = typed or environment.get(VARIABLE) or noted
    if not address:
        raise UsageError(
            "fleet-database-missing",
            "no database is named",
            hint=f"set {VARIABLE}, or `database` in node.toml; a password may stand in ~/.pgpass",
        )
    return encrypted(address)


def encrypted(address: str) -> str:
    """The address, with TLS required unless it stays on this machine.

    Raises:
        UsageError: `fleet-database-invalid`; `fleet-database-plain`: it turns TLS off.
    """
    parts = _parts(address)
    # What the address leaves open, libpq takes from a service file, then from the environment. An
    # address in numbers counts before a name.
    numbers = parts.get("hostaddr") or os.environ.get("PGHOSTADDR")
    hosts = numbers or parts.get("host") or os.environ.get("PGHOST") or ""
    has_service = "service" in parts or os.environ.get("PGSERVICE")
    if not has_service and all(map(_is_here, str(hosts).split(","))):
        return address
    mode = parts.get("sslmode", os.environ.get("PGSSLMODE", "require"))
    if mode not in _ENCRYPTED:
        raise UsageError(
            "fleet-database-plain",
            f"sslmode={mode} sends the fleet's data in the clear",
            hint="use sslmode=verify-full, or at least require",
        )
    return make_conninfo(address, sslmode=mode)


def _refuse_password(typed: str) -> None:
    if any(_parts(typed).get(name) for name in _SECRETS):
        raise UsageError(
            "fleet-password-typed",
            "a password among the arguments can be read by other users, and stays in the history",
            hint=f"put the address in {VARIABLE} or node.toml, or the password in ~/.pgpass",
        )


def _parts(address: str) -> Mapping[str, object]:
    try:
        return conninfo_to_dict(address)
    except ProgrammingError:  # its text may repeat the password
        raise UsageError(
            "fleet-database-invalid",
            "the address of the database cannot be read",
            hint="write postgresql://USER@HOST/NAME",
        ) from None


def _is_here(host: str) -> bool:
    """Whether it is a socket or loopback; libpq uses a socket where nothing is named."""
    if not host or host.startswith(("/", "@")) or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
