"""One sandbox for all tests; they make the items that they change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from unlatch_sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def box() -> Iterator[Sandbox]:
    with Sandbox() as running:
        yield running
