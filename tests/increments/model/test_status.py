from __future__ import annotations

from itertools import product

import pytest

from unlatch.increments.model.status import FINISHED, TRANSITIONS, Status, needs_reason, read_status

# The table of the guide, written out once more by hand.
LEGAL = {
    "planning": {"active", "backlog", "abandoned"},
    "backlog": {"planning", "active", "abandoned"},
    "active": {"paused", "backlog", "ready_for_review", "completed", "abandoned"},
    "paused": {"active", "abandoned"},
    "ready_for_review": {"active", "completed", "abandoned"},
    "completed": {"active"},
    "abandoned": {"active"},
}


@pytest.mark.parametrize(("before", "after"), list(product(Status, Status)))
def test_every_move_is_in_the_table_or_it_is_not(before: Status, after: Status) -> None:
    assert (after in TRANSITIONS[before]) == (after.value in LEGAL[before.value])


def test_the_table_names_every_status_and_cannot_be_changed() -> None:
    assert set(TRANSITIONS) == set(Status)
    with pytest.raises(TypeError):
        TRANSITIONS[Status.PAUSED] = frozenset()  # type: ignore[index]  # that is the point


@pytest.mark.parametrize("status", Status)
def test_finished_work_needs_a_reason_to_be_taken_up_again(status: Status) -> None:
    finished = status.value in {"completed", "abandoned"}
    assert (status.is_finished, needs_reason(status), status in FINISHED) == (finished,) * 3


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        *[(status.value, status) for status in Status],
        *[(status.value.upper(), status) for status in Status],
        ("in-progress", Status.ACTIVE),
        ("in_progress", Status.ACTIVE),
        ("In Progress", Status.ACTIVE),
        ("planned", Status.PLANNING),
        ("Planned", Status.PLANNING),
        (" completed\n", Status.COMPLETED),
        ("closed", Status.COMPLETED),
        ("ready-for-review", Status.READY_FOR_REVIEW),
        ("Ready for Review", Status.READY_FOR_REVIEW),
        ("", None),
        ("-", None),
        ("done?", None),
        ("completed but not really", None),
    ],
)
def test_reads_the_spellings_of_real_files(raw: str, status: Status | None) -> None:
    assert read_status(raw) is status
