"""What a tracker tells of one of its items when something happens to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from unlatch.spi.item import Category


@dataclass(frozen=True, slots=True)
class ItemEvent:
    """A message about an item: a hint that it is worth a look, never a fact.

    It may come late, twice, out of order, or from anybody; so nothing in it is believed but what
    the tracker itself says when it is asked.

    Args:
        action: the tracker's own word for what happened ("reopened").
        url: the item's web address as the message has it; None where `note` is set.
        by: who did it, as shown to people, if it says so.
        at: when, if it says so.
        category: what the item had come to, if it says so.
        note: why there is nothing to look at; None if there is.
    """

    action: str
    url: str | None = None
    by: str | None = None
    at: datetime | None = None
    category: Category | None = None
    note: str | None = None
