"""Delivering for many increments: with words for a few, with a bar and one sum for many."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from unlatch.cli.render.delivery import tell_left
from unlatch.cli.render.describe import delivery_lines, times
from unlatch.cli.runtime import output
from unlatch.cli.runtime.progress import FEW, bar
from unlatch.project.workspace import utc_now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from unlatch.cli.runtime.session import Session
    from unlatch.delivery.task import Delivery
    from unlatch.lifecycle.deliver import Delivered

# Of failures that are alike, so many are told each by itself.
_ALIKE = 3


@contextmanager
def show_deliveries(
    session: Session, total: int, *, silent: bool
) -> Iterator[Callable[[str, Delivery], None]]:
    """Show deliveries as they end: each of a few; of many, only failures and a sum.

    Yields:
        the function to call for each delivery.
    """
    voice = _Voice(session, is_terse=total > FEW, silent=silent)
    began = utc_now()
    with bar(total, "Delivering") as advance:

        def report(_name: str, delivery: Delivery) -> None:
            advance()
            voice.tell(delivery)

        yield report
    voice.sum_up(total, began)


class _Voice:
    """What is said while and after many items are served."""

    def __init__(self, session: Session, *, is_terse: bool, silent: bool) -> None:
        self._session = session
        self._is_terse = is_terse
        self._silent = silent
        self._failed: Counter[tuple[str, str]] = Counter()
        self._served: Counter[str] = Counter()

    def tell(self, delivery: Delivery) -> None:
        """Tell of one delivery, if it is to be told of by itself."""
        self._session.trace(delivery.error)
        tracker = delivery.operation.tracker
        alike = (tracker, delivery.error.id) if delivery.error else None
        if alike is None:
            self._served[tracker] += 1
        else:
            self._failed[alike] += 1
        shown = alike is not None and self._failed[alike] <= _ALIKE
        if not self._silent and (shown or not self._is_terse):
            for line in delivery_lines(self._session.workspace.registry, delivery):
                output.data(line)

    def sum_up(self, total: int, began: datetime) -> None:
        """Where not each was told of: how many were served, and why others were not."""
        if self._silent or not self._is_terse:
            return
        for (tracker, error), count in self._failed.items():
            if count > _ALIKE:
                more = times(count - _ALIKE, "more item")
                output.data(f"  {self._title(tracker)}: {more} likewise [{error}]")
        served = sum(self._served.values())
        mark = output.good(output.sign("ok")) if served == total else output.warn("!")
        each = ", ".join(f"{self._title(name)} {n:,}" for name, n in self._served.items())
        took = f"{(utc_now() - began).total_seconds():.0f} s"
        output.data(f"{mark} {served:,} of {total:,} operations delivered in {took}: {each or '-'}")

    def _title(self, tracker: str) -> str:
        manifest = self._session.workspace.registry.manifests.get(tracker)
        return manifest.title if manifest else tracker


def tell_all_left(ended: Sequence[Delivered]) -> None:
    """Say what is left and which one command finishes it."""
    unfinished = [one for one in ended if one.left]
    if len(unfinished) == 1:
        tell_left(unfinished[0])
    elif len(unfinished) <= FEW:
        for one in unfinished:
            tell_left(one)
    else:
        count = sum(one.left for one in unfinished)
        told = f"{times(count, 'operation')} of {times(len(unfinished), 'increment')} recorded"
        output.talk(f"{output.warn(f'{told} and not delivered.')} Next: unlatch sync")
