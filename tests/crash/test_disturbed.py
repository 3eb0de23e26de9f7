"""Ctrl-C, full and read-only disks, at any moment: a true exit code, and nothing lost."""

from __future__ import annotations

import pytest
from tests.crash.test_many_at_once import told_by


@pytest.mark.parametrize("kind", ["interrupt", "full", "full-for-good", "read-only"])
def test_a_disturbance_at_any_boundary_loses_nothing(kind: str) -> None:
    told = told_by("tests.crash.disturbed", kind, "--every", "11")

    assert told["wrong"] == {}
    assert told["boundaries"] > 100
    assert told["disturbed"] > 8
    if kind == "interrupt":
        assert {"130": told["disturbed"]} == told["codes"]
    else:
        assert {"0", "1", "3"} == set(told["codes"])
