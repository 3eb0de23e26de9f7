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
# Of those that a reopen survives, one for the marker, the revisions and the table of errors of a
# plugin each; what a refusal leaves behind is also in the test of the parts that were done.
SURVIVED = OF_THE_PLUGIN - {"truncated-json", "401-midway", "400-with-the-request-in-it"}
# All trackers have what these need.
IN_TURN = (
    "test_a_deletion_that_fails_has_the_class_of_its_cause",
    "test_a_refused_write_has_the_class_of_its_cause",
    "test_a_search_that_fails_does_not_find_nothing",
    "test_an_error_carries_the_parts_that_were_done",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try each fault on one tracker, and on all in `make torture`.

    Those that a plugin itself survives or tells apart are tried on all trackers every time. The
    others concern the transport and delivery: reopening covers them.
    """
    ours = [one for one in items if one.path.parent == HERE and _is_of_a_fault(one.name)]
    files = sorted({one.path.name for one in ours if not one.get_closest_marker("sweep")})
    names = list(dict.fromkeys(one.name for one in ours if not is_of_the_plugin(one.name)))
    for one in ours:
        turn = names.index(one.name) % len(files) if one.name in names else None
        if _is_covered(one.name) or (turn is not None and files[turn] != one.path.name):
            one.add_marker("sweep")


def is_of_the_plugin(name: str) -> bool:
    """Whether a plugin's own code decides what becomes of the fault of a test."""
    test, _, fault = name.removesuffix("]").partition("[")
    if test.endswith("_survives"):
        return "reopen" in test and fault in SURVIVED
    return fault in OF_THE_PLUGIN


def _is_covered(name: str) -> bool:
    """Whether a reopen survives the fault for all operations."""
    test, _, fault = name.removesuffix("]").partition("[")
    other = test.endswith("_survives") and "reopen" not in test
    return other and fault not in OF_THE_PLUGIN


def _is_of_a_fault(name: str) -> bool:
    test, *_ = name.split("[")
    return test.endswith("_survives") or test in IN_TURN


@pytest.fixture(scope="session")
def box() -> Iterator[Sandbox]:
    with Sandbox() as running:
        yield running
