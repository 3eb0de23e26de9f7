"""Ctrl-C, full and read-only disks, at any moment: a true exit code, and nothing lost."""

from __future__ import annotations

from tests.crash.test_many_at_once import told_by

DISKS = ("full", "full-for-good", "read-only")


def test_a_disturbance_at_any_boundary_loses_nothing() -> None:
    told = told_by("tests.crash.disturbed", "interrupt", *DISKS, "--every", "59")

    assert told["boundaries"] > 100
    assert {kind: {} for kind in ("interrupt", *DISKS)} == {
        kind: told[kind]["wrong"] for kind in ("interrupt", *DISKS)
    }
    assert {"130": told["interrupt"]["disturbed"]} == told["interrupt"]["codes"]
    assert told["interrupt"]["over"] <= 1
    for kind in DISKS:
        assert told[kind]["disturbed"] > 1
        # Which of them depends on the boundaries; not all are refused.
        assert {"0", "1", "3"} >= set(told[kind]["codes"]) != {"1"}
