"""What a list shows of an increment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.increments.model.increment import Increment


@dataclass(frozen=True, slots=True)
class ListRow:
    """What a list shows of an increment.

    Args:
        links: each as tracker and item.
        pending: the number of pending operations.
    """

    id: str
    archived: bool
    status: str
    links: Sequence[str]
    pending: int
    title: str


def row_of(increment: Increment) -> ListRow:
    links = [f"{link.tracker} {link.item}" for link in increment.links]
    return ListRow(
        increment.id,
        increment.archived,
        increment.status.value,
        links,
        len(increment.pending),
        increment.title,
    )
