"""Tokens in the system's keyring, one for each tracker and host."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from unlatch.errors import UnlatchError

SERVICE = "unlatch"

ReadKeyring = Callable[[str, str], str | None]


@dataclass(frozen=True, slots=True)
class Stored:
    """What the keyring keeps for one tracker and host."""

    token: str = field(repr=False)
    user: str | None = None


def stored(*, tracker: str, host: str, get: ReadKeyring) -> Stored | None:
    """The entry for a tracker and host; None if there is none that can be read."""
    raw = get(SERVICE, _key(tracker, host))
    try:
        entry = json.loads(raw) if raw else None
    except ValueError:
        return None
    if not isinstance(entry, dict) or not isinstance(token := entry.get("token"), str):
        return None
    user = entry.get("user")
    return Stored(token, user if isinstance(user, str) and user else None)


def store_token(token: str, *, tracker: str, host: str, user: str | None = None) -> None:
    """Keep a token, in place of the one that was there.

    Raises:
        UnlatchError: `keyring-unavailable`.
    """
    import keyring  # noqa: PLC0415  # 60 ms, for those who use it

    try:
        keyring.set_password(
            SERVICE, _key(tracker, host), json.dumps({"user": user, "token": token})
        )
    except keyring.errors.KeyringError as error:
        raise _unavailable(error) from error


def delete_token(*, tracker: str, host: str) -> bool:
    """Forget a token; whether there was one.

    Raises:
        UnlatchError: `keyring-unavailable`.
    """
    import keyring  # noqa: PLC0415

    try:
        if keyring.get_password(SERVICE, _key(tracker, host)) is None:
            return False
        keyring.delete_password(SERVICE, _key(tracker, host))
    except keyring.errors.KeyringError as error:
        raise _unavailable(error) from error
    return True


def read_keyring(service: str, key: str) -> str | None:
    """An entry of the keyring; None also where there is no keyring, or it stays locked."""
    import keyring  # noqa: PLC0415

    try:
        return keyring.get_password(service, key)
    except (keyring.errors.KeyringError, OSError, RuntimeError):
        # A backend that is there but broken; some raise what they please.
        return None


def _key(tracker: str, host: str) -> str:
    return f"{tracker}@{host}"


def _unavailable(error: Exception) -> UnlatchError:
    # The backend's own words could quote what it was given.
    return UnlatchError(
        "keyring-unavailable",
        f"this machine's keyring cannot be used ({type(error).__name__})",
        hint="put the token into the environment instead, or install a keyring backend",
    )
