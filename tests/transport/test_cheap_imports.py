"""A command that sends nothing does not pay for `requests`."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = "'requests', 'urllib3', 'keyring', 'idna', 'github', 'jira', 'msrest'"


@pytest.mark.parametrize(
    "module",
    [
        "unlatch.transport",
        "unlatch.transport.answer",
        "unlatch.transport.credentials",
        "unlatch.transport.redact",
        "unlatch.transport.trace",
        "unlatch.transport.trust",
        "unlatch.transport.rate_limits",
    ],
)
def test_import_is_cheap(module: str) -> None:
    code = f"import sys, {module}; print([m for m in ({HEAVY}) if m in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_what_is_lazy_is_there() -> None:
    code = (
        "import unlatch.transport as t; print(all(callable(getattr(t, n)) for n in t.__all__));"
        "print(hasattr(t, 'nothing'))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "True\nFalse\n"
