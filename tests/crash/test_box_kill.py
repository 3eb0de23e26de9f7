"""A sync of check boxes that dies anywhere is finished by the next one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crash.test_many_at_once import told_by

if TYPE_CHECKING:
    from collections.abc import Callable

# `make torture` dies at each of them.
EVERY = "40"


def test_death_at_any_boundary_loses_no_tick(
    record_property: Callable[[str, object], None],
) -> None:
    told = told_by("tests.crash.box_kill", "--every", EVERY)

    record_property("box kill", f"{told['boundaries']} boundaries, {told['deaths']} deaths")
    assert {} == told["wrong"]
    assert told["boundaries"] > 50
    assert told["deaths"] > told["boundaries"] / int(EVERY) * 0.9
