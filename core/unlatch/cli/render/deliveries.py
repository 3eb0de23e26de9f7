"""Show deliveries as they end, and name the command that delivers the rest."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from unlatch.cli.render.delivery_documents import DONE_BEFORE
from unlatch.cli.render.describe import next_command, times, tracker_title
from unlatch.cli.terminal import output
from unlatch.cli.terminal.progress import FEW, bar
from unlatch.project.workspace import utc_now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from unlatch.cli.runtime.context import Context
    from unlatch.delivery.task import Delivery
    from unlatch.lifecycle.deliver import DeliveryResult
    from unlatch.project.registry import Registry
    from unlatch.spi.operation import Kind

# The maximum number of failures to show for one cause; the others are counted.
_ALIKE = 3


def tell_done(registry: Registry, tracker: str, name: str, kind: Kind) -> None:
    """Show an item that the same change left as it is now."""
    title = output.clean(f"{tracker_title(registry, tracker)} {name}")
    output.ok(f"{title} {DONE_BEFORE[kind]}")


@contextmanager
def show_deliveries(
    context: Context, total: int, *, silent: bool, sums: bool = True
) -> Iterator[Callable[[str, Delivery], None]]:
    """Show deliveries as they end: each one if few, else only failures and a sum.

    Yields the function to call for each delivery.

    Args:
        sums: whether many are summed up; else each one is shown.
    """
    voice = _DeliveryLog(context, is_terse=total > FEW and sums, silent=silent)
    began = utc_now()
    with bar(total if sums else 0, "Delivering") as advance:

        def report(_name: str, delivery: Delivery) -> None:
            advance()
            voice.tell(delivery)

        yield report
    voice.sum_up(total, began)


class _DeliveryLog:
    """The lines about deliveries, during and after them."""

    def __init__(self, context: Context, *, is_terse: bool, silent: bool) -> None:
        self._context = context
        self._is_terse = is_terse
        self._silent = silent
        self._failed: Counter[tuple[str, str, str]] = Counter()
        self._served: Counter[str] = Counter()

    def tell(self, delivery: Delivery) -> None:
        """Show one delivery, unless it is only counted."""
        self._context.trace(delivery.error)
        tracker = delivery.operation.tracker
        error = delivery.error
        alike = (tracker, error.id, error.message) if error else None
        if alike is None:
            self._served[tracker] += 1
        else:
            self._failed[alike] += 1
        count = self._failed[alike] if alike else 0
        if not self._silent and (0 < count <= _ALIKE or not self._is_terse):
            from unlatch.cli.render.delivery_text import delivery_lines  # noqa: PLC0415  (slow to load)

            registry = self._context.workspace.registry
            output.data(*delivery_lines(registry, delivery, again=count > 1))

    def sum_up(self, total: int, began: datetime) -> None:
        """Show the sums, if not every delivery was shown."""
        if self._silent or not self._is_terse:
            return
        for (tracker, error, _), count in self._failed.items():
            if count > _ALIKE:
                more = times(count - _ALIKE, "more item")
                output.data(f"  {self._title(tracker)}: {more} likewise [{error}]")
        served = sum(self._served.values())
        mark = output.good(output.sign("ok")) if served == total else output.warn("!")
        each = ", ".join(f"{self._title(name)} {n:,}" for name, n in self._served.items())
        took = f"{(utc_now() - began).total_seconds():.0f} s"
        output.data(f"{mark} {served:,} of {total:,} operations delivered in {took}: {each or '-'}")

    def _title(self, tracker: str) -> str:
        return tracker_title(self._context.workspace.registry, tracker)


def tell_all_left(ended: Sequence[DeliveryResult]) -> None:
    """Name the pending operations, and the one command that delivers them."""
    unfinished = [result for result in ended if result.left]
    if len(unfinished) <= FEW:
        for result in unfinished:
            tell_left(result)
    else:
        count = sum(result.left for result in unfinished)
        left = f"{times(count, 'operation')} of {times(len(unfinished), 'increment')} recorded"
        output.talk(f"{output.warn(f'{left} and not delivered.')} Next: unlatch sync")


def tell_left(delivered: DeliveryResult) -> None:
    """Name the pending operations, and the command that delivers them."""
    if not delivered.left:
        return  # a note names the open decision
    left = output.warn(f"{times(delivered.left, 'operation')} recorded and not delivered.")
    pending = delivered.increment.pending
    command = next_command(delivered.increment.id, pending)
    blocked = any(operation.is_blocked for operation in pending) and command.endswith(
        delivered.increment.id
    )
    cause = " Remove the cause first." if blocked else ""
    output.talk(f"{left}{cause} Next: {command}")
