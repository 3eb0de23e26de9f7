"""The conformance kit for plugins; docs/writing-a-plugin.md explains it.

An author subclasses `Harness` and `unlatch.testing.conformance.Conformance`. Only the tests need
pytest.
"""

from __future__ import annotations

from unlatch.testing.faults import Fault, FaultKind
from unlatch.testing.harness import Harness
from unlatch.testing.proxy import Proxy

__all__ = ["Fault", "FaultKind", "Harness", "Proxy"]
