"""Notes for the user: rule violations, and unreadable increments and items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.terminal import output
from unlatch.worklog.name_matching import first_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from unlatch.errors import StoreError, UnlatchError, UsageError
    from unlatch.increments.model.increment import BrokenIncrement, Increment
    from unlatch.lifecycle.fetch_items import ItemSnapshot
    from unlatch.lifecycle.units.adoption import Adoption


def tell_warnings(warnings: Iterable[UnlatchError], *, shown_ids: Collection[str] = ()) -> None:
    """Show warnings, one per line, without those whose ids are in `shown_ids`."""
    for warning in warnings:
        if warning.id not in shown_ids:
            output.remark(warning.message, warning.id)


def tell_unread_work(warnings: Iterable[UnlatchError]) -> None:
    """Name the kinds of work that were not read."""
    for warning in warnings:
        output.note(f"{warning.message} [{warning.id}]")


def tell_remarks(increment: Increment) -> None:
    """Show remarks: files that a change did not write, and odd values in them."""
    for warning in increment.warnings:
        output.remark(warning)


def tell_left_out(broken: Sequence[BrokenIncrement]) -> int:
    """Name the increments that are left out as unreadable; returns the exit code."""
    if not broken:
        return 0
    from unlatch.cli.render.describe import times  # noqa: PLC0415  (rarely needed)
    from unlatch.cli.runtime.failure import UNDECIDED  # noqa: PLC0415

    verb = "is" if len(broken) == 1 else "are"
    count, names = times(len(broken), "increment"), first_of([increment.id for increment in broken])
    output.note(f"{count} cannot be read and {verb} left out: {names}")
    output.talk("  next: unlatch doctor")
    return UNDECIDED


def tell_unread(items: Iterable[ItemSnapshot]) -> int:
    """Count the unread items, with the next step for each cause; returns the exit code."""
    from unlatch.cli.render.describe import times  # noqa: PLC0415  (as above)
    from unlatch.cli.runtime.failure import UNDECIDED  # noqa: PLC0415
    from unlatch.lifecycle.fetch_items import group_unread  # noqa: PLC0415  (slow to load)

    causes = group_unread(items)
    for cause in causes:
        step = f" Next: {cause.error.hint}" if cause.error.hint else ""
        output.talk(f"{times(len(cause.names), 'item')} unknown [{cause.error.id}].{step}")
    return UNDECIDED if causes else 0


def tell_hint(broken: BrokenIncrement) -> None:
    """Show the next step for an increment that cannot be read."""
    if broken.hint:
        output.talk(f"{broken.id}: next: {output.clean(broken.hint)}")


def not_read(error: StoreError) -> str:
    """The note about an unreadable document of an increment."""
    place = error.where or ""
    name = place.rpartition("/")[2]
    why = error.message.removeprefix(f"{name} ")
    return f"{name} was not read: it {why} [{error.id}] at {place}"


def tell_excess(command: str, excess: UsageError, items: int) -> None:
    """Report that the command would be refused without --dry-run, for too many items."""
    line = f"{command} would fail: {excess.message} [{excess.id}]"
    output.talk(f"{output.warn('!')} {line}. Next: add --max-items {items}")


def adoption_line(change: Adoption) -> str:
    return f"{change.increment}: {change.recorded} -> {change.shown}, by {output.clean(change.why)}"


def adoption_entry(adoption: Adoption) -> output.Json:
    return output.fields(adoption, "increment", "recorded", "shown", "by", "layout")
