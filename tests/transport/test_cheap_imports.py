"""A command that sends nothing does not pay for `requests`."""

from __future__ import annotations

import subprocess
import sys

import unlatch.transport

HEAVY = "'requests', 'urllib3', 'keyring', 'idna', 'github', 'jira', 'msrest'"
MODULES = (
    *("unlatch.transport", "unlatch.transport.answer", "unlatch.transport.credentials"),
    *("unlatch.transport.redact", "unlatch.transport.trace", "unlatch.transport.trust"),
    "unlatch.transport.rate_limits",
)


def test_imports_are_cheap() -> None:
    code = (
        f"import importlib, sys\nfor name in {MODULES}:\n    importlib.import_module(name)\n"
        f"    print(name, [m for m in ({HEAVY}) if m in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == [f"{name} []" for name in MODULES]


def test_what_is_lazy_is_there() -> None:
    assert all(callable(getattr(unlatch.transport, name)) for name in unlatch.transport.__all__)
    assert not hasattr(unlatch.transport, "nothing")
