"""The library over the transport."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from unlatch.transport import Cache
from unlatch_ado.api.errors import explain

if TYPE_CHECKING:
    from unlatch.transport import Transport
    from unlatch_ado.api.sdk import WorkItems

_LOADING = threading.Lock()
_DAY = 24 * 60 * 60
_FOLDER = "AZURE_DEVOPS_CACHE_DIR"


def connect(organization_url: str, transport: Transport, *, newest: str | None = None) -> WorkItems:
    """The library's client for one organization; threads may share it.

    The library creates a folder on import, by default in the home directory, and fails if it
    cannot. Nothing that we use reads or writes there.

    Args:
        organization_url: the base of all requests.
        transport: sends the requests.
        newest: the newest version of the API to request; None for the server's newest.
    """
    with _LOADING:
        before = os.environ.get(_FOLDER)
        os.environ[_FOLDER] = str(transport.cache)
        try:
            from unlatch_ado.api.sdk import WorkItems  # noqa: PLC0415
        finally:
            if before is None:
                del os.environ[_FOLDER]
            else:
                os.environ[_FOLDER] = before
    session, cache = transport.session(explain), Cache(transport.cache, seconds=_DAY)
    return WorkItems(organization_url, session, cache, newest=newest)
