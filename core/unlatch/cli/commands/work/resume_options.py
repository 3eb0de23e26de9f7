"""The options of unlatch resume, and the question for its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.cli.runtime import output
from unlatch.errors import UsageError
from unlatch.increments.model.reopening import checked_reason
from unlatch.lifecycle.activation_guard import ActivationOptions
from unlatch.lifecycle.resume import ResumeRequest

if TYPE_CHECKING:
    from unlatch.cli.options.scope import Scoping
    from unlatch.cli.runtime.session import Session
    from unlatch.spi.operation import DeliveryOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeOptions:
    """The options as they were typed."""

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

    def request(self, session: Session) -> ResumeRequest:
        """The request, before any question is answered."""
        activation = ActivationOptions(self.category, self.force)
        who = session.who(self.by)
        return ResumeRequest(who, self.reason, self.reopen_items, self.delivery, activation)


def ask_reason() -> str:
    """Ask for the reason until it is usable."""
    while True:
        given = output.prompt("Reason for reopening", default="", show_default=False)
        try:
            return checked_reason(given)
        except UsageError as error:
            output.talk(output.warn(f"{error.message}; try again"))
