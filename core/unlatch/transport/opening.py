"""From a manifest and an address to a transport: trust first, then the credential."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from unlatch.transport.credentials import find_credential, missing_hint
from unlatch.transport.keyring import read_keyring
from unlatch.transport.origin import credential_host
from unlatch.transport.programs import run_program
from unlatch.transport.transport import MAX_WAIT, Transport
from unlatch.transport.trust import check_origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from unlatch.spi import Manifest
    from unlatch.transport.keyring import ReadKeyring
    from unlatch.transport.trace import Trace
    from unlatch.transport.waits import Wait


def open_transport(
    manifest: Manifest,
    base_url: str,
    *,
    env: Mapping[str, str],
    cache: Path,
    user_hosts: Iterable[str] = (),
    on_wait: Callable[[Wait], None] | None = None,
    max_wait: float = MAX_WAIT,
    trace: Trace | None = None,
    keyring_get: ReadKeyring = read_keyring,
    run: Callable[[tuple[str, ...]], str | None] = run_program,
) -> Transport:
    """A transport for a tracker.

    That no token is found is not said here but by the first request, so that an item that needs
    none of them is not held up.

    Args:
        manifest: the tracker's.
        base_url: where its requests go.
        env: the environment.
        cache: a folder that its SDK may keep caches in; it is made if need be.
        user_hosts: hosts that the user's own configuration trusts.
        on_wait: called with every wait that the tracker asks for.
        max_wait: seconds that may be spent on such waits, in all.
        trace: where requests and answers are written to.
        keyring_get: reads an entry of the keyring.
        run: runs a vendor's program.

    Raises:
        UnlatchError: `host-not-trusted`, `insecure-url`, `url-malformed`, `url-with-credentials`.
        Unauthorised: `credential-incomplete`, `credential-malformed`.
    """
    check = partial(
        check_origin,
        hosts=manifest.hosts,
        env=env,
        host_env=manifest.host_env,
        user_hosts=tuple(user_hosts),
    )
    check(base_url)
    credential = find_credential(
        manifest.tokens,
        tracker=manifest.name,
        host=credential_host(base_url),
        env=env,
        keyring_get=keyring_get,
        run=run,
    )
    cache.mkdir(parents=True, exist_ok=True)
    return Transport(
        manifest.name,
        origin=base_url,
        credential=credential,
        cache=cache,
        missing=None if credential else missing_hint(manifest.tokens, tracker=manifest.name),
        on_wait=on_wait,
        max_wait=max_wait,
        trace=trace,
        check=check,
    )
