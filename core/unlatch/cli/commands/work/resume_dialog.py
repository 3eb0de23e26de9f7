"""What unlatch resume asks, and what it shows before its changes."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.commands.work.closed_items import confirm_deliberate
from unlatch.cli.commands.work.foreseen_work import (
    ask_for_work,
    foreseen_keys,
    left_work,
    tell_left_work,
    tell_work,
)
from unlatch.cli.commands.work.resume_report import ResumeReport, warn_of_frequency
from unlatch.cli.options.reason import ask_reason, typed_reason
from unlatch.cli.options.scope_options import Scoping
from unlatch.cli.render.describe import ago, seen_line, times
from unlatch.cli.render.notes import tell_warnings
from unlatch.cli.runtime.context import Context, is_interactive, require_terminal
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UnlatchError
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.reopen_rules import category_of
from unlatch.increments.model.status import Status
from unlatch.lifecycle.activation_guard import ActivationOptions
from unlatch.lifecycle.carry_out import count_items
from unlatch.lifecycle.change import DryRun, Place
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.lifecycle.resume import Resume
from unlatch.lifecycle.resume_plan import ResumeStep, digest_of

if TYPE_CHECKING:
    from unlatch.delivery.preview import Preview


class ResumeDialog(ResumeReport):
    """The prompts of a resume; what it shows afterwards is in `ResumeReport`.

    Attributes:
        scoping: the change of the work, which only one increment can have.
        steps: the other work that a resume of one increment would change.
    """

    place: Place
    scoping: Scoping | None = None

    def foreseen(self, dry_run: DryRun) -> int:
        tell_work(self.steps)
        if self.options.is_many and not self.options.as_json:
            subjects = [preview.plan.before for preview in dry_run.previews]
            tell_left_work(left_work(self.context, subjects, self.kinds))
        return super().foreseen(dry_run)

    def foreseen_keys(self, preview: "Preview") -> output.Json:
        return {"digest": digest_of(preview.plan)} | foreseen_keys(self.steps)

    def confirm(self, changes: Sequence[Resume]) -> Sequence[Resume] | None:
        if self.options.is_many:
            return self._confirm_many(changes)
        plan = self._confirm_one(changes[0])
        if plan is not None:
            self.request = plan.request
        return None if plan is None else [plan]

    def _confirm_many(self, plans: Sequence[Resume]) -> Sequence[Resume] | None:
        options = self.options
        needs_reason = any(plan.subject.status.is_finished or plan.reopening for plan in plans)
        lacks_reason = needs_reason and not self.request.reason
        if options.yes and not lacks_reason:
            return plans
        count, items = times(len(plans), "increment"), times(count_items(plans), "item")
        require_terminal(f"{count} would be resumed", f"repeat with {typed_reason()} --yes")
        output.table(
            ("Increment", "Status", "Items"), list(map(_row, plans)), flexible=(2,), aside=True
        )
        verb = "leave" if options.offline else "write to"
        output.talk(f"Resuming will set {count} active and {verb} {items}.")
        if not options.yes and not prompts.confirm("Continue?"):
            return None
        if not lacks_reason:
            return plans
        reason = ask_reason(self.context)
        return [replace(plan, request=replace(plan.request, reason=reason)) for plan in plans]

    def _confirm_one(self, plan: Resume) -> Resume | None:
        is_part = self.scoping is not None and not self.scoping.update
        if is_part:
            # Unknown parts are reported before any prompt.
            plan = self._with_amendment(plan)
        is_finished, yes = plan.subject.status.is_finished, self.options.yes
        if is_finished and (plan.request.reason is None or not yes):
            rules = plan.check_rules(self.context.workspace, is_asked=is_interactive())
            answered = self._ask(plan, rules.warnings)
            if answered is None:
                return None
            plan, self.shown = answered, frozenset(warning.id for warning in rules.warnings)
        elif not (is_finished or yes):
            plan = ask_for_work(plan, self.context, self.steps)
        if self.scoping is not None and not is_part:
            plan = self._with_amendment(plan)
            if plan.request.amendment is None:
                return None
        return plan

    def _with_amendment(self, plan: Resume) -> Resume:
        """The plan with a change of the work; unchanged if the user declined."""
        if self.scoping is None:
            return plan
        from unlatch.cli.commands.work.scope_input import changed_work  # noqa: PLC0415  (rarely needed)

        reason, yes = plan.request.reason, self.options.yes
        amendment = changed_work(self.context, plan.subject, self.scoping, reason=reason, yes=yes)
        return replace(plan, request=replace(plan.request, amendment=amendment))

    def _ask(self, plan: Resume, warnings: Collection[UnlatchError]) -> Resume | None:
        """Show the plan, and ask for consent, reason and category; None if the user declined."""
        increment, request, context = plan.subject, plan.request, self.context
        offline, yes = self.options.offline, self.options.yes
        require_terminal(
            f"{increment.id} is {increment.status}",
            f"unlatch resume {quote(increment.id)} {typed_reason()} --yes",
        )
        seen = _introduce(context, self.place, increment, warnings, offline=offline)
        output.talk(f"  {_announcement(plan, offline=offline)}")
        tell_work(self.steps)
        if not yes and not prompts.confirm("Continue?"):
            return None
        options = request.options
        if not options.even_if_not_planned and plan.step is ResumeStep.REOPEN:
            options = replace(options, even_if_not_planned=confirm_deliberate(seen))
        reason = request.reason if request.reason is not None else ask_reason(context)
        activation = _with_category(context, increment, request.activation)
        current = request.current or (not yes and _is_to_be_current(context, increment))
        request = replace(
            request, reason=reason, options=options, activation=activation, current=current
        )
        return replace(plan, request=request)


def _with_category(
    context: Context, increment: Increment, activation: ActivationOptions
) -> ActivationOptions:
    """The options with a category; prompts if the project requires a missing one."""
    rules = context.workspace.config.reopen.rules
    is_reopen = increment.status is Status.COMPLETED
    if activation.category is not None or not rules.category_required or not is_reopen:
        return activation
    choices = f" ({', '.join(rules.categories)})" if rules.categories else ""
    category = prompts.ask(f"Category{choices}", lambda given: category_of(given, rules))
    return replace(activation, category=category)


def _row(plan: Resume) -> tuple[str, str, str]:
    before = plan.subject
    links = ", ".join(f"{link.tracker} {link.item}" for link in before.links)
    return before.id, before.status, links


def _is_to_be_current(context: Context, increment: Increment) -> bool:
    """Whether the user lets the increment's tool work on it, in place of another unit."""
    if increment.unit is None:
        return False
    from unlatch.lifecycle.units.current import other_current  # noqa: PLC0415  (units alone)

    other = other_current(context.workspace, increment)
    return other is not None and prompts.confirm(
        f"Let {other.tool} work on it, in place of {other.path}?"
    )


def _introduce(
    context: Context,
    place: Place,
    increment: Increment,
    warnings: Collection[UnlatchError],
    *,
    offline: bool,
) -> list[ItemSnapshot]:
    registry, now = context.workspace.registry, context.workspace.clock()
    archived = ", and archived" if increment.archived else ""
    name = output.strong(increment.id)
    output.talk(f"{output.warn('!')} Increment {name} is {increment.status}{archived}")
    titles = [registry.manifest(link.tracker).title for link in increment.links]
    columns = 1 + max(map(len, ("Reopened before", *titles)))
    if increment.completed_at:
        day = f"{increment.completed_at:%Y-%m-%d} ({ago(increment.completed_at, now)})"
        output.talk(f"    {'Completed':<{columns}}{day}")
    items = [ItemSnapshot(link, link.key) for link in increment.links]
    if place.trackers is not None and not offline:
        items = fetch_items(
            place.trackers, increment.links, within=context.workspace.config.patience
        )
    for seen in items:
        context.trace(seen.error)
        output.talk(seen_line(registry, seen, columns=columns))
    for warning in () if increment.links else increment.warnings:
        output.remark(warning)
    count = times(increment.effective_reopens, "time")
    output.talk(f"    {'Reopened before':<{columns}}{count}")
    warn_of_frequency(context, increment, more=1, warned=warnings)
    tell_warnings(warnings)
    return items


def _announcement(plan: Resume, *, offline: bool) -> str:
    links, spared = plan.subject.links, len(plan.spared)
    back = "move it out of the archive, " if plan.subject.archived else ""
    if not links:
        return f"Resuming will {back}set it active; it has no linked items."
    if not plan.reopens_items:
        return f"Resuming will {back}set it active; its items stay as they are."
    count = len(links) - spared
    items, each = times(count, "item"), "it" if count == 1 else "each"
    apart = f" {times(spared, 'item')} not affected." if spared else ""
    if offline:
        return f"Resuming will {back}set it active, and leave {items} to unlatch sync.{apart}"
    return (
        f"Resuming will {back}set it active, reopen {items} and post the reason on {each}.{apart}"
    )
