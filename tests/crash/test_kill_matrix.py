"""A resume that dies anywhere is finished by the next one, as if nothing had happened."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# `make torture` dies at each of them, twice.
EVERY = "6"
ROOT = Path(__file__).parents[2]


def test_death_at_any_boundary_changes_nothing_in_the_end(
    record_property: Callable[[str, object], None],
) -> None:
    # In a process of its own: deaths are forked, and a process with threads does not fork well.
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash.kill_matrix", "--every", EVERY, "--cold", "9"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    told = json.loads(done.stdout)
    record_property("kill matrix", f"{told['boundaries']} boundaries, {told['deaths']} deaths")
    assert told["wrong"] == {}
    assert told["boundaries"] > 100
    assert told["deaths"] > told["boundaries"] / int(EVERY) * 0.9
    assert told["coldDeaths"] > 0
