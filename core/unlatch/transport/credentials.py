"""Where a token comes from: the environment, then the keyring, then the vendor's own program.

Never from a file in a repository, and never from a command line.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from unlatch.errors import Unauthorised
from unlatch.spi import CommandToken, EnvToken, Scheme
from unlatch.transport.credential import Credential
from unlatch.transport.keyring import read_keyring, stored
from unlatch.transport.programs import run_program

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from unlatch.transport.keyring import ReadKeyring

Tokens = tuple[EnvToken | CommandToken, ...]


def find_credential(
    tokens: Tokens,
    *,
    tracker: str,
    host: str,
    env: Mapping[str, str],
    keyring_get: ReadKeyring = read_keyring,
    run: Callable[[tuple[str, ...]], str | None] = run_program,
) -> Credential | None:
    """The first token that there is, or None.

    Args:
        tokens: where the tracker's manifest says that tokens are.
        tracker: the tracker's name.
        host: the host, with its port if that is unusual, that the token is for.
        env: the environment.
        keyring_get: reads an entry of the keyring, by service and key.
        run: runs a program and returns what it prints, or None.

    Raises:
        Unauthorised: `credential-incomplete`, a token needs a user name that is not set;
            `credential-malformed`.
    """
    return (
        _from_env(tokens, env, host)
        or _from_keyring(tokens, tracker=tracker, host=host, keyring_get=keyring_get)
        or _from_programs(tokens, host=host, run=run)
    )


def _from_env(tokens: Tokens, env: Mapping[str, str], host: str) -> Credential | None:
    name = host.partition(":")[0]
    for place in tokens:
        if not isinstance(place, EnvToken) or not (secret := env.get(place.token)):
            continue
        if not any(fnmatchcase(name, pattern) for pattern in place.not_for):
            return Credential(secret, place.scheme, place.token, _user(place, env))
    return None


def _user(place: EnvToken, env: Mapping[str, str]) -> str | None:
    if place.user is None:
        return None
    user = env.get(place.user)
    if not user:
        raise Unauthorised(
            "credential-incomplete",
            f"{place.token} is set, and {place.user} is not; both are needed",
            hint=f"set {place.user} to the account that the token belongs to",
        )
    return user


def _from_keyring(
    tokens: Tokens, *, tracker: str, host: str, keyring_get: ReadKeyring
) -> Credential | None:
    found = stored(tracker=tracker, host=host, get=keyring_get)
    if found is None:
        return None
    return Credential(found.token, scheme_for(tokens, user=found.user), "keyring", found.user)


def scheme_for(tokens: Tokens, *, user: str | None) -> Scheme:
    """How a token that was typed in is sent: as the tracker's tokens with, or without, a user."""
    places = [place for place in tokens if isinstance(place, EnvToken)]
    alike = [place.scheme for place in places if (place.user is None) == (user is None)]
    if alike:
        return alike[0]
    return Scheme.BASIC if user else Scheme.BEARER


def _from_programs(
    tokens: Tokens, *, host: str, run: Callable[[tuple[str, ...]], str | None]
) -> Credential | None:
    for place in tokens:
        if isinstance(place, CommandToken):
            printed = run(tuple(word.replace("{host}", host) for word in place.argv))
            if printed and printed.strip():
                # Without the options: they are long, and nobody needs them to find the place.
                source = " ".join(word for word in place.argv[:3] if not word.startswith("-"))
                return Credential(printed.strip(), place.scheme, source)
    return None


def missing_hint(tokens: Tokens, *, tracker: str) -> str:
    """What to do when there is no token."""
    # Those for special hosts are for people who know of them.
    names = [
        place.token + (f" with {place.user}" if place.user else "")
        for place in tokens
        if isinstance(place, EnvToken) and not place.not_for
    ]
    login = f"run `unlatch auth login {tracker}`"
    return f"set {' or '.join(names)}, or {login}" if names else login
