"""Kill `unlatch reopen` of three items at every boundary in turn, and run the command again.

    python -m tests.crash.item_kill [--every N] [--outside]

Prints one JSON document: how many boundaries there are, the number of deaths, and the mistakes
afterwards. With --outside the command runs in a folder that is no project.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import azure.devops.v7_1.work_item_tracking
import github
import jira  # noqa: F401  (warms the process that all cases are forked from)
from tests.crash.boundaries import dies, in_fork, passed_in
from tests.crash.stage import REASON, Stage

from unlatch.cli.main import run
from unlatch.delivery.run import DeliveryRun

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crash.stage import Case

_ = (azure.devops.v7_1.work_item_tracking, github)
_COMMENTS = {"github": 1, "ado": 1, "jira": 1}


@dataclass(frozen=True)
class Place:
    """Where the command runs: in the project of a case, or in a folder of its own.

    Args:
        state: the user's state folder.
    """

    stage: Stage
    case: Case
    root: Path
    state: Path
    urls: tuple[str, ...]

    def reopen(self) -> None:
        """Run the command; raises if it did not end with 0."""
        os.environ.update(self.stage.environ, XDG_STATE_HOME=str(self.state))
        os.environ.pop("UNLATCH_ROOT", None)
        os.chdir(self.root)
        told = ["reopen", *self.urls, "--reason", REASON, "--by", "Dana"]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = run(told)
        if code:
            raise SystemExit(code)

    def problems(self) -> list[str]:
        """Everything that is not as it should be in the end."""
        comments = {name: sum(some.values()) for name, some in self.stage.marked(self.case).items()}
        folders = [self.root / ".unlatch/items", self.state / "unlatch/items/.unlatch/items"]
        records = [path for folder in folders for path in folder.glob("*/metadata.json")]
        pending = [json.loads(path.read_text()).get("pending", []) for path in records]
        strays = [path for folder in folders for path in folder.rglob("*.unlatch.tmp")]
        facts: dict[str, tuple[Any, Any]] = {
            "comments": (_COMMENTS, comments),
            "open": (dict.fromkeys(_COMMENTS, True), self.stage.open_items(self.case)),
            "pending": ([[], [], []], pending),
            "strays": ([], strays),
        }
        return [f"{name}: {got!r}" for name, (wanted, got) in facts.items() if got != wanted]


def place_at(stage: Stage, name: str, *, outside: bool) -> Place:
    case = stage.case(name)
    blocks = [case.metadata[tracker] for tracker in _COMMENTS]
    urls = tuple(block["url"] for block in blocks)
    for path in sorted(case.folder.iterdir()):
        path.unlink()
    case.folder.rmdir()
    root = stage.folder / f"{name}-plain" if outside else case.root
    root.mkdir(exist_ok=True)
    return Place(stage, case, root, stage.folder / f"{name}-state", urls)


def count_boundaries(stage: Stage, *, outside: bool) -> list[str]:
    """The boundaries of a command that is left alone."""
    place = place_at(stage, "whole", outside=outside)
    names = passed_in(place.reopen)
    assert place.problems() == [], place.problems()
    return names


def main() -> None:
    """Run the matrix; the exit code is 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="die at every n-th boundary only")
    parser.add_argument("--outside", action="store_true", help="outside of a project")
    options = parser.parse_args()
    # Nothing here acts late; a project's configuration says so, which is missing outside of one.
    DeliveryRun.settle_time = lambda *_: 0.0  # type: ignore[method-assign]
    wrong: dict[str, list[str]] = {}
    deaths = 0
    with Stage() as stage:
        names = count_boundaries(stage, outside=options.outside)
        for number in range(1, len(names) + 1, options.every):
            place = place_at(stage, str(number), outside=options.outside)
            deaths += dies(place.reopen, number)
            recovered = in_fork(place.reopen)
            problems = place.problems()
            if recovered or problems:
                wrong[f"{number} {names[number - 1]}"] = [*problems, f"recovery: {recovered}"]
    document = {"boundaries": len(names), "deaths": deaths, "wrong": wrong}
    print(json.dumps(document, indent=1))  # noqa: T201
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
