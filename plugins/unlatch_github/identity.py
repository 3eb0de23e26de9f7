"""Whom a token belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Identity:
    """A token's account, and the kind of token.

    Args:
        login: the account; None if GitHub does not name it.
        is_app: whether it is an app's for one installation, as GitHub Actions makes them.
        scopes: the scopes of a classic token; None for other kinds, which do not list them.
    """

    login: str | None
    is_app: bool = False
    scopes: frozenset[str] | None = None


def scopes_in(headers: Mapping[str, str]) -> frozenset[str] | None:
    """The scopes of a classic token, which stand in the headers of every answer."""
    named = headers.get("x-oauth-scopes")
    if named is None:
        return None
    return frozenset(scope.strip() for scope in named.split(",") if scope.strip())
