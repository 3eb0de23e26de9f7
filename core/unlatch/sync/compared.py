"""A link whose two sides were compared, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.increments.model.sync_policy import Policy
from unlatch.sync.compare import ReconcileContext

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment, Link
    from unlatch.lifecycle.fetch_items import Seen
    from unlatch.sync.compare import Decision, Verdict

_BY_DEFAULT, _ALONE = Policy(), ReconcileContext()


@dataclass(frozen=True, slots=True)
class Compared:
    """One link, and what is to be done about it.

    Args:
        decision: what; None where the item could not be read (`seen.error` says why), or where an
            operation is still on its way to it.
        pending: how many operations are still pending for the item.
        policy: how its tracker's items are kept in step.
        given: what else bears on it.
    """

    increment: Increment
    link: Link
    seen: Seen
    decision: Decision | None
    pending: int = 0
    policy: Policy = _BY_DEFAULT
    given: ReconcileContext = _ALONE

    @property
    def verdict(self) -> Verdict | None:
        """What is to be done, if that is known."""
        return self.decision.verdict if self.decision else None
