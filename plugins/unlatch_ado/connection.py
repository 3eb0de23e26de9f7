"""The library over the transport, and what its answers are taken for."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from unlatch_ado.cache import Cache
from unlatch_ado.errors import explain, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch.transport import Transport
    from unlatch_ado.patch import Step


class Connection:
    """One organization, through the library. Used from several threads at once.

    Args:
        organization_url: where requests go.
        transport: what they pass.
        newest: the newest version of the API to ask for, or None for what the server offers.
    """

    def __init__(
        self, organization_url: str, transport: Transport, *, newest: str | None = None
    ) -> None:
        self.organization = organization_url.lower()
        self.cache = Cache(transport.cache)
        self._sdk = _load_sdk(transport.cache)
        session = transport.session(explain)
        self.api = self._sdk.WorkItems(organization_url, session, self.cache, newest=newest)

    def document(self, steps: tuple[Step, ...]) -> list[Any]:
        """A patch document as the library wants it."""
        operation = self._sdk.JsonPatchOperation
        return [operation(op=step.op, path=step.path, value=step.value) for step in steps]

    def query(self, text: str) -> Any:
        """A query as the library wants it."""
        return self._sdk.Wiql(query=text)

    def batch(self, ids: list[int], fields: list[str] | None) -> Any:
        """A request for many work items; those that are gone are left out of its answer.

        Args:
            fields: what is wanted of them; None for everything, their relations included.
        """
        expand = "relations" if fields is None else None
        return self._sdk.WorkItemBatchGetRequest(
            ids=ids, fields=fields, expand=expand, error_policy="omit"
        )

    @contextmanager
    def understood(self, *, writing: bool = False) -> Iterator[None]:
        """For one call: an answer that cannot be read becomes an error of ours."""
        try:
            yield
        except (ValidationError, *self._sdk.UNREADABLE) as error:
            raise unreadable(writing=writing) from error


_LOADING = threading.Lock()
_FOLDER = "AZURE_DEVOPS_CACHE_DIR"


def _load_sdk(folder: Path) -> Any:
    """Import the library.

    It makes a folder when it is imported, by default in the home directory, and fails where it
    cannot. Nothing that we use reads or writes there.
    """
    with _LOADING:
        before = os.environ.get(_FOLDER)
        os.environ[_FOLDER] = str(folder)
        try:
            from unlatch_ado import _sdk  # noqa: PLC0415
        finally:
            if before is None:
                del os.environ[_FOLDER]
            else:
                os.environ[_FOLDER] = before
    return _sdk
