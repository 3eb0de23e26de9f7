"""The options of unlatch resume, for one increment and for many."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from unlatch.cli.options.kinds import kinds_of_work
from unlatch.cli.terminal import prompts
from unlatch.increments.model.reopening import category_of
from unlatch.increments.model.status import Status
from unlatch.lifecycle.activation_guard import ActivationOptions
from unlatch.lifecycle.resume_plan import ResumeRequest
from unlatch.values import dataclass

if TYPE_CHECKING:
    from unlatch.cli.options.scope import Scoping
    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.increment import Increment
    from unlatch.spi.delivery_options import DeliveryOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeOptions:
    reason: str | None
    by: str | None
    yes: bool
    offline: bool
    dry_run: bool
    reopen_items: bool
    category: str | None
    force: bool
    scoping: Scoping | None
    delivery: DeliveryOptions
    as_json: bool
    verbose: bool
    kinds: frozenset[str] = field(default_factory=lambda: frozenset(kinds_of_work()))
    current: bool = False
    planned: str | None = None
    key: str | None = None
    source: str | None = None
    own_pending: bool = False

    def request(self, context: Context) -> ResumeRequest:
        """The request, before any prompt."""
        activation = ActivationOptions(self.category, self.force)
        who = context.who(self.by)
        return ResumeRequest(
            who,
            self.reason,
            self.reopen_items,
            self.delivery,
            activation,
            current=self.current,
            planned=self.planned,
            key=self.key,
            source=self.source,
        )


def with_category(
    context: Context, increment: Increment, activation: ActivationOptions
) -> ActivationOptions:
    """The options with a category; prompts if the project requires a missing one."""
    rules = context.workspace.config.reopen.rules
    is_reopen = increment.status is Status.COMPLETED
    if activation.category is not None or not rules.category_required or not is_reopen:
        return activation
    known = f" ({', '.join(rules.categories)})" if rules.categories else ""
    category = prompts.ask(f"Category{known}", lambda given: category_of(given, rules))
    return replace(activation, category=category)
