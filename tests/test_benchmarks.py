"""The measuring of the benchmarks itself."""

import sys

import pytest
from benchmarks.children import peak_memory
from benchmarks.figures import NotMeasured


def test_the_peak_of_memory_is_that_of_the_command_alone() -> None:
    """This process is larger than either, and a program begins with the peak of its parent."""
    small = peak_memory((sys.executable, "-c", "pass"))
    large = peak_memory((sys.executable, "-c", "b'x' * 60_000_000"))
    assert small < 30
    assert 50 < large - small < 70


def test_only_an_expected_exit_code_is_measured() -> None:
    failing = (sys.executable, "-c", "raise SystemExit(5)")
    assert peak_memory(failing, expected=(0, 5)) > 0
    with pytest.raises(NotMeasured, match="exited 5"):
        peak_memory(failing)
