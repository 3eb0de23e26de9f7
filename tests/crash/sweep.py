"""What the programs of this folder share: deaths at one boundary after the other, and a report."""

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NoReturn, Protocol

from tests.crash.boundaries import dies, in_fork, passed_in


class Place(Protocol):
    """A project in which a command dies and is repeated."""

    def act(self) -> None:
        """Run the command; raises if it did not end with 0."""

    def problems(self) -> list[str]:
        """Everything that is not as it should be in the end."""


def every_option(about: str | None) -> argparse.ArgumentParser:
    """The options of a program, with `--every`."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--every", type=int, default=1, help="die at every n-th boundary only")
    return parser


def twice_option(about: str | None) -> argparse.ArgumentParser:
    """The same, with `--twice`."""
    parser = every_option(about)
    parser.add_argument("--twice", type=int, default=0, help="after every n-th, die once more")
    return parser


def count_boundaries(place: Place) -> list[str]:
    """The boundaries of a command that is left alone."""
    names = passed_in(place.act)
    assert place.problems() == [], place.problems()
    return names


def die_at_each(place_at: Callable[[str], Place], every: int) -> NoReturn:
    """Kill a command at every n-th of its boundaries, each in a new place, and repeat it there."""
    wrong: dict[str, list[str]] = {}
    deaths = 0
    names = count_boundaries(place_at("whole"))
    for number in range(1, len(names) + 1, every):
        place = place_at(str(number))
        deaths += dies(place.act, number)
        recovered = in_fork(place.act)
        if (problems := place.problems()) or recovered:
            wrong[f"{number} {names[number - 1]}"] = [*problems, f"recovery: {recovered}"]
    report({"boundaries": len(names), "deaths": deaths}, wrong)


def die_until_the_end(
    trial: Callable[[int, int | None], bool], *, every: int, twice: int = 0
) -> None:
    """Die at every n-th boundary until none is left.

    Args:
        trial: dies at a boundary, and then at one of the recovery unless that is None; returns
            whether the last of these deaths was died.
        twice: after every n-th boundary, the recovery dies at every n-th of its own.
    """
    number = 1
    while trial(number, None):
        if twice and number % twice == 0:
            again = 1
            while trial(number, again):
                again += every
        number += every


def die_in_folders(
    folder: Path,
    every: int,
    *,
    begin: Callable[[Path], object],
    act: Callable[[Path], object],
    problems: Callable[[Path], list[str]],
) -> NoReturn:
    """Kill a command at every n-th boundary, each time in a new project, and repeat it there.

    Args:
        folder: where the projects are made.
        begin: makes one.
    """
    wrong: dict[int, list[str]] = {}
    deaths = 0

    def trial(number: int, _: int | None) -> bool:
        nonlocal deaths
        root = folder / str(number)
        begin(root)
        died = dies(partial(act, root), number)
        deaths += died
        in_fork(partial(act, root))
        if found := problems(root):
            wrong[number] = found
        shutil.rmtree(root)
        return died

    die_until_the_end(trial, every=every)
    report({"deaths": deaths}, wrong)


def report(document: Mapping[str, object], wrong: object) -> NoReturn:
    """Print one JSON document; the exit code is 0 if nothing was wrong."""
    print(json.dumps({**document, "wrong": wrong}, indent=1))  # noqa: T201
    sys.exit(1 if wrong else 0)


def different(facts: Mapping[str, tuple[object, object]]) -> list[str]:
    """The facts of which what is there is not what was wanted: (wanted, there)."""
    return [
        f"{name}: {there!r} is not {wanted!r}"
        for name, (wanted, there) in facts.items()
        if there != wanted
    ]
