"""unlatch reopen and close: change items that belong to no increment."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from shlex import join
from typing import TYPE_CHECKING, Any

from unlatch.cli.commands.items.belonging import check_alone
from unlatch.cli.commands.items.render import (
    change_entries,
    left_code,
    tell_left,
    tell_unchanged,
)
from unlatch.cli.options.delivery import refuse_elsewhere, take_options
from unlatch.cli.render.delivery_documents import print_document
from unlatch.cli.render.describe import first_line, lines_of, seen_line
from unlatch.cli.render.dialog import Dialog
from unlatch.cli.render.notes import tell_remarks, tell_unread
from unlatch.cli.render.preview import foreseen_code, preview_document, show_preview, unread_items
from unlatch.cli.runtime.failure import UNDECIDED, in_job, part
from unlatch.cli.runtime.item_words import find_groups, with_increments
from unlatch.cli.runtime.passing import show_plan
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError, UsageError
from unlatch.increments.model.reason import checked_reason, quoted_reason
from unlatch.lifecycle.carry_out import carry_out
from unlatch.lifecycle.change import ChangeOptions, Done, DryRun, Ended, Place, Work
from unlatch.lifecycle.deliver import find_excess
from unlatch.lifecycle.fetch_items import ItemSnapshot
from unlatch.lifecycle.items.beside import OperationPending
from unlatch.lifecycle.items.change import ItemPlan, ItemRequest, locate_items, plan_items
from unlatch.project.registry import Registry
from unlatch.project.trackers import Trackers
from unlatch.spi.operation import DeliveryOptions, Kind
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.items.places import ItemGroup

_COLUMNS = 14
VERBS = {Kind.REOPEN: "reopen", Kind.CLOSE: "close"}


def change_items(
    context: Context,
    words: Sequence[str],
    kind: Kind,
    *,
    reason: str | None,
    by: str | None,
    item_only: bool,
    delivery: DeliveryOptions,
    key: str | None,
    comment_anyway: bool,
    ask: Callable[[], str] | None = None,
    **given: Any,
) -> int:
    """Reopen or close items, and deliver what is pending on them; the exit code.

    Args:
        item_only: change an item although it belongs to an increment.
        ask: asks for a missing reason, once the items are shown; None where nobody can be asked.

    Raises:
        Belongs: an item belongs to an increment, and `item_only` is not set.
        UnlatchError: an item is not known, or the reason is missing; nothing was changed.
    """
    again = join(["unlatch", VERBS[kind], *words])
    options, _ = take_options(given, command=VERBS[kind], listing=f"{again} --dry-run")
    if reason is not None:
        reason = checked_reason(reason)
    delivery = replace(delivery, comment_anyway=comment_anyway)
    groups = find_groups(context, words)
    if not options.dry_run:
        _check_count(groups, options)
    request = ItemRequest(kind, context.who(by), reason, delivery, key)
    with ExitStack() as opened:
        works = [
            _plan(context, group, request, options, opened, alone=not item_only) for group in groups
        ]
        plans = [plan for work in works for plan in work.changes]
        refuse_elsewhere(delivery, (plan.link for plan in plans))
        if unexplained := [plan for plan in plans if plan.needs_reason]:
            if ask is None:
                option = " --item-only" if item_only else ""
                raise _reason_missing(unexplained[0], f"{again}{option}")
            _show_items(context, unexplained)
            request = replace(request, reason=checked_reason(ask()))
            works = [work.explained(request) for work in works]
        dialog = ItemDialog(context, options, request, works)
        kept = [group.kept for group in works]
        dialog.refuse_others(kept)
        return carry_out(kept, dialog, options)


def _check_count(groups: Sequence[ItemGroup], options: ChangeOptions) -> None:
    """Refuse more items than allowed before any tracker is asked.

    Raises:
        UsageError: `too-many-items`.
    """
    items: set[object] = set()
    for group in groups:
        trackers = Trackers(group.workspace)
        for word in group.words:
            try:
                items.add(trackers.item(word, alone=True))
            except UnlatchError:  # such as a former name, which only the tracker knows
                items.add(word)
    workspace, most = groups[0].workspace, options.max_items
    if excess := find_excess(workspace, len(items), most, command=options.listing):
        raise excess


def _reason_missing(plan: ItemPlan, again: str) -> UsageError:
    verb = "reopening" if plan.request.kind is Kind.REOPEN else "closing"
    message, hint = f"{verb} {plan.subject.title} needs a reason", f"{again} --reason TEXT"
    if (reason := plan.pending_reason) is not None:
        message += f"; one is pending: {first_line(reason)!r}"
        hint = f"{again} --reason {quoted_reason(reason)}, or deliver it: unlatch sync"
    return UsageError("reason-missing", message, hint=hint)


@dataclass(frozen=True, slots=True)
class Group:
    """The items of one place, also those that are left alone."""

    place: Place
    changes: Sequence[ItemPlan]
    is_project: bool

    @property
    def kept(self) -> Work:
        """The changes of the items that are not left alone."""
        return Work(self.place, [plan for plan in self.changes if not plan.is_left])

    def explained(self, request: ItemRequest) -> Group:
        """The same with the reason."""
        return replace(self, changes=[replace(plan, request=request) for plan in self.changes])


def _plan(
    context: Context,
    group: ItemGroup,
    request: ItemRequest,
    options: ChangeOptions,
    opened: ExitStack,
    *,
    alone: bool,
) -> Group:
    """Plan the change of one group's items; `opened` closes its trackers."""
    group.workspace.check_config()
    offline = options.offline
    trackers = opened.enter_context(context.over(group.workspace).trackers())
    refs = locate_items(trackers, group.words, offline=offline)
    if context.has_project and alone:
        check_alone(with_increments(context, group), trackers, refs, request.kind, offline=offline)
    plans = plan_items(group.workspace, trackers, refs, request, offline=offline)
    return Group(Place(group.workspace, trackers), plans, group.is_project)


def _show_items(context: Context, plans: Sequence[ItemPlan]) -> None:
    """Show the items for which the prompt asks a reason, as they are now."""
    registry = context.workspace.registry if context.has_project else Registry()
    for plan in plans:
        item = plan.snapshot.item if plan.snapshot else None
        seen = ItemSnapshot(plan.link, plan.subject.title, item)
        output.talk(seen_line(registry, seen, columns=_COLUMNS).removeprefix("    "))


class ItemDialog(Dialog):
    """The report of a change of items alone."""

    moves = False
    sums = True

    def __init__(
        self,
        context: Context,
        options: ChangeOptions,
        request: ItemRequest,
        groups: Sequence[Group],
    ) -> None:
        super().__init__(context, options)
        self.request, self.groups = request, groups
        self._is_told = False

    def at(self, place: Place) -> Context:
        return self.context.over(place.workspace)

    @property
    def _plans(self) -> list[ItemPlan]:
        return [plan for group in self.groups for plan in group.changes]

    def foreseen(self, dry_run: DryRun) -> int:
        previews = dry_run.previews
        every = [item for preview in previews for item in preview.items]
        code = max(foreseen_code(every), self._left_code())
        parts = {
            "items": [
                entry for preview in previews for entry in preview_document(preview)["items"]
            ],
            "requests": sum(preview.requests for preview in previews),
        }
        context = self.at(self.groups[0].place)
        read, as_json = [item.item for item in every], self.options.as_json
        if show_plan(context, "dry-run-items", code, parts, as_json=as_json, read=read):
            return code
        self._tell_unchanged()
        for preview in previews:
            show_preview(context, preview)
        tell_unread(unread_items(every))
        return code

    def _tell_unchanged(self) -> None:
        for group in self.groups:
            tell_unchanged(self.at(group.place), group.changes, self.request.kind)

    def subjects(self, _works: Sequence[Work]) -> list[tuple[Context, list[Increment]]]:
        # Also those of the items that are left alone.
        return [
            (self.at(group.place), [plan.subject for plan in group.changes])
            for group in self.groups
        ]

    def tell(self, done: Done) -> None:
        tell_remarks(done.outcome.increment)

    def changed(self, ended: Sequence[Ended]) -> None:
        if not (self.options.as_json or self._is_told):
            self._tell_unchanged()
            self._is_told = True

    def postponed(self, total: int) -> None:
        """The end says how many operations are left."""

    def ended(self, ended: Sequence[Ended]) -> int:
        done = [change for change in ended if isinstance(change, Done)]
        delivered = [change.delivered for change in done if change.delivered]
        code = max(self._left_code(), *map(left_code, delivered), 0)
        is_project, verb = all(group.is_project for group in self.groups), self.options.command
        if in_job():
            own = self.at(self.groups[0].place)
            part("items")(own, self._plans, delivered, verb=verb, code=code)
        if self.options.as_json:
            place = "project" if is_project else "user"
            print_document(verb, code, place=place, items=change_entries(self._plans, done))
            return code
        if self.options.verbose:
            if self.request.reason:
                output.data(*lines_of("    ", "Reason: ", self.request.reason))
            links = (plan.link for plan in self._plans)
            output.data(*(f"    {output.clean(link.url or link.key)}" for link in links))
        tell_left(delivered, verb)
        return code

    def _left_code(self) -> int:
        """The exit code for the items that were left alone with an error."""
        errors = [plan.error for plan in self._plans if plan.error is not None]
        pending = [error for error in errors if isinstance(error, OperationPending)]
        if len(pending) < len(errors):
            return UNDECIDED
        return pending[0].exit_code if pending else 0
