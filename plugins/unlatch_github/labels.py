"""Sets of labels; to GitHub labels are alike in any case."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def within(names: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """Those of `names` that are among `others`."""
    folded = set(map(str.casefold, others))
    return tuple(name for name in names if name.casefold() in folded)


def without(names: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """Those of `names` that are not among `others`."""
    folded = set(map(str.casefold, others))
    return tuple(name for name in names if name.casefold() not in folded)
