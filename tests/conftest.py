"""What holds for all tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the sweeps: the longest tests at the end would leave one worker waiting."""
    items.sort(key=lambda item: "crash" not in item.path.parts)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how much the sweeps tried."""
    told = sorted(
        f"{name}: {value}"
        for report in terminalreporter.getreports("passed")
        if "crash" in report.nodeid.split("/")
        for name, value in report.user_properties
    )
    if told:
        terminalreporter.section("what the sweeps tried")
        terminalreporter.write_line("\n".join(told))
