"""Which cases of a product of parameters run by default.

With the trackers of the sandbox a case takes a tenth of a second. Each value of the parameter with
the most values runs with one value of each other, in turn: a Latin square in place of the whole. A
rule of the core that varies only in the tracker, its deployment, the width, the protocol, the
system of a job or its credentials runs with one of them, in turn. Of a function with the marker
`sample(count=1)`, so many cases run; of one with `sample(at=(0, 4))`, those of these numbers. `make
torture` runs the rest.

Tables of all commands, hosts or faults are `sampled`: each table runs some of its rows, and the
tables that try every command are offset, so that each command is tried in one of them or more.
"""

import math
import zlib
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from itertools import combinations, groupby

import pytest
from _pytest.mark import ParameterSet

Cell = tuple[str, ...]

_SANDBOX = {"box", "_running"}
# Where these alone vary, one value says what the others say; what differs between the trackers is
# in the tests of their plugins.
_IN_TURN = {"tracker", "columns", "mode", "either", "system", "leave"}


def sampled(rows: Iterable[str], chosen: Collection[str]) -> list[ParameterSet]:
    """Rows of a table, of which only `make torture` runs those that are not chosen."""
    return [pytest.param(row, marks=() if row in chosen else pytest.mark.sweep) for row in rows]


def rest_of_products(items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    """The cases that only `make torture` runs; of a function with such cases, none."""
    for _, group in groupby(items, lambda item: item.nodeid.partition("[")[0]):
        cases = [item for item in group if isinstance(item, pytest.Function)]
        is_whole = not any(item.get_closest_marker("sweep") for item in cases)
        if cases and (sample := cases[0].get_closest_marker("sample")):
            yield from _outside_of_sample(cases, *sample.args, **sample.kwargs)
        elif cases and is_whole and not _SANDBOX.isdisjoint(cases[0].fixturenames):
            yield from _off_the_diagonal(cases)
            yield from _out_of_turn(cases)


def _off_the_diagonal(cases: Sequence[pytest.Function]) -> Iterator[pytest.Function]:
    columns = sorted(_columns(cases), key=lambda column: -len(set(column)))
    sizes = [len(set(column)) for column in columns]
    if len(sizes) > 1 and math.prod(sizes) == len(cases):
        turns = [(math.prod(sizes[1:place]), size) for place, size in enumerate(sizes)][1:]
        for case, widest, *numbers in zip(cases, *columns, strict=True):
            if numbers != [widest // turn % size for turn, size in turns]:
                yield case


def _out_of_turn(cases: Sequence[pytest.Function]) -> Iterator[pytest.Function]:
    """All cases but one, which the name of the function chooses."""
    if len(cases) > 1 and any(_params(cases[0]).keys() == {name} for name in _IN_TURN):
        turn = zlib.crc32(cases[0].originalname.encode()) % len(cases)
        yield from (case for number, case in enumerate(cases) if number != turn)


def _outside_of_sample(
    cases: Sequence[pytest.Function], count: int = 1, at: Collection[int] = ()
) -> Iterator[pytest.Function]:
    """All cases but those at some numbers, or so many of a function, as far apart as can be.

    Of these, the name of the function chooses the first.
    """
    chosen = at
    if not at:
        cases = [case for case in cases if not case.get_closest_marker("sweep")]
        turn = zlib.crc32(cases[0].originalname.encode())
        chosen = {(turn + number * len(cases) // count) % len(cases) for number in range(count)}
    if len(cases) == 1:
        return
    yield from (case for number, case in enumerate(cases) if number not in chosen)


def _columns(cases: Sequence[pytest.Function]) -> list[tuple[int, ...]]:
    """For each parameter that varies, the numbers of its values; those given together are one."""
    found = [_numbered([id(_params(case)[name]) for case in cases]) for name in _params(cases[0])]
    found = [column for column in dict.fromkeys(found) if any(column)]
    while together := next((p for p in combinations(found, 2) if not _is_product(*p)), None):
        joined = _numbered(list(zip(*together, strict=True)))
        found = [joined, *(column for column in found if column not in together)]
        found = list(dict.fromkeys(found))
    return found


def _numbered(values: Sequence[Hashable]) -> tuple[int, ...]:
    numbers: dict[Hashable, int] = {}
    return tuple(numbers.setdefault(value, len(numbers)) for value in values)


def _is_product(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return len(set(zip(one, other, strict=True))) == len(set(one)) * len(set(other))


def _params(case: pytest.Function) -> dict[str, object]:
    return case.callspec.params if hasattr(case, "callspec") else {}


def covering(cells: Sequence[Cell]) -> list[Cell]:
    """A few of the cells that have each value that any cell has at its place, in their order."""
    left = dict.fromkeys(value for cell in cells for value in enumerate(cell))
    chosen = set()
    while left:
        first = next(iter(left))
        having = [cell for cell in cells if first in enumerate(cell)]
        best = max(having, key=lambda cell: sum(value in left for value in enumerate(cell)))
        chosen.add(best)
        left = dict.fromkeys(value for value in left if value not in enumerate(best))
    return [cell for cell in cells if cell in chosen]
