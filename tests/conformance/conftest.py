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
# Of the others, one of each way to fail; their variants are in the tests of the transport.
FAILING = {"503-after", "429-seconds", "dropped-connection", "read-timeout", *OF_THE_PLUGIN}
# What only some trackers have, and what each does its own way to post, find and guard a comment
# once. The rest of the kit is about the transport, delivery and rules that are in the plugins' own
# tests, too: a tracker says of a test what the others say.
ON_ALL = {
    "test_a_comment_can_be_taken_back",
    "test_a_comment_that_few_may_see_has_a_visibility",
    "test_a_copied_marker_of_a_stranger_does_not_count",
    "test_a_create_is_approved_without_an_item",
    "test_a_created_item_is_found_again_by_its_marker",
    "test_a_lost_answer_about_many_items_is_unknown",
    "test_a_refused_write_of_many_items_changes_none",
    "test_a_revision_changes_with_the_item",
    "test_a_write_without_the_right_to_it_waits_for_a_person",
    "test_an_approval_changes_nothing",
    "test_an_approval_that_fails_raises_its_error",
    "test_an_examination_grants_no_right_that_the_credential_lacks",
    "test_an_item_of_a_stranger_with_a_copied_marker_does_not_count",
    "test_an_item_that_changed_meanwhile_is_not_written_with_others",
    "test_an_operation_does_what_it_says",
    "test_items_are_read_ahead_with_all_that_their_writes_need",
    "test_many_items_are_changed_at_once",
    "test_people_are_mentioned_only_on_request",
    "test_the_manifest_is_found_and_says_what_is_true",
}


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
    return test == "test_reopen_survives" and fault in SURVIVED


def _is_covered(name: str) -> bool:
    """Whether a reopen survives the fault for the operation, too, or survives one like it."""
    test, _, fault = name.removesuffix("]").partition("[")
    if test == "test_reopen_survives":
        return fault not in FAILING
    if "close" in test:
        return test.endswith("_survives") and fault not in SURVIVED
    other = test.endswith("_survives") and "reopen" not in test
    return other and fault not in OF_THE_PLUGIN


def is_in_turn(name: str) -> bool:
    """Whether one tracker says of a test what the others say, or most of it."""
    test, *_ = name.split("[")
    return test not in ON_ALL
