"""After any acts of people and syncs, both sides agree at rest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.crash.test_many_at_once import told_by

if TYPE_CHECKING:
    from collections.abc import Callable


def test_both_sides_agree_once_nobody_edits_them_any_more(
    record_property: Callable[[str, object], None],
) -> None:
    told = told_by("tests.crash.both_sides", "--examples", "5", "--steps", "10")

    record_property("both sides", json.dumps(told))
    assert told["lives"] >= 5
    for what in ("commands", "syncs", "deaths", "clicks", "merges", "clicks that were followed"):
        assert told[what] > 0
    for what in ("rests", "comments", "people's labels"):
        assert told[what] > 0
    assert told["links in step"] > told["links"] / 2
