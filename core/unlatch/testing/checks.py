"""What has to be true in the end, whatever went wrong before."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from unlatch.spi import Capability
from unlatch.testing.aim import KEPT
from unlatch.testing.clone import REASON

if TYPE_CHECKING:
    from collections.abc import Collection
    from collections.abc import Set as AbstractSet

    from unlatch.spi.item import ItemRef
    from unlatch.testing.aim import Aim
    from unlatch.testing.bench import Bench
    from unlatch.testing.clone import Clone


def check_item(
    bench: Bench, item: ItemRef, aim: Aim, *, differing: Collection[str] = (), where: str
) -> None:
    """The item as it has to be, seen past the plugin.

    Args:
        differing: labels that are there although they are not wanted, or the other way round.
    """
    laboratory = bench.laboratory
    assert aim.opens == laboratory.is_open(item.id), f"{where}: the item's state"
    said = sum(REASON in text for text in laboratory.comments(item.id))
    assert said == 1, f"{where}: {said} comments"
    check_labels(bench, item, {KEPT, aim.after} ^ {*differing}, where=f"{where}: the labels")


def check_labels(bench: Bench, item: ItemRef, expected: AbstractSet[str], *, where: str) -> None:
    """These labels are on an item, in whatever case, and no others; where it has labels."""
    if bench.can(Capability.LABELS):
        there = {label.casefold() for label in bench.laboratory.labels(item.id)}
        assert expected == there, where


def check_files(clone: Clone, item: ItemRef, aim: Aim, *, where: str) -> None:
    """The increment as it has to be."""
    increment = clone.increment
    assert increment.pending == (), f"{where}: still pending"
    based = [link.base is not None for link in increment.links]
    assert based == [True], f"{where}: the base of the link"
    assert clone.delivered == 1, f"{where}: {clone.delivered} deliveries are recorded"
    if aim.opens:
        (entry,) = increment.reopens
        reached = [one.url for one in entry.synced_to]
        assert reached == [item.url], f"{where}: syncedTo"


def check_no_secret(bench: Bench, error: BaseException, where: str) -> None:
    """Nothing that a person may see of an error holds the credential."""
    shown = [*traceback.format_exception(error), repr(error), repr(vars(error))]
    for form in bench.credential.forms:
        assert not any(form in text for text in shown), f"{where}: the error shows the secret"
