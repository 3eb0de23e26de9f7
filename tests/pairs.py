"""Which cases of a product of parameters run by default.

With the trackers of the sandbox a case takes a tenth of a second. Each value of each parameter runs
with one value of the others: a Latin square in place of the whole. `make torture` runs the rest.
"""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SANDBOX = {"box", "_running"}


def rest_of_products(items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    """The cases that only `make torture` runs; of a function with such cases, none."""
    for _, group in groupby(items, lambda item: item.nodeid.partition("[")[0]):
        cases = [item for item in group if isinstance(item, pytest.Function)]
        is_whole = not any(item.get_closest_marker("sweep") for item in cases)
        if cases and is_whole and not _SANDBOX.isdisjoint(cases[0].fixturenames):
            yield from _off_the_diagonal(cases)


def _off_the_diagonal(cases: Sequence[pytest.Function]) -> Iterator[pytest.Function]:
    columns = _columns(cases)
    sizes = [len(set(column)) for column in columns]
    if len(sizes) > 1 and math.prod(sizes) == len(cases):
        for case, *numbers in zip(cases, *columns, strict=True):
            if sum(numbers) % min(sizes):
                yield case


def _columns(cases: Sequence[pytest.Function]) -> list[tuple[int, ...]]:
    """For each parameter that varies, the numbers of its values; those given together are one."""
    found: list[tuple[int, ...]] = []
    for name in _params(cases[0]):
        numbers: dict[int, int] = {}
        column = tuple(numbers.setdefault(id(_params(c)[name]), len(numbers)) for c in cases)
        if len(numbers) > 1 and column not in found:
            found.append(column)
    return found


def _params(case: pytest.Function) -> dict[str, object]:
    return case.callspec.params if hasattr(case, "callspec") else {}
