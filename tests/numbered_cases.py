"""Functions of which a mark numbers the cases that run by default; `make torture` runs the rest."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import pytest


def rest_of_numbered(items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    """The cases that the mark of their function does not number, of those with more than one."""
    for _, group in groupby(items, lambda item: item.nodeid.partition("[")[0]):
        cases = [*group]
        mark = cases[0].get_closest_marker("cases")
        if mark and len(cases) > 1:
            yield from (case for number, case in enumerate(cases) if number not in mark.args)
