"""Checks of each configured tracker: trust, library, plugin, token. No request is sent."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from unlatch.errors import CredentialMissing, TrackerError, UnlatchError
from unlatch.project.plugins.loading import is_installed, missing_extra, open_plugin
from unlatch.spi import CommandToken
from unlatch.transport.credentials import Credential, find_credential, missing_hint
from unlatch.transport.trust import check_origin, credential_host
from unlatch.worklog.search_path import find_program
from unlatch_doctor.finding import Found, Hits, several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_doctor.snapshot import ProjectSnapshot, TrackerSetup


def no_tracker(project: ProjectSnapshot) -> Hits:
    if project.settings is not None and not project.settings:
        message = "no tracker is configured; only files are changed"
        hint = "add a table such as [trackers.github] to .unlatch/config.toml"
        yield Found(message, hint=hint)


def trusted_host(tracker: TrackerSetup) -> Hits:
    workspace, manifest, url = tracker.workspace, tracker.manifest, tracker.settings.base_url
    try:
        check_origin(url, manifest, workspace.trusted_hosts)
    except UnlatchError as error:
        yield error
    else:
        yield Found(f"{manifest.title}: requests go to {url}, trusted")


def installed_library(tracker: TrackerSetup) -> Hits:
    if is_installed(tracker.manifest.requires[0]):
        yield Found(f"{tracker.manifest.title}: its library is installed")
    else:
        yield missing_extra(tracker.manifest)


def broken_plugin(tracker: TrackerSetup) -> Hits:
    """Construct the plugin, without a credential, so that it cannot send a request."""
    manifest, settings = tracker.manifest, tracker.settings
    if not is_installed(manifest.requires[0]):
        return  # another check reports it
    from unlatch.transport import Transport  # noqa: PLC0415  (slow to load)

    with TemporaryDirectory() as folder:
        try:
            transport = Transport(
                manifest.name,
                origin=settings.base_url,
                credential=None,
                cache=Path(folder),
                check=_refuse,
            )
            open_plugin(manifest, settings, transport)
        except TrackerError:
            return  # of a constructor that sends requests; --online reports it
        except UnlatchError as error:
            yield error


def _refuse(url: str) -> None:
    raise CredentialMissing("credential-missing", "doctor sends no token", where=url)


def unusable_token(tracker: TrackerSetup) -> Hits:
    try:
        _credential(tracker)
    except UnlatchError as error:
        yield error


@several
def token(tracker: TrackerSetup) -> Iterator[tuple[str, Found]]:
    manifest = tracker.manifest
    try:
        credential = _credential(tracker)
    except UnlatchError:
        return  # another check reports it
    if credential is not None:
        yield "token-found", Found(f"{manifest.title}: a token from {credential.source}")
        return
    for place in manifest.tokens:
        if isinstance(place, CommandToken) and find_program(place.argv[0]):
            command = " ".join(place.argv[:3])
            message = f"no token in the environment or the keyring; commands run `{command}`"
            hint = "to run it now: unlatch auth status"
            yield "token-from-program", Found(f"{manifest.title}: {message}", hint=hint)
            return
    hint = missing_hint(manifest.tokens, tracker=manifest.name)
    yield "token-missing", Found(f"{manifest.title}: no token found", hint=hint)


def _credential(tracker: TrackerSetup) -> Credential | None:
    return find_credential(
        tracker.manifest.tokens,
        tracker=tracker.manifest.name,
        host=credential_host(tracker.settings.base_url),
        env=tracker.workspace.environ,
        # A vendor's program may use the network to renew a token.
        run=lambda _argv: None,
    )
