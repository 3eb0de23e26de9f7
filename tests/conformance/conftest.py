"""Which faults of the kit are tried on which tracker."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.faults import OF_THE_PLUGIN

HERE = Path(__file__).parent
# Of those that a reopen survives, one for the marker and one for the revisions of each plugin.
# Those of its table of errors are in its own tests, and what a refusal leaves behind in the test of
# the parts that were done.
SURVIVED = {"lost-reply", "person-in-between"}
# All trackers have what these need; they are about the transport and delivery, or take long and
# are in the plugins' own tests, too.
IN_TURN = (
    "test_a_comment_is_found_in_a_crowd",
    "test_a_deletion_that_fails_has_the_class_of_its_cause",
    "test_a_person_has_one_name",
    "test_a_refused_write_has_the_class_of_its_cause",
    "test_a_search_that_fails_does_not_find_nothing",
    "test_an_error_carries_the_parts_that_were_done",
    "test_items_are_found_among_many",
    "test_threads_may_share_it_and_every_request_passes_the_transport",
    "test_two_clones_that_deliver_at_once_leave_one_comment",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try each fault on one tracker, and on all in `make torture`.

    Those that a plugin itself survives or tells apart are tried on all trackers every time. The
    others concern the transport and delivery: reopening covers them.
    """
    ours = [one for one in items if one.path.parent == HERE and is_in_turn(one.name)]
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
    """Whether a reopen survives the fault for the operation, too."""
    test, _, fault = name.removesuffix("]").partition("[")
    if "close" in test:
        return test.endswith("_survives") and fault not in SURVIVED
    other = test.endswith("_survives") and "reopen" not in test
    return other and fault not in OF_THE_PLUGIN


def is_in_turn(name: str) -> bool:
    """Whether one tracker says of a test what the others say, or most of it."""
    test, *_ = name.split("[")
    return test.endswith("_survives") or test in IN_TURN
