"""Redirects of reads, which `requests` follows above our adapter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import requests

from unlatch.errors import Rejected, TrackerError, UnlatchError

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_CHAIN = 5


def follow_as_ours(session: requests.Session) -> None:
    """Let a session follow a few redirects, and fail as we do where they lead nowhere."""
    resolve = session.resolve_redirects

    def resolve_redirects(
        resp: requests.Response, req: requests.PreparedRequest, *args: Any, **options: Any
    ) -> Iterator[Any]:
        try:
            yield from resolve(resp, req, *args, **options)
        except TrackerError:
            raise
        except (requests.RequestException, UnlatchError, ValueError) as error:
            # The new place is no address, or has a name and a password in it, or there is no end.
            raise Rejected(
                "redirect-broken",
                "the tracker points to a place that cannot be reached, or round in circles",
                where=f"{req.method} {(req.url or '').partition('?')[0]}",
                hint="check the configured address",
                status=resp.status_code,
            ) from error

    session.max_redirects = _LONGEST_CHAIN
    session.resolve_redirects = resolve_redirects  # type: ignore[method-assign]  # msrest does too
