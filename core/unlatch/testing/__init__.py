"""What the author of a plugin runs on it: docs/writing-a-plugin.md explains it.

`Laboratory` is what an author writes, `unlatch.testing.conformance` has the tests. They need
pytest, and nothing else here does.
"""

from __future__ import annotations

from unlatch.testing.faults import Fault, Kind
from unlatch.testing.laboratory import Laboratory
from unlatch.testing.proxy import Proxy

__all__ = ["Fault", "Kind", "Laboratory", "Proxy"]
