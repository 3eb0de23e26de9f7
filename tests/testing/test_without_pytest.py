"""pytest is needed for the tests of the kit alone."""

from __future__ import annotations

import subprocess
import sys

WITHOUT = """\
import sys
sys.modules["pytest"] = None
import unlatch.testing.fixture, unlatch.testing.clone, unlatch.testing.proxy
import unlatch.testing.scenario, unlatch.testing.layouts
from unlatch.testing import Harness
try:
    import unlatch.testing.conformance
except ModuleNotFoundError as error:
    print(error.name)
"""


def test_the_proxy_can_be_used_without_it() -> None:
    run = [sys.executable, "-c", WITHOUT]
    done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "pytest\n"
