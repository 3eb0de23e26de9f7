"""Scenarios: one operation with one fault, finished by a fresh clone.

After every fault, the item ends in the right state with one comment and the right labels, and every
clone has recorded it.
"""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from unlatch.errors import (
    Conflict,
    Forbidden,
    Limited,
    Rejected,
    TrackerError,
    Transient,
    Unauthorised,
    UnknownOutcome,
)
from unlatch.spi import Capability, SyncPlugin
from unlatch.testing.clone import (
    INCREMENT,
    KEPT,
    Clone,
    Transition,
    check_files,
    check_item,
    check_no_secret,
    make_clone,
)
from unlatch.testing.faults import Fault, FaultKind, Request
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from unlatch.delivery.task import Delivery
    from unlatch.spi.item import ItemRef
    from unlatch.testing.harness import Fixture
    from unlatch.testing.proxy import SentRequest

# A label that a person adds in between.
MINE = "mine"


@dataclass(frozen=True, slots=True)
class FaultCase:
    """A kind of fault, for writes or for reads."""

    kind: FaultKind
    writes: bool = True

    def __str__(self) -> str:
        return self.kind.value if self.writes else f"{self.kind.value}-on-a-read"


# The only class of error that a delivery may report after a fault. No error is also valid, for a
# read (a POST may be one) or a request that may be repeated.
_TRUE: Mapping[FaultKind, type[TrackerError]] = {
    FaultKind.LOST_REPLY: UnknownOutcome,
    FaultKind.FAILED_AFTER: UnknownOutcome,
    FaultKind.BUSY_AFTER: UnknownOutcome,
    FaultKind.TRUNCATED: UnknownOutcome,
    FaultKind.TIMEOUT: UnknownOutcome,
    FaultKind.FAILED_BEFORE: UnknownOutcome,
    FaultKind.GATEWAY: UnknownOutcome,
    FaultKind.DROPPED: UnknownOutcome,
    FaultKind.LIMITED: Limited,
    FaultKind.LIMITED_UNTIL: Limited,
    FaultKind.REDIRECTED: Conflict,
    FaultKind.STALE: Conflict,
    FaultKind.INTERRUPTED: Conflict,
    FaultKind.REFLECTED: Rejected,
    FaultKind.UNAUTHORISED: Unauthorised,
    FaultKind.FORBIDDEN: Forbidden,
}
_TRUE_OF_A_READ: Mapping[FaultKind, type[TrackerError]] = {
    FaultKind.DROPPED: Transient,
    FaultKind.LIMITED: Limited,
    FaultKind.UNAUTHORISED: Unauthorised,
}


def true_errors(case: FaultCase, *, after_write: bool) -> tuple[type[TrackerError], ...]:
    """The classes of error that a delivery may report.

    Args:
        after_write: whether the operation had written before the fault.
    """
    if case.writes:
        return (_TRUE[case.kind],)
    # A failed read after a write leaves the effect of the write unknown.
    return (_TRUE_OF_A_READ[case.kind], *((UnknownOutcome,) if after_write else ()))


def run_faults(fixture: Fixture, transition: Transition, case: FaultCase) -> Iterator[str]:
    """Run a scenario for each request of an operation; yields the request that had the fault.

    Raises:
        AssertionError: the result is wrong.
    """
    return _each_request(fixture, partial(_run_fault, fixture, transition, case))


def run_create_faults(fixture: Fixture, case: FaultCase) -> Iterator[str]:
    """Run a scenario for each request of a create."""
    return _each_request(fixture, partial(_run_create_fault, fixture, case))


def run_update_faults(fixture: Fixture, case: FaultCase) -> Iterator[str]:
    """Run a scenario for each request of an update."""
    return _each_request(fixture, partial(_run_update_fault, fixture, case))


def _each_request(fixture: Fixture, run: Callable[[int], str | None]) -> Iterator[str]:
    for number in count():
        fixture.proxy.clear()
        faulted = run(number)
        if faulted is None:
            return
        yield faulted


def prepare(fixture: Fixture, transition: Transition) -> tuple[Clone, ItemRef]:
    """A clone, and its item before the transition."""
    item = fixture.make(is_open=not transition.opens, labels=(KEPT, transition.before))
    clone = make_clone(fixture, finished=transition.opens, title=fixture.title(), item=item)
    return clone, item


def _run_fault(
    fixture: Fixture, transition: Transition, case: FaultCase, number: int
) -> str | None:
    laptop, item = prepare(fixture, transition)
    fixture.proxy.arm(_fault(case, number, lambda: _edit_as_person(fixture, item)))
    act = laptop.reopen if transition.opens else laptop.close
    deliveries = act(plugin=_plugin(fixture, case))
    faulted = _faulted(fixture)
    where = f"{transition.operation} with {case} at its request no. {number + 1}: {faulted}"
    _check_first(fixture, laptop, deliveries, case, where)
    # A label that the account may not change stays as it was, and that is no error.
    differing = _refused(deliveries) if case.kind is FaultKind.FORBIDDEN else set()
    if faulted and case.kind is FaultKind.INTERRUPTED:
        differing.add(MINE)
    fixture.proxy.settle()
    elsewhere = laptop.copied("elsewhere")
    _finish(elsewhere, where)
    check_item(fixture, item, transition, differing=differing, where=where)
    check_files(elsewhere, item, transition, where=where)
    if laptop.increment.pending:
        # It has not pulled, so the operation is still pending there.
        _finish(laptop, f"{where}, then by the first clone as well")
        check_item(fixture, item, transition, differing=differing, where=where)
    check_files(laptop, item, transition, where=where)
    return faulted


def _plugin(fixture: Fixture, case: FaultCase) -> SyncPlugin | None:
    """The plugin for a fault; a refused token has one of its own, as if in another process."""
    if case.kind is FaultKind.UNAUTHORISED:
        return fixture.open()
    return fixture.hasty_plugin if case.kind is FaultKind.TIMEOUT else None


def _refused(deliveries: list[Delivery]) -> set[str]:
    outcomes = [delivery.effect for delivery in deliveries if delivery.error is None]
    return {label for outcome in outcomes if outcome for label in outcome.refused}


def _run_create_fault(fixture: Fixture, case: FaultCase, number: int) -> str | None:
    title = fixture.title()
    laptop = make_clone(fixture, finished=False, title=title, item=None)
    fixture.proxy.arm(_fault(case, number, lambda: None))
    deliveries = laptop.create(plugin=_plugin(fixture, case))
    faulted = _faulted(fixture)
    where = f"create with {case} at its request no. {number + 1}: {faulted}"
    _check_first(fixture, laptop, deliveries, case, where)
    fixture.proxy.settle()
    for clone in (laptop.copied("elsewhere"), laptop):
        _finish(clone, where)
        item_ids = list(fixture.harness.find_by_title(title))
        assert len(item_ids) == 1, f"{where}: {len(item_ids)} items were made"
        linked = [link.item for link in clone.increment.links]
        assert item_ids == linked, f"{where}: the increment is linked to {linked}"
    return faulted


def _run_update_fault(fixture: Fixture, case: FaultCase, number: int) -> str | None:
    item, title = fixture.make(is_open=True, labels=(KEPT,)), fixture.title()
    fixture.harness.write_around_body(item.id, "Words of people", "and more of them")
    laptop = make_clone(fixture, finished=False, title=title, item=item)
    fixture.proxy.arm(_fault(case, number, lambda: _edit_as_person(fixture, item)))
    deliveries = laptop.update(title, plugin=_plugin(fixture, case))
    faulted = _faulted(fixture)
    where = f"update with {case} at its request no. {number + 1}: {faulted}"
    _check_first(fixture, laptop, deliveries, case, where)
    fixture.proxy.settle()
    for clone in (laptop.copied("elsewhere"), laptop):
        _finish(clone, where)
        assert [item.id] == [*fixture.harness.find_by_title(title)], f"{where}: the title"
        # The body of the draft names the increment.
        texts = ("Words of people", "and more of them", INCREMENT)
        body = fixture.harness.body(item.id)
        missing = [text for text in texts if text not in body]
        assert missing == [], f"{where}: the body lacks {missing}"
        assert clone.increment.pending == (), f"{where}: still pending"
    return faulted


def _fault(case: FaultCase, number: int, meanwhile: Callable[[], None]) -> Fault:
    def matches(request: Request) -> bool:
        return request.is_write is case.writes

    if case.kind is not FaultKind.INTERRUPTED:
        return Fault(case.kind, number, matches)
    return Fault(case.kind, number, matches, meanwhile)


def _edit_as_person(fixture: Fixture, item: ItemRef) -> None:
    if fixture.can(Capability.LABELS):
        fixture.harness.add_label(item.id, MINE)
    else:
        fixture.harness.add_comments(item.id, ["Me too"])


def _faulted(fixture: Fixture) -> str | None:
    requests = [sent.request for sent in fixture.proxy.sent if sent.faulted]
    return f"{requests[0].method} {requests[0].target}" if requests else None


def _check_first(
    fixture: Fixture, clone: Clone, deliveries: list[Delivery], case: FaultCase, where: str
) -> None:
    """Check for a done or pending change, a true cause, and no write that was repeated blindly."""
    assert len(deliveries) == 1, f"{where}: {len(deliveries)} deliveries of one operation"
    (delivery,) = deliveries
    error = delivery.error
    pending = clone.increment.pending
    if error is None:
        assert pending == (), f"{where}: done, and still pending"
        return
    before, after = _written(fixture)
    true = true_errors(case, after_write=before != [])
    assert isinstance(error, true), f"{where}: untrue error {error!r}"
    assert len(pending) == 1, f"{where}: it failed, and nothing is pending"
    if delivery.is_blocked:
        assert pending[0].cause == error.id, f"{where}: blocked with {pending[0].cause}"
    check_no_secret(fixture, error, where)
    if isinstance(error, UnknownOutcome):
        assert after == [], f"{where}: written after an unknown outcome: {after}"


def _written(fixture: Fixture) -> tuple[list[str], list[str]]:
    """The methods of the writing requests before and after the fault."""
    sent = fixture.proxy.sent
    place = next((number for number, request in enumerate(sent) if request.faulted), len(sent))
    return _methods(sent[:place]), _methods(sent[place + 1 :])


def _methods(sent: Sequence[SentRequest]) -> list[str]:
    return [request.request.method for request in sent if request.request.is_write]


def _finish(clone: Clone, where: str) -> None:
    failed = [delivery.error for delivery in clone.sync() if delivery.error is not None]
    assert failed == [], f"{where}: sync failed: {failed}"
