"""A reopen of items that dies anywhere is finished by the same command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.crash.test_many_at_once import told_by

if TYPE_CHECKING:
    from collections.abc import Callable

# `make torture` dies at each of them.
EVERY = "100"


@pytest.mark.parametrize("place", [(), ("--outside",)], ids=["project", "outside"])
def test_death_at_any_boundary_changes_nothing_in_the_end(
    place: tuple[str, ...], record_property: Callable[[str, object], None]
) -> None:
    told = told_by("tests.crash.item_kill", "--every", EVERY, *place)

    record_property("item kill", f"{told['boundaries']} boundaries, {told['deaths']} deaths")
    assert {} == told["wrong"]
    assert told["boundaries"] > 100
    assert told["deaths"] > told["boundaries"] / int(EVERY) * 0.9
