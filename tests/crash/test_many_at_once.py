"""Many processes at once: the scripts say what they did and what was wrong afterwards."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]


def told_by(module: str, *arguments: str) -> Any:
    # In a process of its own: a process with threads does not fork well.
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_fifty_processes_lose_nothing_and_do_nothing_twice(
    record_property: Callable[[str, object], None],
) -> None:
    told = told_by("tests.crash.crowd", "--processes", "50")

    record_property("crowd", f"{told['commands']} commands, {told['polls']} looks at the files")
    assert told["wrong"] == []
    assert told["sync"] == 0
    assert (told["processes"], told["commands"]) == (50, 100)
    assert told["reopens"] > 5
    assert told["polls"] > 50


def test_processes_that_resume_at_the_same_moment_reopen_once() -> None:
    two = told_by("tests.crash.at_once", "--processes", "2", "--rounds", "3")
    eight = told_by("tests.crash.at_once", "--processes", "8", "--rounds", "1")

    assert [[], []] == [two["wrong"], eight["wrong"]]
    assert [{"0": 6}, {"0": 8}] == [two["codes"], eight["codes"]]
