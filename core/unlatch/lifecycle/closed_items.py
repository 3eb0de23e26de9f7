"""Closed items of increments that are not finished: what is known about them, as warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UnlatchError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.fetch_items import ItemSnapshot


def closed_among(seen: Iterable[ItemSnapshot]) -> tuple[ItemSnapshot, ...]:
    """The items that are closed."""
    return tuple(one for one in seen if one.item is not None and not one.item.category.is_open)


def closed_warnings(increment: Increment, seen: Sequence[ItemSnapshot]) -> tuple[UnlatchError, ...]:
    """`items-closed` for an increment that is not finished and whose items are closed."""
    closed = closed_among(seen)
    if increment.status.is_finished or not closed:
        return ()
    names, verb = ", ".join(one.name for one in closed), "is" if len(closed) == 1 else "are"
    items = "1 linked item" if len(closed) == 1 else f"{len(closed)} linked items"
    return (
        StoreError(
            "items-closed",
            f"{items} {verb} closed: {names}",
            hint=f"unlatch resume {increment.id} --reopen-items --reason TEXT",
        ),
    )
