"""The change of an operation, and the judgement of a write by the tracker's answers."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from unlatch.config.choices import Part
from unlatch.config.config import CoreConfig
from unlatch.delivery.changes import (
    build_change,
    compute_effect,
    find_shortcoming,
    is_empty,
    remaining_change,
    restrict,
)
from unlatch.delivery.run import DeliveryRun
from unlatch.errors import Conflict, Rejected, TrackerError, UnknownOutcome
from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.status import Status
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch.spi.change import Change, Goal, Outcome, Result, seen_of
from unlatch.spi.item import ItemRef, RemoteItem
from unlatch.spi.operation import Attempt, Category, DeliveryOptions, Kind, Operation, SeenItem
from unlatch.spi.text import fill

NOW = datetime(2026, 1, 1, tzinfo=UTC)
URL = "https://github.com/octo/widgets/issues/4"
REF = ItemRef("github", "octo/widgets", "4", URL)
OPEN = RemoteItem(REF, "x", "open", Category.TODO, labels=("bug", "Reopened"))
CLOSED = replace(OPEN, state="closed", category=Category.DONE, labels=("bug", "completed"))
OPERATION = Operation("01", Kind.REOPEN, "github", URL, NOW, "Dana", "Bug found")
CHANGE = Change("01", Goal.OPEN, fill("why", {}), ("reopened",), ("completed",))


def built(kind: Kind, status: Status, *, state: bool = True, comment: str | None = None) -> Change:
    increment = Increment("0007-one", Path("0007-one"), "One", status, status.value)
    operation = replace(OPERATION, kind=kind, state=state)
    options = DeliveryOptions(comment=comment)
    return build_change(operation, increment, CoreConfig(), options)


@pytest.mark.parametrize(
    ("kind", "status", "goal", "add", "remove"),
    [
        (Kind.REOPEN, Status.ACTIVE, Goal.OPEN, ("reopened",), ("completed",)),
        (Kind.CLOSE, Status.COMPLETED, Goal.COMPLETED, ("completed",), ("reopened",)),
        (Kind.CLOSE, Status.ABANDONED, Goal.NOT_PLANNED, (), ("reopened",)),
        (Kind.UNDO, Status.COMPLETED, None, (), ()),
    ],
)
def test_the_kind_and_the_status_give_goal_and_labels(
    kind: Kind, status: Status, goal: Goal | None, add: tuple[str, ...], remove: tuple[str, ...]
) -> None:
    change = built(kind, status)

    assert (goal, add, remove) == (change.goal, change.add_labels, change.remove_labels)
    assert change.comment is not None


@pytest.mark.parametrize("kind", [Kind.REOPEN, Kind.CLOSE])
def test_an_operation_without_its_state_part_is_its_comment_alone(kind: Kind) -> None:
    change = built(kind, Status.COMPLETED, state=False)

    assert is_empty(replace(change, comment=None))
    assert change.comment is not None


def test_the_comment_can_be_left_out() -> None:
    assert built(Kind.REOPEN, Status.ACTIVE, comment="none").comment is None


def test_parts_that_may_not_be_written_are_left_out() -> None:
    assert CHANGE == restrict(CHANGE, frozenset(Part))
    assert is_empty(restrict(CHANGE, frozenset()))
    assert restrict(CHANGE, frozenset({Part.STATUS})).goal is Goal.OPEN


def test_only_the_parts_that_an_item_does_not_show_remain() -> None:
    assert CHANGE == remaining_change(CHANGE, CLOSED, commented=False)
    assert is_empty(remaining_change(CHANGE, OPEN, commented=True))
    assert CHANGE.comment == remaining_change(CHANGE, OPEN, commented=False).comment


def test_labels_differ_by_case_where_the_tracker_says_so() -> None:
    change = replace(CHANGE, labels_match_case=True)

    assert ("reopened",) == remaining_change(change, OPEN, commented=True).add_labels


@pytest.mark.parametrize(
    ("outcome", "sends", "error"),
    [
        (Outcome(OPEN, commented=True), 1, None),
        (Outcome(CLOSED, commented=True), 1, Rejected),
        (Outcome(OPEN), 1, UnknownOutcome),
        (Outcome(replace(OPEN, labels=()), commented=True), 1, Conflict),
        (Outcome(replace(OPEN, labels=()), commented=True), 2, Rejected),
        (Outcome(replace(OPEN, labels=()), commented=True, refused=("Reopened",)), 1, None),
    ],
)
def test_a_part_that_the_answers_do_not_show_is_an_error(
    outcome: Outcome, sends: int, error: type[TrackerError] | None
) -> None:
    found = find_shortcoming(CHANGE, outcome, sends=sends)

    assert (error or type(None)) is type(found)


@pytest.mark.parametrize(
    ("kind", "change", "before", "after", "result"),
    [
        (Kind.REOPEN, CHANGE, CLOSED, OPEN, Result.REOPENED),
        (Kind.REOPEN, CHANGE, OPEN, OPEN, Result.ALREADY_OPEN),
        (Kind.REOPEN, CHANGE, CLOSED, CLOSED, Result.STATE_KEPT),
        (Kind.REOPEN, replace(CHANGE, goal=None), CLOSED, CLOSED, Result.STATE_KEPT),
        (Kind.CLOSE, replace(CHANGE, goal=Goal.COMPLETED), OPEN, CLOSED, Result.CLOSED),
        (Kind.CLOSE, replace(CHANGE, goal=Goal.COMPLETED), CLOSED, CLOSED, Result.ALREADY_CLOSED),
        (Kind.CREATE, Change("01"), None, OPEN, Result.CREATED),
        (Kind.UPDATE, Change("01"), OPEN, OPEN, Result.UPDATED),
    ],
)
def test_the_result_is_told_from_the_item_before_the_first_attempt(
    kind: Kind, change: Change, before: RemoteItem | None, after: RemoteItem, result: Result
) -> None:
    seen = seen_of(before) if before else None

    assert result is compute_effect(kind, change, seen, Outcome(after), commented=False).result


def test_labels_that_a_person_changed_in_between_are_not_ours() -> None:
    before = SeenItem("closed", Category.DONE, ("bug", "completed", "urgent"))
    after = replace(OPEN, labels=("reopened", "ux"))

    effect = compute_effect(Kind.REOPEN, CHANGE, before, Outcome(after), commented=True)

    assert (("reopened",), ("completed",)) == (effect.labels_added, effect.labels_removed)


@pytest.mark.parametrize(
    ("attempt", "is_fresh"),
    [
        (None, True),
        (Attempt(0, NOW, ended=NOW), True),  # the note that an undo takes over from its reopen
        (Attempt(0, NOW), False),
        (Attempt(1, NOW, ended=NOW), False),
    ],
)
def test_an_operation_that_was_attempted_is_not_fresh(
    tmp_path: Path, attempt: Attempt | None, is_fresh: bool
) -> None:
    paths = paths_at(tmp_path)
    workspace = Workspace(paths, environ={}, user_config=tmp_path / "none.toml")
    run = DeliveryRun(workspace, Trackers(workspace), fresh=frozenset({"01"}))

    assert is_fresh is run.is_fresh(replace(OPERATION, attempt=attempt))
    assert not run.is_fresh(replace(OPERATION, op="02"))
