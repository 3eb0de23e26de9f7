"""The tokens of a group of repositories, which are on this machine alone.

A GitHub App's installation token is made here from the app's private key, and made anew long before
it expires. One installation is one account, whatever tokens it has had.
"""

from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError, UsageError
from unlatch.errors.known_secrets import remember_secrets
from unlatch.project.program_environment import secret_variables
from unlatch.transport.credentials import find_credential, read_keyring
from unlatch.transport.trust import TRUSTED_HOSTS, check_secure
from unlatch.worklog.disk.user_files import read_user_file
from unlatch.worklog.installer import install_command
from unlatch_fleet.fleet_file import DEFAULT_GROUP, App, Group

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.project.registry import Registry

# A unit may wait 20 minutes for the clone that an earlier one has, and then take 21. The tokens of
# GitHub live for an hour.
_LEAST_LEFT = timedelta(minutes=42)
# Of the secret of a webhook: one that nobody can guess within the life of a fleet.
SHORTEST = 16
_SECONDS = 20
# Where unlatch and the vendors' programs find no token of this user, which is none of a group's.
_NOT_OF_USER = {
    "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
    "GH_CONFIG_DIR": os.devnull,
    "AZURE_CONFIG_DIR": os.devnull,
}
_READABLE_BY_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class Tokens:
    """The variables of all groups; each installation token is made once for all units.

    Args:
        environ: of this process.
    """

    def __init__(
        self, groups: Mapping[str, Group], environ: Mapping[str, str], registry: Registry
    ) -> None:
        self._groups = groups
        self._environ = environ
        self._registry = registry
        self._made: dict[str, tuple[str, datetime]] = {}
        self._lock = threading.Lock()

    def variables(self, name: str) -> dict[str, str]:
        """The variables with the tokens of a group, for its units.

        Raises:
            UsageError: `secret-missing`, `key-unusable`, `unknown-group`.
            UnlatchError: `app-token-refused`, `extra-missing`.
        """
        if (group := self._group(name)) is None:
            return self._own_variables()
        variables = {
            variable: read_secret(place, self._environ, name=variable)
            for variable, place in group.variables.items()
        }
        if group.app:
            variables[group.app.variable] = self._app_token(group.app)
        if group.trusted_hosts:
            variables[TRUSTED_HOSTS] = ",".join(group.trusted_hosts)
        return {**variables, **_NOT_OF_USER}

    def git_token(self, name: str, variables: Mapping[str, str]) -> str | None:
        """The token for git over https; None if git finds one itself."""
        group = self._group(name)
        variable = group and (group.git or (group.app.variable if group.app else None))
        return variables.get(variable) if variable else None

    def account(self, name: str, tracker: str, host: str, variables: Mapping[str, str]) -> str:
        """A lasting name for the account of a group at a tracker's host; secret."""
        group, manifest = self._group(name), self._registry.manifests.get(tracker)
        credential = None
        with suppress(UnlatchError):
            if manifest is not None:
                credential = find_credential(
                    manifest.tokens,
                    tracker=tracker,
                    host=host,
                    env=variables,
                    keyring_get=lambda *_: None,
                    run=lambda _: None,
                )
        if group and group.app and credential and credential.source == group.app.variable:
            return f"installation {group.app.installation} of {group.app.api_url}"
        return credential.header if credential else f"group {name}"

    def _group(self, name: str) -> Group | None:
        if name not in self._groups and name != DEFAULT_GROUP:
            hint = "add a table [groups] for it on this machine"
            raise UsageError("unknown-group", f"no tokens for the group {name!r}", hint=hint)
        return self._groups.get(name)

    def _own_variables(self) -> dict[str, str]:
        """The variables of the trackers in this process's own environment."""
        users = {
            user
            for manifest in self._registry.manifests.values()
            for token in manifest.tokens
            if (user := getattr(token, "user", None))
        }
        names = {*secret_variables(self._registry), *users, TRUSTED_HOSTS, "PYTHON_KEYRING_BACKEND"}
        names |= {host for m in self._registry.manifests.values() for host in m.host_env}
        return {name: self._environ[name] for name in sorted(names) if name in self._environ}

    def _app_token(self, app: App) -> str:
        key = f"{app.api_url} {app.installation}"
        with self._lock:
            token, ends = self._made.get(key, ("", datetime.min.replace(tzinfo=UTC)))
            if ends - datetime.now(UTC) < _LEAST_LEFT:
                token, ends = self._made[key] = _make_token(app)
                remember_secrets(token)
            return token


def read_secret(place: str, environ: Mapping[str, str], *, name: str) -> str:
    """The secret at a place of this machine, as fleet.toml names it; it is masked from now on.

    Args:
        name: of the variable, or of what else it is for.

    Raises:
        UsageError: `secret-missing`, `key-unusable`.
    """
    kind, _, rest = place.partition(":")
    value: str | None
    if kind == "env":
        value = environ.get(rest)
    elif kind == "keyring":
        value = read_keyring(*rest.split("/", 1))
    else:
        value = _read_secret(Path(rest), name).decode().strip()
    if not value:
        message, hint = f"the secret of {name} is missing", "set what fleet.toml names as its place"
        raise UsageError("secret-missing", message, where=place, hint=hint)
    remember_secrets(value)
    return value


def read_webhook_secret(name: str, place: str, environ: Mapping[str, str]) -> str:
    """The secret of a webhook; the errors of `read_secret`, and UsageError `secret-short`."""
    secret = read_secret(place, environ, name=f"the webhook {name!r}")
    if len(secret) < SHORTEST:
        message = f"the secret of the webhook {name!r} has fewer than {SHORTEST} characters"
        raise UsageError("secret-short", message, where=place, hint="openssl rand -hex 32")
    return secret


def _read_secret(path: Path, name: str) -> bytes:
    """A file that its owner alone can read; UsageError `key-unusable`."""
    hint = f"let its owner alone read it: chmod 600 {quote(str(path))}"
    try:
        if path.stat().st_mode & _READABLE_BY_OTHERS:
            message = f"the file with the secret of {name} is open to other users: {path}"
            raise UsageError("key-unusable", message, where=str(path), hint=hint)
        return read_user_file(path)
    except FileNotFoundError as error:
        message = f"there is no file {path}, which has the secret of {name}"
        hint = "write the file, or change its path in fleet.toml"
        raise UsageError("key-unusable", message, where=str(path), hint=hint) from error
    except OSError as error:
        why = error.strerror or error
        message = f"the file {path} with the secret of {name} cannot be read: {why}"
        raise UsageError("key-unusable", message, where=str(path), hint=hint) from error


def _make_token(app: App) -> tuple[str, datetime]:
    """A new installation token, and when it expires.

    Source: https://docs.github.com/en/rest/apps/apps, "Create an installation access token".
    """
    try:
        from github.Auth import AppAuth  # noqa: PLC0415  (of an extra)
        from github.GithubException import GithubException  # noqa: PLC0415  (as above)
        from github.GithubIntegration import GithubIntegration  # noqa: PLC0415  (as above)
    except ImportError as error:
        message, hint = "a GitHub App needs a library that is not installed", "unlatch[github]"
        hint = install_command(hint)
        raise UnlatchError("extra-missing", message, where="github", hint=hint) from error
    import requests  # noqa: PLC0415  (slow to load)

    check_secure(app.api_url)
    key = _read_secret(Path(app.key), "the GitHub App").decode()
    try:
        auth = AppAuth(app.id, key)
        with GithubIntegration(
            auth=auth, base_url=app.api_url, timeout=_SECONDS, retry=None
        ) as integration:
            made = integration.get_access_token(app.installation)
    except (GithubException, requests.RequestException, ValueError) as error:
        status = getattr(error, "status", None)
        why = f"HTTP status {status}" if status else type(error).__name__
        message = f"no token for installation {app.installation} of the GitHub App: {why}"
        hint = "check id, installation and key of the app in fleet.toml"
        raise UnlatchError("app-token-refused", message, where=app.api_url, hint=hint) from error
    return made.token, made.expires_at
