"""The tables within `[trackers.ado]`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr

from unlatch.spi import Goal
from unlatch_ado.values import FieldName, Word

FieldValue = StrictBool | StrictInt | StrictFloat | StrictStr
FieldValues = dict[FieldName, FieldValue]


class States(BaseModel):
    """Names of states to use instead of the ones that the work item type suggests."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    reopened: Word | None = Field(None, description="The state of a reopened work item.")
    completed: Word | None = Field(None, description="The state of a completed work item.")
    not_planned: Word | None = Field(None, description="The state of an abandoned work item.")

    def of(self, goal: Goal) -> str | None:
        """The state that is named for `goal`, if one is."""
        by_goal = {
            Goal.OPEN: self.reopened,
            Goal.COMPLETED: self.completed,
            Goal.NOT_PLANNED: self.not_planned,
        }
        return by_goal[goal]

    def named(self) -> dict[Goal, tuple[str, str]]:
        """The settings that are made: for each goal the setting's own name and the state."""
        names = {
            Goal.OPEN: "reopened",
            Goal.COMPLETED: "completed",
            Goal.NOT_PLANNED: "not_planned",
        }
        found = ((goal, name, self.of(goal)) for goal, name in names.items())
        return {goal: (name, state) for goal, name, state in found if state is not None}


class Fields(BaseModel):
    """Fields that a rule of the process makes mandatory, by their reference names."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    create: FieldValues = Field(
        default_factory=dict, description="Fields that a new work item gets."
    )
    reopen: FieldValues = Field(
        default_factory=dict, description="Fields that are set along with the state on reopening."
    )
    close: FieldValues = Field(
        default_factory=dict,
        description="Fields that are set along with the state on completing or abandoning.",
    )

    def of(self, goal: Goal) -> FieldValues:
        """The fields that go along with a change of state."""
        return self.reopen if goal is Goal.OPEN else self.close


class OnReopen(BaseModel):
    """What becomes of a reopened work item's iteration, parent and assignee."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    iteration: Literal["keep", "current"] = Field(
        "keep", description="Leave an iteration that is over, or move on to the current one."
    )
    parent: Literal["ignore", "report", "reopen"] = Field(
        "report", description="Say that the parent is closed, reopen it, or do not look at it."
    )
    assignee: Literal["keep", "me"] = Field(
        "keep",
        description="Leave an assignee who is no longer active, or assign it to the token's "
        "account.",
    )
