"""The one procedure of a change: limits, dry run, consent, change, delivery, report.

A command plans its changes, and `carry_out` does the rest, for one as for many. It asks and shows
through `Prompts`; the library itself prints nothing.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from unlatch.errors import UnlatchError
from unlatch.lifecycle.activation_guard import lock_activation
from unlatch.lifecycle.change import (
    Change,
    ChangeOptions,
    Done,
    DryRun,
    Ended,
    Place,
    Refusal,
    Work,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from unlatch.delivery.preview import Preview
    from unlatch.delivery.task import Delivery
    from unlatch.errors import UsageError
    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace

T = TypeVar("T")


class Prompts(Protocol):
    """How a command asks, and what it shows."""

    def foreseen(self, dry_run: DryRun) -> int:
        """Show a dry run; returns the exit code."""

    def agree(self, works: Sequence[Work]) -> None:
        """Ask for consent to what others left pending; raises if there is none."""

    def confirm(self, changes: Sequence[Any]) -> Sequence[Change] | None:
        """The changes of the command with the user's answers; None if the user declined."""

    def declined(self) -> int:
        """Say that nothing was changed; returns the exit code."""

    def changing(self, total: int) -> AbstractContextManager[Callable[[Ended], None]]:
        """Show changes while they are made; yields the function to call for each."""

    def changed(self, ended: Sequence[Ended]) -> None:
        """Sum up changes before they are delivered, with all that was refused."""

    def delivering(
        self, place: Place, total: int
    ) -> AbstractContextManager[Callable[[str, Delivery], None]]:
        """Show deliveries; yields the function to call for each, with the increment's id."""

    def postponed(self, total: int) -> None:
        """Say that operations were left for later on purpose."""

    def ended(self, ended: Sequence[Ended]) -> int:
        """Show what is left to do, or the document; returns the exit code."""


def carry_out(works: Sequence[Work], prompts: Prompts, options: ChangeOptions) -> int:
    """Carry planned changes out; returns the exit code.

    Each change is on disk before it is shown, and all at one place are before the first of them is
    delivered. After an interruption the same command continues with the rest.

    Raises:
        UsageError: `too-many-items`; nothing was changed.
        UnlatchError: the only change is refused; nothing was changed.
    """
    items = count_items(change for work in works for change in work.changes)
    excess = _find_excess(works[0].place.workspace, items, options) if items else None
    if options.dry_run:
        previews, refused = _preview(works, options)
        return prompts.foreseen(DryRun(previews, refused, items, excess))
    if excess is not None:
        raise excess
    if not options.offline and any(work.place.trackers for work in works):
        prompts.agree(works)
    agreed: list[Work] = []
    for work in works:
        changes = prompts.confirm(work.changes) if work.changes else ()
        if changes is None:
            return prompts.declined()
        agreed.append(replace(work, changes=changes))
    return prompts.ended([ended for work in agreed for ended in _carry_out(work, prompts, options)])


def _find_excess(workspace: Workspace, items: int, options: ChangeOptions) -> UsageError | None:
    from unlatch.lifecycle.deliver import find_excess  # noqa: PLC0415  (moves have no items)

    return find_excess(workspace, items, options.max_items, command=options.listing)


def count_items(changes: Iterable[Change]) -> int:
    """The number of items that changes write to."""
    return len({item for change in changes for item in change.items})


def _preview(works: Sequence[Work], options: ChangeOptions) -> tuple[list[Preview], list[Refusal]]:
    previews: list[Preview] = []
    refused = [refusal for work in works for refusal in work.refused]
    for work in works:
        planned, more = _preview_each(work, options)
        refused += more
        previews += _with_requests(work.place, work.changes, planned, options)
    return previews, refused


def _preview_each(work: Work, options: ChangeOptions) -> tuple[list[Preview], list[Refusal]]:
    place = work.place
    workspace = place.workspace
    planned: list[Preview] = []
    refused: list[Refusal] = []
    if options.activates and workspace.config.limits.rules.is_limited:
        place.wip = {increment.folder: increment for increment in workspace.manager.list()}
    for change in work.changes:
        try:
            preview = change.preview(place)
        except UnlatchError as error:
            if not options.is_many:
                raise
            refused.append(Refusal(change.subject.id, error, change.subject))
        else:
            planned.append(preview)
            if place.wip is not None:
                place.wip[preview.plan.before.folder] = preview.plan.after
    return planned, refused


def _with_requests(
    place: Place, changes: Sequence[Change], planned: Sequence[Preview], options: ChangeOptions
) -> Sequence[Preview]:
    if place.trackers is None or not planned:
        return planned
    from unlatch.lifecycle.deliver import preview_plans  # noqa: PLC0415  (moves have no requests)
    from unlatch.spi.operation import AS_CONFIGURED  # noqa: PLC0415

    read = preview_plans(
        place.workspace,
        place.trackers,
        [preview.plan for preview in planned],
        options=changes[0].delivery or AS_CONFIGURED,
        offline=options.offline,
        tracker=options.tracker,
        shared=place.shared,
    )
    return [replace(preview, items=of.items) for preview, of in zip(planned, read, strict=True)]


def _carry_out(work: Work, prompts: Prompts, options: ChangeOptions) -> Sequence[Ended]:
    with prompts.changing(len(work.changes)) as report:
        results = apply_each(
            work.place, work.changes, report, activates=options.activates, stops=not options.is_many
        )
    ended = [*results, *work.refused]
    if work.names:
        ended.sort(key=lambda result: work.names.index(result.id))
    prompts.changed(ended)
    _deliver(
        work.place, [result for result in results if isinstance(result, Done)], prompts, options
    )
    return ended


def apply_each(
    place: Place,
    changes: Sequence[Change],
    report: Callable[[Ended], None] = lambda _: None,
    *,
    activates: bool = False,
    stops: bool = False,
) -> list[Ended]:
    """Make changes one after the other; each is on disk before it is reported.

    Args:
        activates: whether the changes add to the active increments.
        stops: whether one that is refused ends the command; else it does not stop the others.
    """
    done: list[Ended] = []
    if place.shared is not None:
        place.shared.finished.clear()  # from here on the files tell which increments are finished
    with lock_activation(place.workspace) if activates else nullcontext() as place.wip:
        for change in changes:
            try:
                outcome = change.apply(place)
            except UnlatchError as error:
                if stops:
                    raise
                done.append(refusal_of(place.workspace, change.subject.id, error))
            else:
                done.append(Done(change, outcome))
                if place.wip is not None:
                    place.wip.pop(outcome.before.folder, None)  # it may have left the archive
                    place.wip[outcome.increment.folder] = outcome.increment
            report(done[-1])
    return done


def refusal_of(workspace: Workspace, name: str, error: UnlatchError) -> Refusal:
    """A refusal, with the increment as it is now."""
    before = None
    with suppress(UnlatchError):
        before = workspace.manager.read(name)
    return Refusal(name, error, before)


def plan_each(
    workspace: Workspace, names: Iterable[str], plan: Callable[[str], T], *, stops: bool = False
) -> tuple[list[T], list[Refusal]]:
    """Plan changes of increments by name; also returns those that are refused.

    Args:
        stops: whether one that is refused ends the command.
    """
    planned: list[T] = []
    refused: list[Refusal] = []
    for name in names:
        try:
            planned.append(plan(name))
        except UnlatchError as error:
            if stops:
                raise
            refused.append(refusal_of(workspace, name, error))
    return planned, refused


def _deliver(place: Place, done: Sequence[Done], prompts: Prompts, options: ChangeOptions) -> None:
    pending = {change.id: _due(change.outcome.increment, options.tracker) for change in done}
    waiting = [change for change in done if pending[change.id]]
    if not waiting or place.trackers is None:
        return
    total = sum(pending.values())
    from unlatch.lifecycle.deliver import deliver_pending, postpone  # noqa: PLC0415  (as above)
    from unlatch.spi.operation import AS_CONFIGURED  # noqa: PLC0415

    if options.offline:
        for change in waiting:
            change.delivered = postpone(change.outcome.increment)
        prompts.postponed(total)
        return
    with prompts.delivering(place, total) as report:
        delivered = deliver_pending(
            place.workspace,
            place.trackers,
            [change.outcome.increment for change in waiting],
            report,
            options=waiting[0].change.delivery or AS_CONFIGURED,
            fresh=frozenset(op for change in waiting for op in change.outcome.fresh),
            shared=place.shared,
            tracker=options.tracker,
            seen={key: item for change in waiting for key, item in change.outcome.seen.items()},
        )
    for change, result in zip(waiting, delivered, strict=True):
        change.delivered = result


def _due(increment: Increment, tracker: str | None) -> int:
    """The number of operations to deliver."""
    return sum(tracker in (None, operation.tracker) for operation in increment.pending)
