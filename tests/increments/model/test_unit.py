"""When what the files of a unit show replaces the status that unlatch recorded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Evidence, overrides

P, B, A, H, R, C, X = (
    Status.PLANNING,
    Status.BACKLOG,
    Status.ACTIVE,
    Status.PAUSED,
    Status.READY_FOR_REVIEW,
    Status.COMPLETED,
    Status.ABANDONED,
)
SHOWN = st.builds(Evidence, st.sampled_from([P, A, C]), st.sampled_from(["1/2", "2/2", "3/3"]))


@pytest.mark.parametrize(
    ("recorded", "before", "now", "expected"),
    [
        # All tasks were done when it was reopened: that is known.
        (A, (C, "5/5"), (C, "5/5"), False),
        # More was done since.
        (A, (C, "5/5"), (C, "6/6"), True),
        # It was completed with open tasks; another one is done, and some are open still.
        (C, (A, "3/5"), (A, "4/5"), False),
        (C, (A, "3/5"), (C, "5/5"), False),
        # Work was added to completed work, or it left the archive.
        (C, (C, "5/5"), (A, "5/6"), True),
        (C, (C, "archive"), (A, "4/5"), True),
        (P, (P, "0/5"), (A, "1/5"), True),
        (B, (P, "0/5"), (A, "1/5"), True),
        # The files say nothing of a pause or a review.
        (H, (P, "0/5"), (A, "1/5"), False),
        (R, (A, "4/5"), (A, "4/5"), False),
        (R, (A, "4/5"), (C, "5/5"), True),
        (A, (A, "1/5"), (P, "0/5"), False),
        # A person gave it up.
        (X, (A, "3/5"), (C, "5/5"), False),
        # Files without a base are news.
        (A, None, (C, "5/5"), True),
    ],
)
def test_news_of_the_files_decide_about_begun_and_finished(
    recorded: Status, before: tuple[Status, str] | None, now: tuple[Status, str], expected: bool
) -> None:
    seen = Evidence(*before) if before else None

    assert overrides(recorded, seen, Evidence(*now)) is expected


@given(st.sampled_from(Status), SHOWN)
def test_what_was_known_replaces_nothing(recorded: Status, shown: Evidence) -> None:
    assert not overrides(recorded, shown, shown)
    assert not overrides(recorded, shown, None)


@given(st.sampled_from(Status), SHOWN, SHOWN)
def test_what_replaces_differs(recorded: Status, before: Evidence, now: Evidence) -> None:
    if overrides(recorded, before, now):
        assert now.status.is_finished is not recorded.is_finished or now.status is A
        assert now.status is not recorded
