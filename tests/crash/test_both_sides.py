"""After any acts of people and syncs, both sides agree at rest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.crash.test_many_at_once import told_by

if TYPE_CHECKING:
    from collections.abc import Callable


# What each life has, and what chance brings to many.
SURE = ("commands", "rests", "comments", "people's labels", "links in step")
BY_CHANCE = ("syncs", "deaths", "clicks", "merges", "clicks that were followed")


@pytest.mark.parametrize(
    ("lives", "met"), [(2, SURE), pytest.param(5, (*SURE, *BY_CHANCE), marks=pytest.mark.sweep)]
)
def test_both_sides_agree_once_nobody_edits_them_any_more(
    record_property: Callable[[str, object], None], lives: int, met: tuple[str, ...]
) -> None:
    told = told_by("tests.crash.both_sides", "--examples", f"{lives}", "--steps", "10")

    record_property("both sides", json.dumps(told))
    assert told["lives"] >= lives
    assert [] == [what for what in met if not told.get(what)]
    assert lives == 2 or told["links in step"] > told["links"] / 2
