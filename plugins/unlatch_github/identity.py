"""Whom a token belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.errors import TrackerError, Transient, Unauthorised
from unlatch_github.queries import VIEWER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch_github.client import Client


@dataclass(frozen=True, slots=True)
class Identity:
    """A token's account, and what kind of token it is.

    Args:
        login: the account; None if GitHub does not tell.
        is_app: whether it is an app's for one installation, as GitHub Actions makes them.
        scopes: what a classic token was granted; None for tokens of the other kinds, which do not
            tell.
    """

    login: str | None
    is_app: bool = False
    scopes: frozenset[str] | None = None


def identify(client: Client) -> Identity:
    """Ask GitHub who is asking.

    Raises:
        Unauthorised: `unauthorised`, it does not accept the token.
        Transient: GitHub cannot be asked now.
    """
    try:
        headers, login = client.login()
    except Unauthorised as error:
        if error.id != "forbidden":
            raise
        # An installation is no user; GraphQL names its bot all the same.
        return Identity(_viewer(client), is_app=True)
    return Identity(login, scopes=_scopes(headers))


def _viewer(client: Client) -> str | None:
    try:
        return str(client.query(VIEWER, {})["data"]["viewer"]["login"])
    except Transient:
        raise
    except (TrackerError, KeyError, TypeError):
        return None


def _scopes(headers: Mapping[str, str]) -> frozenset[str] | None:
    named = headers.get("x-oauth-scopes")
    if named is None:
        return None
    return frozenset(scope.strip() for scope in named.split(",") if scope.strip())
