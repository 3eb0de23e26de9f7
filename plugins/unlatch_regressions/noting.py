"""Record further causes of open work, and tell its items of them with one comment."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.delivery.preview import Preview
from unlatch.increments.files.changes.plans import Intent, Plan, build_operations, plan_enqueue
from unlatch.increments.model.reopens import ReopenCause
from unlatch.increments.records.events import Broken
from unlatch.increments.records.links import identity
from unlatch.lifecycle.change import Outcome, Place
from unlatch.spi.operation import AS_CONFIGURED, DeliveryOptions, Kind
from unlatch.values import dataclass
from unlatch.worklog.ids import following_ulid
from unlatch_regressions.recorded import recorded_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch_regressions.cause import Cause
    from unlatch_regressions.judging import Verdict


def recorded_cause(cause: Cause) -> ReopenCause:
    """A cause as metadata.json and events.jsonl have it."""
    return ReopenCause(cause.kind, cause.fingerprint, cause.line, cause.seen_at)


@dataclass(frozen=True, slots=True)
class Note:
    """A change that records causes of work that is open when it is made.

    Args:
        reason: the comment on the items; None for none, where the reopen's own names the causes.
    """

    subject: Increment
    verdicts: Sequence[Verdict]
    by: str
    reason: str | None = None
    delivery: DeliveryOptions = AS_CONFIGURED

    @property
    def is_silent(self) -> bool:
        """Whether it only adds to the record of a reopen that is made before it."""
        return self.reason is None

    @property
    def items(self) -> Collection[object]:
        """The items with the comment."""
        links = self.subject.links if self.reason is not None else ()
        return frozenset(map(identity, links))

    def preview(self, place: Place) -> Preview:
        """The present change."""
        intent = place.workspace.manager.intent(by=self.by, options=self.delivery)
        return Preview(self._plan(self.subject, intent), ())

    def apply(self, place: Place) -> Outcome:
        """Record the causes, and the operations for the items; raises StoreError."""
        plan, after = place.workspace.manager.apply(
            self.subject.id, self._plan, by=self.by, options=self.delivery
        )
        return Outcome(plan.before, after, plan.new)

    def entry(self, outcome: Outcome) -> dict[str, Any]:
        """Nothing beside the deliveries."""
        return {"warnings": outcome.warnings}

    def _plan(self, before: Increment, intent: Intent) -> Plan:
        """The change of the present increment; nothing where another process was faster."""
        recorded = recorded_of(before)
        new = [
            verdict
            for verdict in self.verdicts
            if verdict.returns > recorded.returns.get(verdict.cause.fingerprint, 0)
            or verdict.cause.fingerprint not in recorded.at
        ]
        if before.status.is_finished or not before.reopens or not new:
            return plan_enqueue(before)
        causes = tuple(recorded_cause(verdict.cause) for verdict in new)
        returns = max(verdict.returns for verdict in new)
        # Another machine that sees the same finds the same id, and posts no further comment.
        facts = [*sorted(cause.fingerprint for cause in causes), returns]
        op = following_ulid(before.reopens[-1].id, ["broken", before.id, *facts])
        intent = replace(intent, op=op, reason=self.reason)
        event = Broken(id=op, at=intent.at, by=self.by, causes=causes, returns=returns)
        return replace(plan_enqueue(before, *self._operations(before, intent)), event=event)

    def _operations(self, before: Increment, intent: Intent) -> Sequence[Any]:
        if self.reason is None:
            return ()
        why = self.verdicts[0].cause.kind
        return [
            replace(operation, state=False, why=why)
            for operation in build_operations(before, Kind.REOPEN, intent, by=self.by)
        ]
