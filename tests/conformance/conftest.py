"""One sandbox for all tests; they make the items that they change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.faults import OF_THE_PLUGIN

from unlatch_sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator


HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try each fault on one tracker, and on all in `make torture`.

    Those of reopening that a plugin itself survives are tried on all trackers every time.
    """
    ours = [one for one in items if one.path.parent == HERE and "_survives[" in one.name]
    files = sorted({one.path.name for one in ours})
    names = list(dict.fromkeys(one.name for one in ours if not _is_of_the_plugin(one.name)))
    for one in ours:
        if one.name in names and names.index(one.name) % len(files) != files.index(one.path.name):
            one.add_marker("sweep")


def _is_of_the_plugin(name: str) -> bool:
    tried, _, fault = name.partition("_survives[")
    return "reopen" in tried and fault.removesuffix("]") in OF_THE_PLUGIN


@pytest.fixture(scope="session")
def box() -> Iterator[Sandbox]:
    with Sandbox() as running:
        yield running
