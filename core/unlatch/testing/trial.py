"""Operations that go wrong on their way, finished by a fresh clone, and what is left of them.

One trial is one operation with one fault. Whatever the fault, in the end the item is in the wanted
state with one comment and the right labels, and every clone knows.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from unlatch.errors import UnknownOutcome
from unlatch.spi import Capability
from unlatch.testing.aim import KEPT, Aim
from unlatch.testing.blows import Blow, true_errors
from unlatch.testing.checks import check_files, check_item, check_no_secret
from unlatch.testing.clone import Clone, make_clone
from unlatch.testing.faults import Fault, Kind, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from unlatch.delivery.task import Delivery
    from unlatch.spi.item import ItemRef
    from unlatch.testing.bench import Bench
    from unlatch.testing.proxy import Sent

# A person's label, from in between.
MINE = "mine"


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
    bench.proxy.arm(_fault(blow, number, lambda: _person(bench, item)))
    act = laptop.reopen if aim.opens else laptop.close
    deliveries = act(plugin=bench.hasty_plugin if blow.kind is Kind.TIMEOUT else None)
    struck = _struck(bench)
    where = f"{aim.operation} with {blow} at its {_ordinal(number)}: {struck}"
    _check_first(bench, laptop, deliveries, blow, where)
    # A label that the account may not change stays as it was, and that is no error.
    differing = _refused(deliveries) if blow.kind is Kind.FORBIDDEN else set()
    if struck and blow.kind is Kind.INTERRUPTED:
        differing.add(MINE)
    bench.proxy.settle()
    elsewhere = laptop.copied("elsewhere")
    _finish(elsewhere, where)
    check_item(bench, item, aim, differing=differing, where=where)
    check_files(elsewhere, item, aim, where=where)
    if laptop.increment.pending:
        # It has not pulled: to it everything is still to be done.
        _finish(laptop, f"{where}, then by the first clone as well")
        check_item(bench, item, aim, differing=differing, where=where)
    check_files(laptop, item, aim, where=where)
    return struck


def _refused(deliveries: list[Delivery]) -> set[str]:
    made = [one.effect for one in deliveries if one.error is None]
    return {label for outcome in made if outcome for label in outcome.refused}


def _creation(bench: Bench, blow: Blow, number: int) -> str | None:
    title = bench.title()
    laptop = make_clone(bench, finished=False, title=title, item=None)
    bench.proxy.arm(_fault(blow, number, lambda: None))
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

    if blow.kind is not Kind.INTERRUPTED:
        return Fault(blow.kind, number, concerns)
    return Fault(blow.kind, number, concerns, meanwhile)


def _person(bench: Bench, item: ItemRef) -> None:
    """What a person does in between."""
    if bench.can(Capability.LABELS):
        bench.laboratory.add_label(item.id, MINE)
    else:
        bench.laboratory.say(item.id, ["Me too"])


def _struck(bench: Bench) -> str | None:
    found = [sent.request for sent in bench.proxy.sent if sent.struck]
    return f"{found[0].method} {found[0].target}" if found else None


def _ordinal(number: int) -> str:
    return f"request no. {number + 1}"


def _check_first(
    bench: Bench, clone: Clone, deliveries: list[Delivery], blow: Blow, where: str
) -> None:
    """After the fault: done, or pending with a true cause; and nothing was sent again blindly."""
    (delivery,) = deliveries
    error = delivery.error
    pending = clone.increment.pending
    if error is None:
        assert pending == (), f"{where}: done, and still pending"
        return
    before, after = _written(bench)
    true = true_errors(blow, after_write=before != [])
    assert isinstance(error, true), f"{where}: untrue error {error!r}"
    assert len(pending) == 1, f"{where}: it failed, and nothing is pending"
    if delivery.is_blocked:
        assert pending[0].cause == error.id, f"{where}: blocked with {pending[0].cause}"
    check_no_secret(bench, error, where)
    if isinstance(error, UnknownOutcome):
        assert after == [], f"{where}: written after an unknown outcome: {after}"


def _written(bench: Bench) -> tuple[list[str], list[str]]:
    """The methods of the writing requests before the one that was struck, and after it."""
    sent = bench.proxy.sent
    place = next((number for number, one in enumerate(sent) if one.struck), len(sent))
    return _methods(sent[:place]), _methods(sent[place + 1 :])


def _methods(sent: Sequence[Sent]) -> list[str]:
    return [one.request.method for one in sent if one.request.is_write]


def _finish(clone: Clone, where: str) -> None:
    failed = [delivery.error for delivery in clone.sync() if delivery.error is not None]
    assert failed == [], f"{where}: sync failed: {failed}"
