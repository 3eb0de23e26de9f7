"""The conformance kit for dispatchers: adapters that start the workers of runs.

An author subclasses `DispatchHarness` and `DispatchConformance` of the module `conformance`. Only
the tests need pytest.
"""

from __future__ import annotations

from unlatch_runs.testing.harness import DispatchHarness
from unlatch_runs.testing.starts import Starts

__all__ = ["DispatchHarness", "Starts"]
