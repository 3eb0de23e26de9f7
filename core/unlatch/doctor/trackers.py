"""Whether each configured tracker could be asked: trust, library, token. None is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.doctor.finding import Finding, Severity, from_error
from unlatch.errors import ConfigError, UnlatchError
from unlatch.project.registry import is_installed, missing_extra
from unlatch.spi import CommandToken
from unlatch.transport.credentials import find_credential, missing_hint
from unlatch.transport.trust import check_origin, credential_host
from unlatch.worklog.programs import find_program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.project.workspace import Workspace
    from unlatch.spi import Manifest, Settings


def check_trackers(workspace: Workspace) -> Iterator[Finding]:
    """What each configured tracker lacks; nothing where the configuration has mistakes."""
    try:
        configured, trusted = workspace.settings, workspace.user.trusted_hosts
    except ConfigError:
        return  # told already, mistake by mistake
    if not configured:
        yield Finding(
            Severity.NOTE,
            "no-tracker",
            "no tracker is configured, so only the increments themselves are changed",
            hint="add a table such as [trackers.github] to .unlatch/config.toml",
        )
    for name, settings in configured.items():
        manifest = workspace.registry.manifest(name)
        yield _trust(workspace, manifest, settings, trusted)
        yield _library(workspace, manifest)
        yield _token(workspace, manifest, settings)


def _trust(
    workspace: Workspace, manifest: Manifest, settings: Settings, trusted: tuple[str, ...]
) -> Finding:
    try:
        check_origin(
            settings.base_url,
            hosts=manifest.hosts,
            env=workspace.environ,
            host_env=manifest.host_env,
            user_hosts=trusted,
        )
    except UnlatchError as error:
        return from_error(error, workspace.layout.root)
    return _fine("host-trusted", f"{manifest.title}: requests go to {settings.base_url}, trusted")


def _library(workspace: Workspace, manifest: Manifest) -> Finding:
    if not is_installed(manifest.requires[0]):
        return from_error(missing_extra(manifest), workspace.layout.root)
    return _fine("library-installed", f"{manifest.title}: its library is installed")


def _token(workspace: Workspace, manifest: Manifest, settings: Settings) -> Finding:
    try:
        found = find_credential(
            manifest.tokens,
            tracker=manifest.name,
            host=credential_host(settings.base_url),
            env=workspace.environ,
            # A vendor's program may use the network to renew what it prints.
            run=lambda _argv: None,
        )
    except UnlatchError as error:
        return from_error(error, workspace.layout.root)
    if found is not None:
        return _fine("token-found", f"{manifest.title}: a token from {found.source}")
    for place in manifest.tokens:
        if isinstance(place, CommandToken) and find_program(place.argv[0]):
            asked = " ".join(place.argv[:3])
            return Finding(
                Severity.NOTE,
                "token-from-program",
                f"{manifest.title}: no token in environment or keyring; `{asked}` will be asked",
                hint="unlatch auth status asks it now",
            )
    return Finding(
        Severity.WARNING,
        "token-missing",
        f"{manifest.title}: no token is found",
        hint=missing_hint(manifest.tokens, tracker=manifest.name),
    )


def _fine(id: str, message: str) -> Finding:
    return Finding(Severity.NOTE, id, message)
