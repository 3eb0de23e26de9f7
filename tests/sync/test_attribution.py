"""An event names the person who changed an item only where the item itself agrees."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.sync.test_conflicts import COMPLETED, PULL, compared

from unlatch.spi import ItemEvent
from unlatch.spi.category import Category
from unlatch.sync.ingest import MatchedEvent, attribute_change
from unlatch.sync.plan import make_plan

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ONE = compared(1, PULL, increment=replace(COMPLETED, completed_at=NOW))
assert ONE.seen.item is not None
REF = ONE.seen.item.ref
EVENT = ItemEvent("reopened", REF.url, by="Dana", at=NOW, category=Category.DOING)


def named(event: ItemEvent, *, changed_by: str | None = None) -> str:
    """The person that the increment's move names."""
    one = compared(1, PULL, increment=ONE.increment, by=changed_by)
    matched = MatchedEvent("github", event, REF)
    (move,) = attribute_change(make_plan([one]), matched).moves
    return move.by


def test_the_author_of_the_event_is_named() -> None:
    assert "Dana" == named(EVENT)


@pytest.mark.parametrize(
    "event",
    [
        replace(EVENT, by=None),
        replace(EVENT, by="\x1b \n"),
        replace(EVENT, category=None),
        replace(EVENT, category=Category.DONE),
        replace(EVENT, at=NOW - timedelta(seconds=1)),
    ],
    ids=["no author", "control characters", "no state", "another state", "before the completion"],
)
def test_an_event_that_explains_nothing_names_no_one(event: ItemEvent) -> None:
    assert "unknown user" == named(event)


def test_the_author_of_the_event_goes_before_the_account_that_the_tracker_names() -> None:
    assert "Dana" == named(EVENT, changed_by="unlatch-bot")


def test_an_event_that_does_not_explain_the_state_leaves_the_trackers_account() -> None:
    event = replace(EVENT, at=NOW - timedelta(seconds=1))

    assert "Erin" == named(event, changed_by="Erin")


def test_an_event_about_another_item_names_no_one() -> None:
    url = REF.url.replace("/1", "/2")
    matched = MatchedEvent("github", EVENT, replace(REF, id="2", url=url))
    (move,) = attribute_change(make_plan([ONE]), matched).moves

    assert "unknown user" == move.by


def test_a_name_is_cut_to_a_line() -> None:
    name = named(replace(EVENT, by="Dana\n  " + "x" * 500))

    assert name.startswith("Dana x")
    assert len(name) == 200
