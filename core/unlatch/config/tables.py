"""The tables of config.toml that hold a project's own rules."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from unlatch.increments.model import limits, reopening
from unlatch.increments.model.rule_violation import Policy
from unlatch.increments.model.status import Status

Count = Annotated[int, Field(ge=1)]
# A century; beyond some thousands of them, no date can be counted back that far.
_LONGEST = 36_500
Days = Annotated[int, Field(ge=0, le=_LONGEST)]
Word = Annotated[str, Field(min_length=1)]
Category = Annotated[str, Field(pattern=r"^[^\W_][\w-]{0,59}$")]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StaleAfter(_Table):
    """Days without activity after which an increment is stale."""

    active: Days = Field(
        30, description="days without activity after which an active increment is stale; 0: never"
    )
    paused: Days = Field(
        7, description="days without activity after which a paused increment is stale; 0: never"
    )


class Limits(_Table):
    """How much may be worked on at once."""

    max_active: Count | None = Field(
        None, description="how many increments may be active, in all; beyond it policy decides"
    )
    hard_cap: Count | None = Field(
        None,
        description="how many may be active even where some may interrupt; "
        "more are always refused without --force",
    )
    per_type: dict[Word, Count] = Field(
        {}, description="how many increments of single types may be active"
    )
    can_interrupt: tuple[Word, ...] = Field(
        ("hotfix", "bug"), description="types that only hard_cap holds up"
    )
    policy: Policy = Field(
        Policy.WARN, description="what happens beyond max_active and per_type: warn or refuse"
    )
    stale_after: StaleAfter = StaleAfter()

    @property
    def rules(self) -> limits.Limits:
        """The same for what counts by them."""
        after = self.stale_after
        return limits.Limits(
            self.max_active,
            self.hard_cap,
            self.per_type,
            frozenset(self.can_interrupt),
            self.policy,
            {Status.ACTIVE: after.active, Status.PAUSED: after.paused},
        )


class Reopen(_Table):
    """When what was completed may be reopened."""

    within_days: Annotated[int, Field(ge=1, le=_LONGEST)] | None = Field(
        None, description="for how many days after its completion an increment may be reopened"
    )
    too_late: Policy = Field(Policy.REFUSE, description="what happens after that: warn or refuse")
    categories: tuple[Category, ...] = Field(
        (), description="the categories that --category takes; without any, it takes any word"
    )
    category_required: bool = Field(default=False, description="whether a reopen needs --category")
    category_missing: Policy = Field(
        Policy.REFUSE, description="what happens where it has none: warn or refuse"
    )
    from_nth: Count | None = Field(
        None, description="the number of the reopen from which on frequent decides"
    )
    frequent: Policy = Field(
        Policy.WARN, description="what happens from that reopen on: warn or refuse"
    )

    @property
    def rules(self) -> reopening.ReopenRules:
        """The same for what decides by them."""
        return reopening.ReopenRules(**self.model_dump())
