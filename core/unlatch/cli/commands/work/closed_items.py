"""The closed items of unfinished increments: reopen them too, or report them."""

from collections.abc import Sequence
from dataclasses import replace
from shlex import quote

from unlatch.cli.commands.work.resume_options import ResumeOptions
from unlatch.cli.options.reason import ask_reason, typed_reason
from unlatch.cli.render.describe import seen_line
from unlatch.cli.runtime.context import Context, is_interactive, require_terminal
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UsageError
from unlatch.increments.model.status import Status
from unlatch.lifecycle.closed_items import (
    already_active,
    closed_warnings,
    depends_on_items,
    has_new_reason,
    reopenable,
    reopening,
)
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.lifecycle.resume_plan import NO_REASON, ResumePlan, ResumeStep
from unlatch.project.trackers import Trackers


def settle_closed_items(
    context: Context,
    trackers: Trackers,
    plan: ResumePlan,
    typed: ResumeOptions,
    *,
    has_other_work: bool,
) -> ResumePlan | None:
    """Add closed items to a plan, after a prompt if needed; None if the user declined.

    Args:
        has_other_work: whether a new reason serves other work, if not an item.
    """
    is_activation = plan.step is ResumeStep.ACTIVATE
    if not depends_on_items(plan) or (typed.scoping and not is_activation):
        return plan
    (seen,) = _read(context, trackers, [plan], typed)
    if plan.step is ResumeStep.REVIVE:
        return _with_warnings(plan, seen)
    if is_activation:
        plan = _settle_activation(context, plan, seen, typed)
    else:
        plan = _settle_active(context, plan, seen, typed)
        if plan.refusal is not None and not has_other_work:
            raise plan.refusal
        plan = replace(plan, refusal=None)
        if plan.reopening and not (typed.yes or typed.dry_run):
            name = plan.before.id
            hint = f"unlatch resume {quote(name)} {typed_reason()} --yes"
            require_terminal(f"{name} is active and has closed items", hint)
            output.talk(f"{output.warn('!')} Increment {output.strong(name)} is already active")
            if not _wants_reopening(context, plan, seen):
                return None
    return _with_reason(context, plan, seen, typed) if plan.reopening else plan


def settle_many(
    context: Context, trackers: Trackers, plans: Sequence[ResumePlan], typed: ResumeOptions
) -> list[ResumePlan]:
    """Add closed items to each plan, or the reason for a refusal, without prompts."""
    read = [plan for plan in plans if depends_on_items(plan)]
    found = dict(zip(map(id, read), _read(context, trackers, read, typed), strict=True))
    settled = []
    for plan in plans:
        if id(plan) not in found:
            settled.append(plan)
        elif plan.step is ResumeStep.REVIVE:
            settled.append(_with_warnings(plan, found[id(plan)]))
        elif plan.step is ResumeStep.ACTIVATE:
            settled.append(_reopening_or_warning(plan, found[id(plan)], typed))
        else:
            settled.append(_settle_active(context, plan, found[id(plan)], typed))
    return settled


def _read(
    context: Context, trackers: Trackers, plans: Sequence[ResumePlan], typed: ResumeOptions
) -> list[list[ItemSnapshot]]:
    """The items of each plan; without their state if they are not or cannot be read."""
    links = dict.fromkeys(link for plan in plans for link in plan.before.links)
    seen = {link: ItemSnapshot(link, link.key) for link in links}
    if not typed.offline:
        within = context.workspace.config.patience
        seen |= {one.link: one for one in fetch_items(trackers, links, within=within)}
    for one in seen.values():
        context.trace(one.error)
    return [[seen[link] for link in plan.before.links] for plan in plans]


def _settle_activation(
    context: Context, plan: ResumePlan, seen: Sequence[ItemSnapshot], typed: ResumeOptions
) -> ResumePlan:
    is_asked = not (typed.yes or typed.dry_run or typed.reopen_items) and is_interactive()
    if is_asked and reopenable(plan.before, seen):
        plan.check_rules(context.workspace)
        if _wants_reopening(context, plan, seen):
            return reopening(plan, seen)
    return _reopening_or_warning(plan, seen, typed)


def _reopening_or_warning(
    plan: ResumePlan, seen: Sequence[ItemSnapshot], typed: ResumeOptions
) -> ResumePlan:
    if typed.reopen_items:
        return reopening(plan, seen, unread=True)
    return _with_warnings(plan, seen)


def _with_warnings(plan: ResumePlan, seen: Sequence[ItemSnapshot]) -> ResumePlan:
    """The plan with warnings about the items that stay closed while the increment is active."""
    active = replace(plan.before, status=Status.ACTIVE)
    return replace(plan, warnings=closed_warnings(active, seen))


def _settle_active(
    context: Context, plan: ResumePlan, seen: Sequence[ItemSnapshot], typed: ResumeOptions
) -> ResumePlan:
    is_new = has_new_reason(plan)
    if not (is_new or typed.reopen_items):
        known = () if typed.offline else seen
        return replace(plan, warnings=closed_warnings(plan.before, known))
    settled = reopening(plan, seen, unread=typed.reopen_items)
    if settled.reopening or not is_new:
        return settled
    return replace(plan, refusal=already_active(plan, seen, context.workspace.registry))


def _wants_reopening(context: Context, plan: ResumePlan, seen: Sequence[ItemSnapshot]) -> bool:
    closed = reopenable(plan.before, seen)
    output.talk(*(seen_line(context.workspace.registry, one, columns=14) for one in closed))
    if len(closed) == 1:
        return prompts.confirm("1 linked item is closed; reopen it?")
    return prompts.confirm(f"{len(closed)} linked items are closed; reopen them?")


def _with_reason(
    context: Context, plan: ResumePlan, seen: Sequence[ItemSnapshot], typed: ResumeOptions
) -> ResumePlan:
    """The plan with a reason for its items, and with consent for items closed on purpose."""
    request, may_ask = plan.request, is_interactive() and not typed.dry_run
    if request.reason is None and typed.dry_run:
        return replace(plan, request=replace(request, reason=NO_REASON))
    if request.reason is None and not may_ask:
        command = f"unlatch resume {quote(plan.before.id)} --reopen-items --reason TEXT --yes"
        raise UsageError("reason-missing", "reopening items needs a reason", hint=command)
    options = request.options
    if may_ask and not (typed.yes or options.even_if_not_planned):
        options = replace(options, even_if_not_planned=confirm_deliberate(seen))
    reason = ask_reason(context) if request.reason is None else request.reason
    return replace(plan, request=replace(request, reason=reason, options=options))


def confirm_deliberate(seen: Sequence[ItemSnapshot]) -> bool:
    """Ask whether items that were closed on purpose are reopened, too."""
    held = [one.name for one in seen if one.item is not None and one.item.deliberate]
    if not held:
        return False
    were, them = ("was", "it") if len(held) == 1 else ("were", "them")
    question = f"{', '.join(held)} {were} closed on purpose; reopen {them} anyway?"
    return prompts.confirm(question)
