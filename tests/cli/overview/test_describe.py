"""A delivery in words: each part that was done, then the part that was not."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from click import unstyle

from unlatch.cli.render.delivery_text import delivery_lines
from unlatch.delivery.states import State
from unlatch.delivery.task import Delivery, Effect
from unlatch.errors import Rejected, StoreError, UnlatchError
from unlatch.project.registry import Registry
from unlatch.spi.change import Change, Goal, Result
from unlatch.spi.item import ItemRef, RemoteItem
from unlatch.spi.operation import Category, Kind, Operation
from unlatch.spi.text import fill

URL = "https://github.com/octo/widgets/issues/4"
ITEM = RemoteItem(ItemRef("github", "octo/widgets", "4", URL), "x", "open", Category.TODO)
OPERATION = Operation("01", Kind.REOPEN, "github", URL, datetime(2025, 11, 4, tzinfo=UTC))
ASKED = Change("01", Goal.OPEN, fill("why", {}), ("reopened",), ("completed",))
ERROR = Rejected("item-locked", "the issue is locked")
CLOSED = replace(ITEM, state="closed", category=Category.DONE, labels=("completed",))
KEPT = Effect(Result.STATE_KEPT, None, CLOSED)
REOPENED = Effect(Result.REOPENED, None, replace(ITEM, labels=("completed",)))
COMMENTED = replace(REOPENED, commented=True)
LABELLED = replace(
    COMMENTED, after=replace(ITEM, labels=("reopened", "completed")), labels_added=("reopened",)
)
ALL = replace(LABELLED, after=replace(ITEM, labels=("reopened",)), labels_removed=("completed",))


def line(outcome: Effect | None, error: UnlatchError | None = ERROR, **more: Any) -> str:
    """The line about GitHub's issue, without the mark and the item's name."""
    given: dict[str, Any] = {"change": ASKED, "state": State.BLOCKED, "requests": 1, **more}
    operation = given.pop("operation", OPERATION)
    delivery = Delivery(operation, "octo/widgets#4", effect=outcome, error=error, **given)
    return unstyle(delivery_lines(Registry(), delivery)[0]).partition("octo/widgets#4 ")[2]


FULL = StoreError("not-writable", "cannot write events.jsonl: No space left on device")
UNLABELLED = replace(ASKED, add_labels=(), remove_labels=())
UNKNOWN = {"state": State.UNKNOWN}
WITHOUT_STATE = {"operation": replace(OPERATION, state=False)}


@pytest.mark.parametrize(
    ("outcome", "more", "parts"),
    [
        (None, {}, "not reopened"),
        (KEPT, {}, "not reopened"),
        (REOPENED, {}, "reopened; not commented; labels not changed"),
        (
            replace(REOPENED, result=Result.ALREADY_OPEN),
            {},
            "was open already; not commented; labels not changed",
        ),
        (COMMENTED, {}, "reopened; commented; labels not added"),
        (LABELLED, {}, "reopened; commented; labels +reopened; labels not removed"),
        (KEPT, UNKNOWN, "not known whether it was reopened"),
        (REOPENED, UNKNOWN, "reopened; not known whether the comment was posted"),
        (COMMENTED, UNKNOWN, "reopened; commented; not known whether the labels were added"),
        # Where all was done, or nothing more was asked for, no part is named as missing.
        *(
            (outcome, {**more, **state}, parts)
            for state in ({}, UNKNOWN)
            for outcome, more, parts in (
                (ALL, {"error": FULL}, "reopened; commented; labels +reopened -completed"),
                (COMMENTED, {"change": UNLABELLED}, "reopened; commented"),
            )
        ),
        (KEPT, {"change": Change("01", comment=fill("why", {})), **WITHOUT_STATE}, "not commented"),
        (None, {"change": None, **WITHOUT_STATE}, "not commented"),
        *(
            (None, {"change": None, "operation": replace(OPERATION, kind=kind)}, f"not {word}")
            for kind, word in (
                (Kind.CLOSE, "closed"),
                (Kind.CREATE, "created"),
                (Kind.UPDATE, "updated"),
            )
        ),
    ],
)
def test_a_failure_names_the_parts_that_were_done_and_the_one_that_was_not(
    outcome: Effect | None, more: dict[str, Any], parts: str
) -> None:
    error: UnlatchError = more.get("error", ERROR)
    assert f"{parts}: {error.message} [{error.id}]" == line(outcome, **more)


def test_a_success_names_each_part() -> None:
    expected = "reopened; commented; labels +reopened -completed"
    assert expected == line(ALL, error=None, state=State.DELIVERED)


def test_what_no_request_was_sent_for_is_not_delivered_yet() -> None:
    assert line(None, change=None, requests=0).startswith("not delivered yet: ")


def test_a_label_that_was_refused_for_good_is_a_note() -> None:
    note = "label reopened not added: the token needs the Triage role"
    outcome = replace(COMMENTED, refused=("reopened",), notes=(note,))
    delivery = Delivery(OPERATION, "octo/widgets#4", effect=outcome, change=ASKED)
    said = delivery_lines(Registry(), delivery)
    assert [True, True] == ["reopened; commented" in said[0], said[1].endswith(note)]
