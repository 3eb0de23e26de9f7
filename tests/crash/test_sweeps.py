"""Processes that die or are disturbed anywhere, crowds and random lives: nothing goes wrong.

Each is a program of this folder, which reports the mistakes. A sample of the boundaries and of the
lives runs here; `make torture` runs the programs whole.
"""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.warm.client import module

ROOT = Path(__file__).parents[2]
# `make torture` tries disks that stay full or are read-only, too.
DISKS = ("full",)


def told_by(name: str, *arguments: str) -> Any:
    # In a process of its own: a process with threads does not fork well.
    done = subprocess.run(
        [*module(f"tests.crash.{name}"), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("program", "every", "options", "least"),
    [
        pytest.param("kill_matrix", 50, ("--cold", "1"), 100, id="resume"),
        pytest.param("regression_kill", 75, (), 100, id="reopen for a cause"),
        pytest.param("item_kill", 100, ("--outside",), 100, id="reopen outside of a project"),
    ],
)
def test_death_at_any_boundary_changes_nothing_in_the_end(
    record_property: Callable[[str, object], None],
    program: str,
    every: int,
    options: tuple[str, ...],
    least: int,
) -> None:
    told = told_by(program, "--every", f"{every}", *options)

    record_property(program, f"{told['boundaries']} boundaries, {told['deaths']} deaths")
    assert {} == told["wrong"]
    assert told["boundaries"] > least
    # Those that follow find warm caches, and pass fewer boundaries than were counted.
    assert told["deaths"] >= told["boundaries"] // every
    assert told.get("coldDeaths") != 0


@pytest.mark.parametrize(
    ("program", "every", "acts"),
    [
        ("effort_kill", 19, {"talk", "open", "conclude", "reopen", "expand"}),
        ("run_kill", 349, {"start"}),
    ],
)
def test_death_at_any_boundary_of_a_conversation_or_a_run_loses_and_repeats_nothing(
    record_property: Callable[[str, object], None], program: str, every: int, acts: set[str]
) -> None:
    told = told_by(program, "--every", f"{every}")

    record_property(program, f"{sum(told['deaths'].values())} deaths")
    assert {} == told["wrong"]
    assert acts == set(told["deaths"])
    assert min(told["deaths"].values()) > 1


@pytest.mark.parametrize(
    ("command", "least", "every"),
    [
        pytest.param("scope_kill", 20, 7, id="scope"),
        pytest.param("unit_kill begin", 10, 5, id="begin"),
        pytest.param("scope_kill", 20, 1, id="scope, each", marks=pytest.mark.sweep),
        *(
            pytest.param(f"unit_kill {act}", least, 1, id=f"{act}, each", marks=pytest.mark.sweep)
            for act, least in (("begin", 10), ("adopt", 5), ("resume", 25), ("resume-file", 25))
        ),
    ],
)
def test_death_at_any_write_of_the_files_changes_nothing_in_the_end(
    tmp_path: Path, command: str, least: int, every: int
) -> None:
    program, *act = command.split()

    told = told_by(program, str(tmp_path), *act, str(every))

    assert {} == told["wrong"]
    assert told["deaths"] > least / every


def test_a_disturbance_at_any_boundary_loses_nothing() -> None:
    told = told_by("disturbed", "interrupt", *DISKS, "--every", "64")

    assert told["boundaries"] > 100
    assert {kind: {} for kind in ("interrupt", *DISKS)} == {
        kind: told[kind]["wrong"] for kind in ("interrupt", *DISKS)
    }
    assert {"130": told["interrupt"]["disturbed"]} == told["interrupt"]["codes"]
    assert told["interrupt"]["over"] <= 1
    for kind in DISKS:
        assert told[kind]["disturbed"] > 1
        # Which of them depends on the boundaries; not all are refused.
        assert {"0", "1", "3"} >= set(told[kind]["codes"]) != {"1"}


def test_many_processes_lose_nothing_and_do_nothing_twice(
    record_property: Callable[[str, object], None],
) -> None:
    told = told_by("crowd", "--processes", "4")

    record_property("crowd", f"{told['commands']} commands, {told['polls']} looks at the files")
    assert (told["wrong"], told["sync"]) == ([], 0)
    assert (told["processes"], told["commands"]) == (4, 8)
    assert told["reopens"] > 0
    assert told["polls"] > 20


def test_processes_that_resume_at_the_same_moment_reopen_once() -> None:
    told = told_by("at_once", "--processes", "4", "--rounds", "1")

    assert (told["wrong"], told["codes"]) == ([], {"0": 4})


# What each life has, and what chance brings to many.
BOTH = ("commands", "rests", "comments", "people's labels", "links in step")
BOTH_BY_CHANCE = ("syncs", "deaths", "clicks", "merges", "clicks that were followed")
RANDOM = ("commands", "settled")
RANDOM_BY_CHANCE = ("deaths", "faults", "sure undos")


@pytest.mark.parametrize(
    ("program", "lives", "steps", "met"),
    [
        ("random_life", 1, 8, RANDOM),
        pytest.param("both_sides", 5, 10, BOTH + BOTH_BY_CHANCE, marks=pytest.mark.sweep),
        pytest.param("random_life", 20, 12, RANDOM + RANDOM_BY_CHANCE, marks=pytest.mark.sweep),
    ],
)
def test_random_lives_end_as_they_were_meant_to_with_both_sides_in_step(
    record_property: Callable[[str, object], None],
    program: str,
    lives: int,
    steps: int,
    met: tuple[str, ...],
) -> None:
    told = told_by(program, "--examples", f"{lives}", "--steps", f"{steps}")

    record_property(program, json.dumps(told))
    assert told["lives"] >= lives
    assert [] == [what for what in met if not told.get(what)]
    assert lives != 5 or told["links in step"] > told["links"] / 2
