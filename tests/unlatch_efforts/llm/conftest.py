"""Keep the developer's environment out of the tests."""

from tests.transport.conftest import no_proxy_settings

__all__ = ["no_proxy_settings"]
