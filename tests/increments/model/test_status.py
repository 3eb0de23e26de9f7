from __future__ import annotations

from itertools import product

import pytest

from unlatch.increments.model.status import LIFECYCLE, Status, read_status

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
    legal = after.value in LEGAL[before.value]
    assert (after in LIFECYCLE.moves[before]) == legal
    assert before.can_become(after) == (legal and before is not Status.COMPLETED)


def test_the_table_names_every_status_and_cannot_be_changed() -> None:
    assert set(LIFECYCLE.moves) == set(Status)
    with pytest.raises(TypeError):
        LIFECYCLE.moves[Status.PAUSED] = frozenset()  # type: ignore[index]  # that is the point


@pytest.mark.parametrize("to", Status)
def test_what_is_completed_is_reopened_and_never_just_moved(to: Status) -> None:
    assert not Status.COMPLETED.can_become(to)
    assert Status.ABANDONED.can_become(to) == (to is Status.ACTIVE)


@pytest.mark.parametrize("status", Status)
def test_completed_and_abandoned_work_is_finished(status: Status) -> None:
    assert status.is_finished == (status.value in {"completed", "abandoned"})


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
        ("done", Status.COMPLETED),
        ("Complete", Status.COMPLETED),
        ("imported", Status.BACKLOG),
        ("open", Status.PLANNING),
        ("superseded", Status.ABANDONED),
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
