"""unlatch reopen and close: change items that belong to no increment."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.commands.items.belonging import check_alone
from unlatch.cli.commands.items.render import (
    change_entries,
    left_code,
    tell_left,
    tell_unchanged,
)
from unlatch.cli.options.delivery import refuse_elsewhere
from unlatch.cli.render.agreement import agree_to_pending, refuse_pending_of_others
from unlatch.cli.render.deliveries import show_deliveries
from unlatch.cli.render.delivery_documents import print_document
from unlatch.cli.render.describe import seen_line
from unlatch.cli.render.notes import tell_remarks, tell_unread
from unlatch.cli.render.preview import foreseen_code, preview_document, show_preview, unread_items
from unlatch.cli.render.texts import lines_of
from unlatch.cli.runtime.failure import UNDECIDED
from unlatch.cli.runtime.item_groups import find_groups
from unlatch.cli.runtime.passing import show_plan
from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch.increments.model.reason import checked_reason
from unlatch.lifecycle.deliver import DeliveryResult, deliver_pending, find_excess, preview_plans
from unlatch.lifecycle.fetch_items import ItemSnapshot
from unlatch.lifecycle.items.beside import OperationPending
from unlatch.lifecycle.items.change import (
    ItemPlan,
    ItemRequest,
    locate_items,
    plan_items,
    preview_items,
    record_items,
)
from unlatch.lifecycle.items.places import make_user_items
from unlatch.project.registry import Registry
from unlatch.spi.operation import Kind
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.delivery.preview import Preview
    from unlatch.lifecycle.items.places import ItemGroup
    from unlatch.project.trackers import Trackers
    from unlatch.spi.delivery_options import DeliveryOptions

_COLUMNS = 14
VERBS = {Kind.REOPEN: "reopen", Kind.CLOSE: "close"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemOptions:
    """Options of the command; `item_only` changes an item although an increment has it."""

    kind: Kind
    reason: str | None
    by: str | None
    item_only: bool
    offline: bool
    dry_run: bool
    max_items: int | None
    delivery: DeliveryOptions
    as_json: bool
    verbose: bool = False
    key: str | None = None
    comment_anyway: bool = False
    yes: bool = False
    own_pending: bool = False


@dataclass(frozen=True, slots=True)
class Work:
    """The items of one group, with the context over their records."""

    group: ItemGroup
    context: Context
    trackers: Trackers
    plans: Sequence[ItemPlan]

    @property
    def count(self) -> int:
        return sum(not one.is_left for one in self.plans)


def change_items(
    context: Context,
    words: Sequence[str],
    typed: ItemOptions,
    *,
    ask: Callable[[], str] | None = None,
) -> int:
    """Reopen or close items, and deliver what is pending on them; the exit code.

    Args:
        ask: asks for a missing reason, once the items are shown; None where nobody can be asked.

    Raises:
        Belongs: an item belongs to an increment, and `item_only` is not set.
        UnlatchError: an item is not known, or the reason is missing; nothing was changed.
    """
    if typed.reason is not None:
        typed = replace(typed, reason=checked_reason(typed.reason))
    delivery = replace(typed.delivery, comment_anyway=typed.comment_anyway)
    typed = replace(typed, delivery=delivery)
    who, key = context.who(typed.by), typed.key
    request = ItemRequest(typed.kind, who, typed.reason, delivery, key, typed.comment_anyway)
    again = " ".join(["unlatch", VERBS[typed.kind], *map(quote, words)])
    with ExitStack() as opened:
        works = [
            _plan(context, group, request, typed, opened) for group in find_groups(context, words)
        ]
        refuse_elsewhere(delivery, (plan.link for work in works for plan in work.plans))
        if unexplained := [
            plan for work in works for plan in work.plans if plan.needs_reason(request)
        ]:
            if ask is None:
                raise _reason_missing(unexplained[0], typed, again)
            _show_items(context, unexplained)
            request = replace(request, reason=checked_reason(ask()))
            typed = replace(typed, reason=request.reason)
        records = [(work.context, [plan.record for plan in work.plans]) for work in works]
        if typed.own_pending:
            refuse_pending_of_others(records)
        if typed.dry_run:
            return _preview(works, request, typed)
        _check_count(works, typed, again)
        if not typed.offline:
            agree_to_pending(records, yes=typed.yes, silent=typed.as_json)
        delivered = [_deliver(work, request, typed) for work in works]
    return _tell_end(works, delivered, typed)


def _plan(
    context: Context, group: ItemGroup, request: ItemRequest, typed: ItemOptions, opened: ExitStack
) -> Work:
    """Plan the change of one group's items; `opened` closes its trackers."""
    group.workspace.check_config()
    own, offline = context.over(group.workspace), typed.offline
    trackers = opened.enter_context(own.trackers())
    refs = locate_items(trackers, group.words, offline=offline)
    if group.is_project and not typed.item_only:
        check_alone(group.workspace, trackers, refs, typed.kind, offline=offline)
    plans = plan_items(group.workspace, trackers, refs, request, offline=offline)
    return Work(group, own, trackers, plans)


def _reason_missing(plan: ItemPlan, typed: ItemOptions, again: str) -> UsageError:
    message = f"reopening {plan.record.title} needs a reason"
    option = " --item-only" if typed.item_only else ""
    return UsageError("reason-missing", message, hint=f"{again}{option} --reason TEXT")


def _show_items(context: Context, plans: Sequence[ItemPlan]) -> None:
    """Show the items for which the prompt asks a reason, as they are now."""
    registry = context.workspace.registry if context.has_project else Registry()
    for plan in plans:
        item = plan.snapshot.item if plan.snapshot else None
        seen = ItemSnapshot(plan.link, plan.record.title, item)
        output.talk(seen_line(registry, seen, columns=_COLUMNS).removeprefix("    "))


def _check_count(works: Sequence[Work], typed: ItemOptions, again: str) -> None:
    count = sum(one.count for one in works)
    workspace, command = works[0].group.workspace, f"{again} --dry-run"
    if excess := find_excess(workspace, count, typed.max_items, command=command):
        raise excess


def _deliver(work: Work, request: ItemRequest, typed: ItemOptions) -> Sequence[DeliveryResult]:
    workspace = work.group.workspace
    if not work.group.is_project:
        make_user_items()
    recorded = record_items(workspace, work.plans, request)
    records = recorded.records
    for record in records:
        tell_remarks(record)
    if not typed.as_json:
        tell_unchanged(work.context, work.plans, typed.kind)
    if typed.offline:
        return [DeliveryResult(one, (), len(one.pending), on_purpose=True) for one in records]
    operations = sum(len(one.pending) for one in records)
    with show_deliveries(work.context, operations, silent=typed.as_json) as report:
        return deliver_pending(
            workspace,
            work.trackers,
            records,
            report,
            options=typed.delivery,
            fresh=recorded.fresh,
            seen=recorded.seen,
        )


def _preview(works: Sequence[Work], request: ItemRequest, typed: ItemOptions) -> int:
    found: list[Preview] = []
    for work in works:
        workspace, options = work.group.workspace, typed.delivery
        plans = preview_items(workspace, work.plans, request)
        found += preview_plans(
            workspace, work.trackers, plans, options=options, offline=typed.offline
        )
    unread = [one for preview in found for one in unread_items(preview.items)]
    code = foreseen_code(one for preview in found for one in preview.items)
    code = max(code, _left_code(works))
    parts = {
        "items": [one for preview in found for one in preview_document(preview)["items"]],
        "requests": sum(preview.requests for preview in found),
    }
    read = [one.item for preview in found for one in preview.items]
    context = works[0].context
    if show_plan(context, "dry-run-items", code, parts, as_json=typed.as_json, read=read):
        return code
    for work in works:
        tell_unchanged(work.context, work.plans, request.kind)
    for preview in found:
        show_preview(context, preview)
    tell_unread(unread)
    return code


def _tell_end(
    works: Sequence[Work], delivered: Sequence[Sequence[DeliveryResult]], typed: ItemOptions
) -> int:
    every = [one for some in delivered for one in some]
    code = max(_left_code(works), *map(left_code, every), 0)
    is_project = works[0].group.is_project
    if typed.as_json:
        place = "project" if is_project else "user"
        plans = [plan for work in works for plan in work.plans]
        print_document(VERBS[typed.kind], code, place=place, items=change_entries(plans, every))
        return code
    if typed.verbose:
        _tell_details(works, typed)
    tell_left(every, VERBS[typed.kind], is_project=is_project)
    return code


def _left_code(works: Sequence[Work]) -> int:
    """The exit code for the items that were left alone with an error."""
    errors = [plan.error for work in works for plan in work.plans if plan.error is not None]
    pending = [one for one in errors if isinstance(one, OperationPending)]
    if len(pending) < len(errors):
        return UNDECIDED
    return pending[0].exit_code if pending else 0


def _tell_details(works: Sequence[Work], typed: ItemOptions) -> None:
    if typed.reason:
        output.data(*lines_of("    ", "Reason: ", typed.reason))
    links = (plan.link for work in works for plan in work.plans)
    output.data(*(f"    {output.clean(link.url or link.key)}" for link in links))
