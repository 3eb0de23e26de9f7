"""What holds for all tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the sweeps, then the guides: a long test at the end keeps one worker waiting."""
    first = ("crash", "docs")
    items.sort(key=lambda item: next((n for n, at in enumerate(first) if at in item.path.parts), 9))


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
