"""Find a token: in the environment, then the keyring, then from the vendor's own program.

Never from a file in a repository, and never from a command line.
"""

import base64
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from fnmatch import fnmatchcase
from pathlib import Path
from shlex import quote
from types import ModuleType

from unlatch.errors import CredentialMissing, Unauthorised, UnlatchError
from unlatch.patterns import pattern
from unlatch.spi import CommandToken, EnvToken, Scheme
from unlatch.values import dataclass
from unlatch.worklog.json_text import json_object
from unlatch.worklog.programs import run
from unlatch.worklog.search_path import find_program

Tokens = tuple[EnvToken | CommandToken, ...]
ReadKeyring = Callable[[str, str], str | None]
RunProgram = Callable[[tuple[str, ...]], str | None]
SERVICE = "unlatch"  # in the keyring
_PROGRAM_SECONDS = 10.0
_MOST_OUTPUT = 1_000_000
_SECRET = pattern(r"[\x21-\x7e\xa1-\xff]+")
_USER = pattern(r"[^\x00-\x1f\x7f-\x9f:]+")


@dataclass(frozen=True, slots=True)
class Credential:
    """A token for one host; its `repr` does not show the secret.

    Unauthorised (`credential-malformed`): it cannot be sent in a header.
    """

    secret: str = field(repr=False)  # the token or password itself
    scheme: Scheme
    source: str  # as users know it ("GITHUB_TOKEN", "keyring", "gh auth token")
    user: str | None = None
    # The next step if the tracker refuses it.
    renewal: str = field(default="check that it is valid", compare=False)

    def __post_init__(self) -> None:
        if not _SECRET.fullmatch(self.secret):
            why = "spaces, line breaks or characters outside Latin-1"
            raise _malformed("token", self.source, why)
        if self.scheme.name == "user-name" and ":" in self.secret:
            raise _malformed("token", self.source, "a colon")
        if self.user and not _USER.fullmatch(self.user):
            raise _malformed("user name", self.source, "a colon or control characters")

    @property
    def header(self) -> str:
        """The value of the header `scheme.header`."""
        if self.scheme == Scheme.BEARER:
            return f"Bearer {self.secret}"
        return self.secret if self.scheme.name == "header" else f"Basic {self._basic()}"

    @property
    def forms(self) -> tuple[str, ...]:
        """Every form in which the secret may appear in a request; for redaction."""
        return (self.secret, self._basic())

    def _basic(self) -> str:
        # RFC 7617. An empty user name is what Azure DevOps expects with a token.
        pair = f"{self.user or ''}:{self.secret}"
        if self.scheme.name == "user-name":
            pair = f"{self.secret}:{self.scheme.password}"
        return base64.b64encode(pair.encode()).decode("ascii")


def read_keyring(service: str, key: str) -> str | None:
    """An entry of the keyring; None also without a keyring, or if it stays locked."""
    import keyring  # noqa: PLC0415

    try:
        return keyring.get_password(service, key)
    except (keyring.errors.KeyringError, OSError, RuntimeError):
        # Broken backends raise errors of many kinds.
        return None


def run_program(argv: tuple[str, ...]) -> str | None:
    """The output of a vendor's program; None if it is missing, fails, or takes longer than 10 s.

    Its standard error is discarded: it may repeat a token. It runs in the root folder: `az` may be
    a Python program that imports modules from the current folder.
    """
    if (program := find_program(argv[0])) is None:
        return None
    argv = (program, *argv[1:])
    root = Path(os.sep).absolute()
    try:
        done = run(argv, cwd=root, environ=os.environ, seconds=_PROGRAM_SECONDS, most=_MOST_OUTPUT)
        return done.out.decode("utf-8") if done.code == 0 else None
    except (OSError, UnicodeDecodeError):
        return None


def find_credential(
    tokens: Tokens,
    *,
    tracker: str,
    host: str,
    env: Mapping[str, str],
    keyring_get: ReadKeyring = read_keyring,
    run: RunProgram = run_program,
) -> Credential | None:
    """The first token found, or None. `host` has its port if that is unusual.

    CredentialMissing: `credential-incomplete`, a token needs a user name that is not set.
    Unauthorised: `credential-malformed`.
    """
    return (
        _from_env(tokens, env, host)
        or _from_keyring(tokens, keyring_get(SERVICE, _key(tracker, host)), tracker)
        or _from_programs(tokens, host, run, tracker)
    )


def store_token(token: str, *, tracker: str, host: str, user: str | None = None) -> None:
    """Store a token, replacing the one before; UnlatchError `keyring-unavailable`."""
    with _open_keyring() as keyring:
        entry = json.dumps({"user": user, "token": token})
        keyring.set_password(SERVICE, _key(tracker, host), entry)


def delete_token(*, tracker: str, host: str) -> bool:
    """Delete a token; False if there was none. UnlatchError `keyring-unavailable`."""
    with _open_keyring() as keyring:
        exists = keyring.get_password(SERVICE, _key(tracker, host)) is not None
        if exists:
            keyring.delete_password(SERVICE, _key(tracker, host))
        return exists


def scheme_for(tokens: Tokens, *, user: str | None) -> Scheme:
    """The scheme for a typed token: that of the tracker's tokens with (or without) a user."""
    for place in tokens:
        if isinstance(place, EnvToken) and (place.user is None) == (user is None):
            return place.scheme
    return Scheme.BASIC if user else Scheme.BEARER


def missing_hint(tokens: Tokens, *, tracker: str, env: Mapping[str, str] = os.environ) -> str:
    """The next step for a user without a token; nobody logs in in a job of a CI system."""
    # Variables for special hosts matter only to users who know them.
    names = [
        place.token + (f" with {place.user}" if place.user else "")
        for place in tokens
        if isinstance(place, EnvToken) and not place.not_for
    ]
    login = f"run `unlatch auth login {quote(tracker)}`"
    is_job = env.get("CI") or env.get("TF_BUILD")  # the one of Azure Pipelines
    end = " in the environment of the job" if is_job else f", or {login}"
    return f"set {' or '.join(names)}{end}" if names else login


def _from_env(tokens: Tokens, env: Mapping[str, str], host: str) -> Credential | None:
    name = host.partition(":")[0]
    for place in tokens:
        if not isinstance(place, EnvToken) or not (secret := env.get(place.token)):
            continue
        if not any(fnmatchcase(name, pattern) for pattern in place.not_for):
            renewal = f"set {place.token} to a valid token, or unset it"
            return Credential(secret, place.scheme, place.token, _user(place, env), renewal)
    return None


def _user(place: EnvToken, env: Mapping[str, str]) -> str | None:
    if place.user is None:
        return None
    if user := env.get(place.user):
        return user
    message = f"{place.token} is set, and {place.user} is not; both are needed"
    hint = f"set {place.user} to the account that the token belongs to"
    raise CredentialMissing("credential-incomplete", message, hint=hint)


def _from_keyring(tokens: Tokens, raw: str | None, tracker: str) -> Credential | None:
    entry = json_object(raw or "")
    if not isinstance(token := entry.get("token"), str):
        return None
    user = entry.get("user")
    user = user if isinstance(user, str) and user else None
    scheme, renewal = scheme_for(tokens, user=user), f"unlatch auth login {quote(tracker)}"
    return Credential(token, scheme, "keyring", user, renewal)


def _from_programs(tokens: Tokens, host: str, run: RunProgram, tracker: str) -> Credential | None:
    for place in tokens:
        if isinstance(place, CommandToken):
            printed = run(tuple(word.replace("{host}", host) for word in place.argv)) or ""
            if printed.strip():
                # Without options: they are long, and not needed to recognise the program.
                source = " ".join(word for word in place.argv[:3] if not word.startswith("-"))
                renewal = (
                    f"log in again with {place.argv[0]}, or unlatch auth login {quote(tracker)}"
                )
                return Credential(printed.strip(), place.scheme, source, renewal=renewal)
    return None


def _malformed(what: str, source: str, why: str) -> Unauthorised:
    message = f"the {what} from {source} is empty or contains {why}"
    hint = "copy it again, without anything before or after it"
    return Unauthorised("credential-malformed", message, hint=hint)


def _key(tracker: str, host: str) -> str:
    return f"{tracker}@{host}"


@contextmanager
def _open_keyring() -> Iterator[ModuleType]:
    import keyring  # noqa: PLC0415  # 60 ms, for those who use it

    try:
        yield keyring
    except keyring.errors.KeyringError as error:
        # The backend's own message could quote the token.
        raise UnlatchError(
            "keyring-unavailable",
            f"this machine's keyring cannot be used ({type(error).__name__})",
            hint="put the token into the environment instead, or install a keyring backend",
        ) from error
