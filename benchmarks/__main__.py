"""Measure unlatch against the minimum; docs/benchmarks.md explains the figures."""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from typing import TYPE_CHECKING

from benchmarks import (
    cases,
    documents,
    efforts,
    machines,
    many,
    refile,
    regressions,
    request_counts,
    resume,
    runs,
    search,
    sessions,
    startup,
    sync,
    tricks,
)
from benchmarks.figures import Figure, NotMeasured, table
from benchmarks.other_tree import against

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PARTS: dict[str, Callable[[], Iterator[Figure]]] = {
    request_counts.PART: request_counts.figures,
    resume.PART: resume.figures,
    startup.PART: startup.figures,
    tricks.PART: tricks.figures,
    many.PART: many.figures,
    documents.PART: documents.figures,
    sync.PART: sync.figures,
    search.PART: search.figures,
    refile.PART: refile.figures,
    regressions.PART: regressions.figures,
    efforts.PART: efforts.figures,
    sessions.PART: sessions.figures,
    runs.PART: runs.figures,
}
# Those that call the code: the other checkout runs its own.
_IN_PROCESS = frozenset(
    {request_counts.PART, sync.PART, search.PART, refile.PART, efforts.PART, runs.PART}
)


def main(arguments: list[str]) -> int:
    """Measure and print the figures; return 1 if some could not be measured."""
    options = _options(arguments)
    measured: list[Figure] = []
    failures: list[str] = []
    measures: dict[str, Callable[[], Iterator[Figure]]] = {
        **PARTS,
        resume.PART: partial(resume.figures, options.other),
        startup.PART: partial(startup.figures, options.other),
        many.PART: partial(many.figures, options.other),
        documents.PART: partial(documents.figures, options.other),
        sessions.PART: partial(sessions.figures, options.other),
        machines.PART: partial(machines.figures, options.other, options.size, options.rounds),
        sync.PART: partial(sync.figures, options.items),
        cases.PART: partial(cases.figures, options.model, options.times, options.keep),
    }
    for part in options.part or PARTS:
        try:
            figures = [*measures[part]()]
            measured.extend(figures)
            if options.other and part in _IN_PROCESS:
                given = ("--items", str(options.items)) if part == sync.PART else ()
                measured.extend(against(part, figures, options.other, *given))
        except NotMeasured as error:
            failures.append(f"{part}: {error}")
    if options.json:
        print(json.dumps([figure.document() for figure in measured], indent=2))
    elif measured:
        print(table(measured))
    for failure in failures:
        print(f"not measured: {failure}", file=sys.stderr)
    return 1 if failures else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("part", nargs="*", type=_part, help=f"of {', '.join(PARTS)}; default: all")
    parser.add_argument(
        "--other",
        metavar="PATH",
        help="another unlatch to compare with: .venv/bin/unlatch of a checkout",
    )
    parser.add_argument(
        "--size", type=float, default=1.0, help="for machines: share of the full size; default: 1"
    )
    parser.add_argument(
        "--rounds", type=int, default=machines.ROUNDS, help="for machines; default: 9"
    )
    parser.add_argument("--items", type=int, default=sync.ITEMS, help="for sync; default: 1000")
    parser.add_argument("--model", metavar="NAME", help="for cases; default: as configured")
    parser.add_argument("--times", type=int, default=cases.TIMES, help="for cases; default: 5")
    parser.add_argument(
        "--keep", metavar="FILE", help="for cases: results until now; a stopped run continues"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser.parse_args(arguments)


def _part(name: str) -> str:
    names = [*PARTS, machines.PART, cases.PART]
    if name not in names:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(names)}")
    return name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
