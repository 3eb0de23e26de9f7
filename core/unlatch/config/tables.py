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
        30, description="Days without activity until an active increment is stale; 0 means never"
    )
    paused: Days = Field(
        7, description="Days without activity until a paused increment is stale; 0 means never"
    )


class Limits(_Table):
    """How much may be worked on at once."""

    max_active: Count | None = Field(
        None, description="Maximum number of active increments; `policy` decides beyond it"
    )
    hard_cap: Count | None = Field(
        None,
        description="Maximum number of active increments for every type and policy. More need "
        "`--force`",
    )
    per_type: dict[Word, Count] = Field(
        {}, description="Maximum number of active increments of a type"
    )
    can_interrupt: tuple[Word, ...] = Field(
        ("hotfix", "bug"), description="Types that only `hard_cap` limits"
    )
    policy: Policy = Field(
        Policy.WARN,
        description="Reaction of `resume` and `start` beyond `max_active` and `per_type`",
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
        None, description="Days after completion in which an increment can be reopened"
    )
    too_late: Policy = Field(Policy.REFUSE, description="Reaction to a later reopen")
    categories: tuple[Category, ...] = Field(
        (), description="Words that `--category` accepts. Without a list it accepts any word"
    )
    category_required: bool = Field(default=False, description="Require `--category` for a reopen")
    category_missing: Policy = Field(Policy.REFUSE, description="Reaction to a missing category")
    from_nth: Count | None = Field(
        None, description="Number of the first reopen that `frequent` applies to"
    )
    frequent: Policy = Field(Policy.WARN, description="Reaction to that reopen and later ones")

    @property
    def rules(self) -> reopening.ReopenRules:
        """The same for what decides by them."""
        return reopening.ReopenRules(**self.model_dump())
