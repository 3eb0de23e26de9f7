"""The transitions of the tests, and checks of the final state of items and files."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from unlatch.spi import Capability
from unlatch.spi.operation import Kind as Operation
from unlatch.testing.clone import REASON, Clone
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection
    from collections.abc import Set as AbstractSet

    from unlatch.spi.item import ItemRef
    from unlatch.testing.fixture import Fixture


# A label that a person added before.
KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Transition:
    """The effect of an operation on an item.

    Args:
        opens: whether the item is open afterwards, and closed before, or the reverse.
        before: our label before.
        after: our label afterwards.
    """

    operation: Operation
    opens: bool
    before: str
    after: str


REOPEN = Transition(Operation.REOPEN, opens=True, before="completed", after="reopened")
CLOSE = Transition(Operation.CLOSE, opens=False, before="reopened", after="completed")


def check_item(
    fixture: Fixture,
    item: ItemRef,
    transition: Transition,
    *,
    differing: Collection[str] = (),
    where: str,
) -> None:
    """Check the item on the server, without the plugin.

    Args:
        differing: labels that may be there in addition, or missing.
    """
    harness = fixture.harness
    assert transition.opens == harness.is_open(item.id), f"{where}: the item's state"
    said = sum(REASON in text for text in harness.comments(item.id))
    assert said == 1, f"{where}: {said} comments"
    check_labels(
        fixture, item, {KEPT, transition.after} ^ {*differing}, where=f"{where}: the labels"
    )


def check_labels(
    fixture: Fixture, item: ItemRef, expected: AbstractSet[str], *, where: str
) -> None:
    """Check that an item has exactly these labels, ignoring case, if the tracker has labels."""
    if fixture.can(Capability.LABELS):
        there = {label.casefold() for label in fixture.harness.labels(item.id)}
        assert expected == there, where


def check_order(fixture: Fixture, item: ItemRef, *texts: str, where: str) -> None:
    """Check that an item's body has each of these texts once, in this order."""
    body = fixture.harness.body(item.id)
    counts = {text: body.count(text) for text in texts}
    assert dict.fromkeys(texts, 1) == counts, f"{where}: the texts in the body"
    assert [*texts] == sorted(texts, key=body.index), f"{where}: the order of the texts"


def check_files(clone: Clone, item: ItemRef, transition: Transition, *, where: str) -> None:
    """Check the increment's files."""
    increment = clone.increment
    assert increment.pending == (), f"{where}: still pending"
    based = [link.base is not None for link in increment.links]
    assert based == [True], f"{where}: the base of the link"
    assert clone.delivered == 1, f"{where}: {clone.delivered} deliveries are recorded"
    if transition.opens:
        (entry,) = increment.reopens
        reached = [one.url for one in entry.synced_to]
        assert reached == [item.url], f"{where}: syncedTo"


def check_no_secret(fixture: Fixture, error: BaseException, where: str) -> None:
    """Check that no visible part of an error contains the credential."""
    shown = [*traceback.format_exception(error), repr(error), repr(vars(error))]
    for form in fixture.credential.forms:
        assert not any(form in text for text in shown), f"{where}: the error shows the secret"
