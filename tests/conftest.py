"""What holds for all tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the sweeps: the longest tests at the end would leave one worker waiting."""
    items.sort(key=lambda item: "crash" not in item.path.parts)
