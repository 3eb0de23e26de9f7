"""Operations that go wrong on their way, finished by a fresh clone, and what is left of them.

One trial is one operation with one fault. Whatever the fault, in the end the item is in the wanted
state with one comment and the right labels, and every clone knows.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from unlatch.domain.operation import Kind as Operation
from unlatch.errors import (
    Rejected,
    TrackerError,
    Transient,
    Unauthorised,
    UnknownOutcome,
)
from unlatch.testing.clone import REASON, Clone, make_clone
from unlatch.testing.faults import Fault, Kind, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from unlatch.domain.item import ItemRef
    from unlatch.engine.progress import Delivery
    from unlatch.testing.bench import Bench
    from unlatch.testing.proxy import Sent

# A person's, from before and from in between.
KEPT = "kept"
MINE = "mine"


@dataclass(frozen=True, slots=True)
class Aim:
    """What an operation is to bring about.

    Args:
        opens: whether the item is open in the end; it begins on the other side.
        before: the labels of ours that it begins with.
        after: those that it ends with.
    """

    operation: Operation
    opens: bool
    before: str
    after: str


REOPEN = Aim(Operation.REOPEN, opens=True, before="completed", after="reopened")
CLOSE = Aim(Operation.CLOSE, opens=False, before="reopened", after="completed")


@dataclass(frozen=True, slots=True)
class Blow:
    """A kind of fault, and whether it strikes requests that write or those that read."""

    kind: Kind
    writes: bool = True

    def __str__(self) -> str:
        return self.kind.value if self.writes else f"{self.kind.value}-on-a-read"


BLOWS = (
    *(Blow(kind) for kind in Kind),
    *(Blow(kind, writes=False) for kind in (Kind.DROPPED, Kind.LIMITED, Kind.UNAUTHORISED)),
)
# What is the transport's and the engine's alone is tried by a reopen already.
BLOWS_FOR_CLOSE = tuple(
    Blow(kind)
    for kind in (
        Kind.LOST_REPLY,
        Kind.TRUNCATED,
        Kind.DROPPED,
        Kind.FAILED_BEFORE,
        Kind.UNAUTHORISED,
        Kind.STALE,
        Kind.INTERRUPTED,
    )
)
BLOWS_FOR_CREATE = (
    *(Blow(kind) for kind in (Kind.LOST_REPLY, Kind.FAILED_AFTER, Kind.TRUNCATED, Kind.TIMEOUT)),
    *(Blow(kind) for kind in (Kind.DROPPED, Kind.LIMITED, Kind.REDIRECTED, Kind.UNAUTHORISED)),
    Blow(Kind.DROPPED, writes=False),
)

# What a delivery may truthfully end with after its request was struck; nothing else is true. None
# at all is fine, too, for a request that only reads, whatever its method, or may be sent again.
_TRUE: dict[Kind, type[TrackerError]] = {
    Kind.LOST_REPLY: UnknownOutcome,
    Kind.FAILED_AFTER: UnknownOutcome,
    Kind.TRUNCATED: UnknownOutcome,
    Kind.TIMEOUT: UnknownOutcome,
    Kind.FAILED_BEFORE: UnknownOutcome,
    Kind.GATEWAY: UnknownOutcome,
    Kind.DROPPED: UnknownOutcome,
    Kind.REDIRECTED: Rejected,
    Kind.REFLECTED: Rejected,
    Kind.UNAUTHORISED: Unauthorised,
}


def every_trial(bench: Bench, aim: Aim, blow: Blow) -> Iterator[str]:
    """Strike each request of an operation in turn; yields what was struck.

    Raises:
        AssertionError: something is wrong in the end.
    """
    for number in count():
        bench.proxy.clear()
        struck = _trial(bench, aim, blow, number)
        if struck is None:
            return
        yield struck


def every_creation(bench: Bench, blow: Blow) -> Iterator[str]:
    """The same for making an item."""
    for number in count():
        bench.proxy.clear()
        struck = _creation(bench, blow, number)
        if struck is None:
            return
        yield struck


def set_out(bench: Bench, aim: Aim) -> tuple[Clone, ItemRef]:
    """A clone, and its item on the side that the operation is to bring it from."""
    item = bench.make(is_open=not aim.opens, labels=(KEPT, aim.before))
    clone = make_clone(bench, finished=aim.opens, title=bench.title(), item=item)
    return clone, item


def _trial(bench: Bench, aim: Aim, blow: Blow, number: int) -> str | None:
    laptop, item = set_out(bench, aim)
    label = MINE if blow.kind is Kind.INTERRUPTED else None
    meanwhile = (lambda: bench.laboratory.add_label(item.id, label)) if label else _nothing
    bench.proxy.arm(_fault(blow, number, meanwhile))
    act = laptop.reopen if aim.opens else laptop.close
    deliveries = act(plugin=bench.hasty_plugin if blow.kind is Kind.TIMEOUT else None)
    struck = _struck(bench)
    where = f"{aim.operation} with {blow} at its {_ordinal(number)}: {struck}"
    _check_first(bench, laptop, deliveries, blow, where)
    bench.proxy.settle()
    elsewhere = laptop.copied("elsewhere")
    _finish(elsewhere, where)
    check_item(bench, item, aim, extra=label if struck else None, where=where)
    check_files(elsewhere, item, aim, where=where)
    if laptop.increment.pending:
        # It has not pulled: to it everything is still to be done.
        _finish(laptop, f"{where}, then by the first clone as well")
        check_item(bench, item, aim, extra=label if struck else None, where=where)
    check_files(laptop, item, aim, where=where)
    return struck


def _creation(bench: Bench, blow: Blow, number: int) -> str | None:
    title = bench.title()
    laptop = make_clone(bench, finished=False, title=title, item=None)
    bench.proxy.arm(_fault(blow, number, _nothing))
    deliveries = laptop.create(plugin=bench.hasty_plugin if blow.kind is Kind.TIMEOUT else None)
    struck = _struck(bench)
    where = f"create with {blow} at its {_ordinal(number)}: {struck}"
    _check_first(bench, laptop, deliveries, blow, where)
    bench.proxy.settle()
    for clone in (laptop.copied("elsewhere"), laptop):
        _finish(clone, where)
        made = list(bench.laboratory.titled(title))
        assert len(made) == 1, f"{where}: {len(made)} items were made"
        linked = [link.item for link in clone.increment.links]
        assert made == linked, f"{where}: the increment is linked to {linked}"
    return struck


def _fault(blow: Blow, number: int, meanwhile: Callable[[], None]) -> Fault:
    def concerns(request: Request) -> bool:
        return request.is_write is blow.writes

    return Fault(blow.kind, number, concerns, meanwhile)


def _nothing() -> None:
    """Nobody is there in between."""


def _struck(bench: Bench) -> str | None:
    found = [sent.request for sent in bench.proxy.sent if sent.struck]
    return f"{found[0].method} {found[0].target}" if found else None


def _ordinal(number: int) -> str:
    return f"request no. {number + 1}"


def _check_first(
    bench: Bench, clone: Clone, deliveries: list[Delivery], blow: Blow, where: str
) -> None:
    """After the fault: done, or owed with a true cause; and nothing was sent again blindly."""
    (delivery,) = deliveries
    error = delivery.error
    pending = clone.increment.pending
    if error is None:
        assert pending == (), f"{where}: done, and still pending"
        return
    true = _TRUE.get(blow.kind, Transient) if blow.writes else _TRUE_OF_A_READ[blow.kind]
    assert isinstance(error, true), f"{where}: untrue error {error!r}"
    assert len(pending) == 1, f"{where}: it failed, and nothing is pending"
    if delivery.parked:
        assert pending[0].cause == error.id, f"{where}: parked with {pending[0].cause}"
    check_no_secret(bench, error, where)
    if isinstance(error, UnknownOutcome):
        written = [sent.request.method for sent in _after_the_blow(bench) if sent.request.is_write]
        assert written == [], f"{where}: written after an unknown outcome: {written}"


_TRUE_OF_A_READ: dict[Kind, type[TrackerError]] = {
    Kind.DROPPED: Transient,
    Kind.LIMITED: Transient,
    Kind.UNAUTHORISED: Unauthorised,
}


def _after_the_blow(bench: Bench) -> list[Sent]:
    sent = list(bench.proxy.sent)
    numbers = [number for number, one in enumerate(sent) if one.struck]
    return sent[numbers[0] + 1 :] if numbers else []


def _finish(clone: Clone, where: str) -> None:
    failed = [delivery.error for delivery in clone.sync() if delivery.error is not None]
    assert failed == [], f"{where}: sync failed: {failed}"


def check_item(
    bench: Bench, item: ItemRef, aim: Aim, *, extra: str | None = None, where: str
) -> None:
    """The item as it shall be, seen past the plugin."""
    laboratory = bench.laboratory
    assert aim.opens == laboratory.is_open(item.id), f"{where}: the item's state"
    said = sum(REASON in text for text in laboratory.comments(item.id))
    assert said == 1, f"{where}: {said} comments"
    wanted = {KEPT, aim.after, *filter(None, [extra])}
    labels = {label.casefold() for label in laboratory.labels(item.id)}
    assert wanted == labels, f"{where}: the labels"


def check_files(clone: Clone, item: ItemRef, aim: Aim, *, where: str) -> None:
    """The increment as it shall be."""
    increment = clone.increment
    assert increment.pending == (), f"{where}: still pending"
    based = [link.base is not None for link in increment.links]
    assert based == [True], f"{where}: the base of the link"
    assert clone.delivered == 1, f"{where}: {clone.delivered} deliveries are told of"
    if aim.opens:
        (entry,) = increment.reopens
        reached = [one.url for one in entry.synced_to]
        assert reached == [item.url], f"{where}: syncedTo"


def check_no_secret(bench: Bench, error: BaseException, where: str) -> None:
    """Nothing that a person may see of an error holds the credential."""
    shown = [*traceback.format_exception(error), repr(error), repr(vars(error))]
    for form in bench.credential.forms:
        assert not any(form in text for text in shown), f"{where}: the error shows the secret"
