"""Limits of work in progress; only this module counts it.

Active increments count; paused and archived ones do not, and those in review only if a project says
so.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from shlex import quote

from unlatch.errors import StoreError
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.increments.model.policies import Policy, RuleViolation
from unlatch.increments.model.status import Status
from unlatch.values import dataclass
from unlatch.worklog.name_matching import first_of


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a project.

    Args:
        hard_cap: the number of active increments above which all are refused, of any type.
        can_interrupt: types that are exempt from `max_active` and `per_type`.
        policy: the reaction to a violation of `max_active` and `per_type`.
        count_reviews: whether increments in review count as active ones do.
        stale_after: days without activity, by status, to be stale; 0 for never.
    """

    max_active: int | None = None
    hard_cap: int | None = None
    per_type: Mapping[str, int] = field(default_factory=dict)
    can_interrupt: frozenset[str] = frozenset()
    policy: Policy = Policy.WARN
    stale_after: Mapping[Status, int] = field(default_factory=dict)
    count_reviews: bool = False

    @property
    def is_limited(self) -> bool:
        return bool(self.max_active or self.hard_cap or self.per_type)


@dataclass(frozen=True, slots=True)
class Use:
    """The use of a limit: `setting` is "max_active" or "per_type.feature", `most` the limit."""

    setting: str
    active: int
    most: int | None

    @property
    def is_over(self) -> bool:
        return self.most is not None and self.active > self.most


@dataclass(frozen=True, slots=True)
class Wip:
    """The work in progress: its number against `max_active` (`total`) and `hard_cap` (`capped`)."""

    active: tuple[Increment, ...]
    total: Use
    capped: Use
    # The limited types as configured, then the others by name.
    types: Mapping[str, Use]

    @property
    def over(self) -> tuple[Use, ...]:
        """The limits that are exceeded, the strictest first."""
        everyone = self.capped if self.capped.is_over else self.total
        return tuple(use for use in (everyone, *self.types.values()) if use.is_over)


def wip(increments: Iterable[Increment | BrokenIncrement], limits: Limits) -> Wip:
    active = tuple(
        increment
        for increment in increments
        if isinstance(increment, Increment) and _counts(increment, limits)
    )
    counted = Counter(map(type_of, active))
    most = {kind.casefold(): number for kind, number in limits.per_type.items()}
    kinds = [*most, *sorted(set(counted) - set(most))]
    return Wip(
        active,
        Use("max_active", len(active), limits.max_active),
        Use("hard_cap", len(active), limits.hard_cap),
        {kind: Use(f"per_type.{kind}", counted[kind], most.get(kind)) for kind in kinds},
    )


def _counts(increment: Increment, limits: Limits) -> bool:
    """Whether an increment is work in progress."""
    is_reviewed = limits.count_reviews and increment.status is Status.READY_FOR_REVIEW
    return (increment.status is Status.ACTIVE or is_reviewed) and not increment.archived


def type_of(increment: Increment) -> str:
    """The type under which an increment counts, in lower case."""
    return (increment.type or "none").casefold()


def limit_violations(
    increment: Increment, increments: Iterable[Increment | BrokenIncrement], limits: Limits
) -> tuple[RuleViolation, ...]:
    """The violations that making an increment active would cause, the strictest first.

    Only the hard cap applies to a type that may interrupt. `increments` are all increments of the
    project, with or without this one.
    """
    others = [other for other in wip(increments, limits).active if other.id != increment.id]
    then = wip((*others, replace(increment, status=Status.ACTIVE, archived=False)), limits)
    if then.capped.is_over:
        return (_violation(then.capped, others, Policy.REFUSE),)
    kind = type_of(increment)
    if kind in map(str.casefold, limits.can_interrupt):
        return ()
    alike = [other for other in others if type_of(other) == kind]
    checked = ((then.total, others), (then.types[kind], alike))
    return tuple(_violation(use, held, limits.policy) for use, held in checked if use.is_over)


def _violation(use: Use, others: Sequence[Increment], policy: Policy) -> RuleViolation:
    kind = use.setting.partition("per_type.")[2]
    noun = f"{kind} increment" if kind else "increment"
    count = f"1 {noun} is" if len(others) == 1 else f"{len(others)} {noun}s are"
    ids = f": {first_of([other.id for other in others])}" if others else ""
    has_review = any(other.status is Status.READY_FOR_REVIEW for other in others)
    state = "active or in review" if has_review else "active"
    message = f"limits.{use.setting} is {use.most}, and {count} already {state}{ids}"
    paused = next((other for other in others if other.status is Status.ACTIVE), None)
    hint = f"to make room: unlatch pause {quote(paused.id)}" if paused else None
    return RuleViolation(StoreError("wip-limit", message, hint=hint), policy)


def days_idle(increment: Increment, now: datetime) -> int | None:
    """Whole days since the last activity; None if no file records it."""
    last = increment.last_activity or increment.created
    return max(0, (now - last) // timedelta(days=1)) if last else None


def is_stale(increment: Increment, limits: Limits, now: datetime) -> bool:
    """Whether the last activity is older than its status allows."""
    after = limits.stale_after.get(increment.status)
    if increment.archived or not after:
        return False
    idle = days_idle(increment, now)
    return idle is not None and idle >= after
