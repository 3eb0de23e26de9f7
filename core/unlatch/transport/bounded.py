"""The HTTP adapter without retries, whose answers are read within limits."""

from typing import Any

import requests
import urllib3
from requests.adapters import HTTPAdapter

from unlatch import __version__
from unlatch.transport.connections import limit_answers

_POOL = 16
_NO_RETRIES = urllib3.Retry(0, read=False)
# GitHub refuses requests without one, and administrators look here for the sender.
USER_AGENT = f"unlatch/{__version__} (+https://pypi.org/project/unlatch/)"
# All that sending a request, or reading its answer, raises.
FAILURES = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)


class RedactedFailure(Exception):
    """The message of a library's exception, without secrets.

    The original holds the request with its token, and its address, so it is no cause of ours.
    """


class BoundedAdapter(HTTPAdapter):
    """Sends each request once; limits of `connections` hold for every answer."""

    def __init__(self) -> None:
        super().__init__(pool_connections=_POOL, pool_maxsize=_POOL)
        limit_answers(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **options: Any) -> urllib3.ProxyManager:
        """The manager of connections through a proxy."""
        if proxy not in self.proxy_manager:
            limit_answers(super().proxy_manager_for(proxy, **options))
        manager: urllib3.ProxyManager = self.proxy_manager[proxy]
        return manager

    @property
    def max_retries(self) -> urllib3.Retry:
        """No retries: msrest sets its own on every adapter that it finds."""
        return _NO_RETRIES

    @max_retries.setter
    def max_retries(self, value: object) -> None: ...
