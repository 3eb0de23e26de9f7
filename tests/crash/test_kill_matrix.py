"""A resume that dies anywhere is finished by the next one, as if nothing had happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crash.test_many_at_once import told_by

if TYPE_CHECKING:
    from collections.abc import Callable

# `make torture` dies at each of them, twice.
EVERY = "24"


def test_death_at_any_boundary_changes_nothing_in_the_end(
    record_property: Callable[[str, object], None],
) -> None:
    told = told_by("tests.crash.kill_matrix", "--every", EVERY, "--cold", "3")

    record_property("kill matrix", f"{told['boundaries']} boundaries, {told['deaths']} deaths")
    assert told["wrong"] == {}
    assert told["boundaries"] > 100
    assert told["deaths"] > told["boundaries"] / int(EVERY) * 0.9
    assert told["coldDeaths"] > 0
