"""The closed items of an unfinished increment: ask whether to reopen them, too."""

from collections.abc import Sequence
from dataclasses import replace
from shlex import quote

from unlatch.cli.options.reason import ask_reason, typed_reason
from unlatch.cli.render.describe import seen_line
from unlatch.cli.runtime.context import Context, is_interactive, require_terminal
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UsageError
from unlatch.lifecycle.change import ChangeOptions, Place
from unlatch.lifecycle.closed_items import (
    depends_on_items,
    read_items_of,
    reopenable,
    reopening,
    settle,
)
from unlatch.lifecycle.fetch_items import ItemSnapshot
from unlatch.lifecycle.resume import Resume
from unlatch.lifecycle.resume_plan import NO_REASON, ResumeStep


def settle_plans(
    context: Context, place: Place, plans: Sequence[Resume], options: ChangeOptions
) -> list[Resume]:
    """Add closed items to each plan, or the reason for a refusal, without prompts."""
    depending = [plan for plan in plans if depends_on_items(plan)]
    settled = dict(zip(map(id, depending), _read(context, place, depending, options), strict=True))
    return [
        settle(place, plan, settled[id(plan)], offline=options.offline)
        if id(plan) in settled
        else plan
        for plan in plans
    ]


def ask_about_items(
    context: Context,
    place: Place,
    plan: Resume,
    options: ChangeOptions,
    *,
    has_other_work: bool,
) -> Resume | None:
    """Add closed items to the only plan, after a prompt if needed; None if the user declined.

    Args:
        has_other_work: whether a new reason serves other work, if not an item.
    """
    if not depends_on_items(plan):
        return plan
    (seen,) = _read(context, place, [plan], options)
    asks = not (options.yes or options.dry_run)
    if plan.step is ResumeStep.ACTIVATE:
        is_asked = asks and not plan.request.reopen_items and is_interactive()
        if is_asked and reopenable(plan.subject, seen):
            plan.check_rules(context.workspace)
            if _wants_reopening(context, plan, seen):
                return _with_reason(context, reopening(plan, seen), seen, options)
    plan = settle(place, plan, seen, offline=options.offline)
    if plan.refusal is not None and not has_other_work:
        raise plan.refusal
    plan = replace(plan, refusal=None)
    if plan.reopening and plan.step is ResumeStep.REOPEN_ITEMS and asks:
        name = plan.subject.id
        hint = f"unlatch resume {quote(name)} {typed_reason()} --yes"
        require_terminal(f"{name} is active and has closed items", hint)
        output.talk(f"{output.warn('!')} Increment {output.strong(name)} is already active")
        if not _wants_reopening(context, plan, seen):
            return None
    return _with_reason(context, plan, seen, options) if plan.reopening else plan


def _read(
    context: Context, place: Place, plans: Sequence[Resume], options: ChangeOptions
) -> list[list[ItemSnapshot]]:
    seen = read_items_of(place, plans, offline=options.offline)
    for item in {item.link: item for items in seen for item in items}.values():
        context.trace(item.error)
    return seen


def _wants_reopening(context: Context, plan: Resume, seen: Sequence[ItemSnapshot]) -> bool:
    closed = reopenable(plan.subject, seen)
    output.talk(
        *(seen_line(context.workspace.registry, snapshot, columns=14) for snapshot in closed)
    )
    if len(closed) == 1:
        return prompts.confirm("1 linked item is closed; reopen it?")
    return prompts.confirm(f"{len(closed)} linked items are closed; reopen them?")


def _with_reason(
    context: Context, plan: Resume, seen: Sequence[ItemSnapshot], options: ChangeOptions
) -> Resume:
    """The plan with a reason for its items, and with consent for items closed on purpose."""
    request, may_ask = plan.request, is_interactive() and not options.dry_run
    if request.reason is None and options.dry_run:
        return replace(plan, request=replace(request, reason=NO_REASON))
    if request.reason is None and not may_ask:
        command = f"unlatch resume {quote(plan.subject.id)} --reopen-items --reason TEXT --yes"
        raise UsageError("reason-missing", "reopening items needs a reason", hint=command)
    delivery = request.options
    if may_ask and not (options.yes or delivery.even_if_not_planned):
        delivery = replace(delivery, even_if_not_planned=confirm_deliberate(seen))
    reason = ask_reason(context) if request.reason is None else request.reason
    return replace(plan, request=replace(request, reason=reason, options=delivery))


def confirm_deliberate(seen: Sequence[ItemSnapshot]) -> bool:
    """Ask whether items that were closed on purpose are reopened, too."""
    held = [
        snapshot.name for snapshot in seen if snapshot.item is not None and snapshot.item.deliberate
    ]
    if not held:
        return False
    were, them = ("was", "it") if len(held) == 1 else ("were", "them")
    question = f"{', '.join(held)} {were} closed on purpose; reopen {them} anyway?"
    return prompts.confirm(question)
