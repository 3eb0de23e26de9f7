"""A turn that dies anywhere loses no line of a conversation, and the next one goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crash.test_many_at_once import told_by

if TYPE_CHECKING:
    from collections.abc import Callable

# `make torture` dies at each of them, and in the turn after it.
EVERY = "19"


def test_death_at_any_boundary_of_a_turn_changes_nothing_in_the_end(
    record_property: Callable[[str, object], None],
) -> None:
    told = told_by("tests.crash.effort_kill", "--every", EVERY)

    record_property("efforts", f"{sum(told['deaths'].values())} deaths")
    assert told["wrong"] == {}
    assert set(told["deaths"]) == {"talk", "open", "conclude", "reopen", "expand"}
    assert min(told["deaths"].values()) > 1
