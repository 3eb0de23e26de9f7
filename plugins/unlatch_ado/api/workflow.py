"""The states of a work item type, and the possible targets of a change."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from unlatch.errors import Rejected
from unlatch.spi import Category, Goal
from unlatch.transport.answer import Misread, each, required, table, text
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

# https://learn.microsoft.com/azure/devops/boards/work-items/workflow-and-state-categories
_CATEGORIES: Mapping[str, Category] = MappingProxyType(
    {
        "Proposed": Category.TODO,
        "InProgress": Category.DOING,
        "Resolved": Category.DOING,
        "Completed": Category.DONE,
        "Removed": Category.DROPPED,
    }
)
# In order of preference. Resolved is for work to be verified, never for new work.
_WANTED: Mapping[Goal, tuple[str, ...]] = MappingProxyType(
    {
        Goal.OPEN: ("InProgress", "Proposed"),
        Goal.COMPLETED: ("Completed",),
        Goal.NOT_PLANNED: ("Removed", "Completed"),
    }
)


@dataclass(frozen=True, slots=True)
class Workflow:
    """A work item type's states in the order of its workflow, and its transitions.

    Args:
        type: the type's name.
        states: the category of each state, by its name.
        moves: the possible next states of each state.
    """

    type: str
    states: Mapping[str, str]
    moves: Mapping[str, tuple[str, ...]]

    def category(self, state: str) -> Category | None:
        """The category of a state; None if the type has no such state."""
        return _CATEGORIES.get(self.states.get(state, ""))

    def is_resolved(self, state: str) -> bool:
        """Whether work in `state` is done but not verified; it counts as open."""
        return self.states.get(state) == "Resolved"

    def reachable(self, current: str) -> tuple[str, ...]:
        """The possible next states of `current`, in the order of the workflow."""
        legal = set(self.moves.get(current, ())) - {current}
        return tuple(state for state in self.states if state in legal)

    def target(self, current: str, goal: Goal, *, configured: str | None) -> str:
        """The next state of an item in `current` that has the `goal`.

        Args:
            current: its present state.
            goal: the goal to reach.
            configured: the configured state for the goal, which takes precedence.

        Raises:
            Rejected: `no-legal-state`.
        """
        state = (
            self._first(current, goal)
            if configured is None
            else self._named(current, goal, configured)
        )
        if state is None:
            raise self._no_legal_state(current, goal, configured)
        return state

    def _first(self, current: str, goal: Goal) -> str | None:
        reachable = self.reachable(current)
        for wanted in _WANTED[goal]:
            for state in reachable:
                if self.states[state] == wanted:
                    return state
        return None

    def _named(self, current: str, goal: Goal, configured: str) -> str | None:
        word = configured.casefold()
        named = [state for state in self.reachable(current) if state.casefold() == word]
        # Names may differ only in case.
        for state in sorted(named, key=lambda state: state != configured):
            category = self.category(state)
            if category is not None and category.is_open is (goal is Goal.OPEN):
                return state
        return None

    def _no_legal_state(self, current: str, goal: Goal, configured: str | None) -> Rejected:
        reachable = ", ".join(f"{s} ({self.states[s]})" for s in self.reachable(current)) or "none"
        wanted = f"the configured state {configured!r}" if configured else f"a state that is {goal}"
        return Rejected(
            "no-legal-state",
            f"a {self.type} in state {current!r} cannot go to {wanted}; it can go to: {reachable}",
            hint="name a state in `states` or `states_by_type` of [trackers.ado], "
            "or move the work item by hand",
        )


def as_json(workflow: Workflow) -> dict[str, Any]:
    """`workflow` in the form of the cache."""
    return {
        "type": workflow.type,
        "states": dict(workflow.states),
        "moves": {state: list(to) for state, to in workflow.moves.items()},
    }


def from_json(data: Any) -> Workflow | None:
    """The workflow from `as_json`; None for other data."""
    try:
        kept = table(data)
        states, moves = required(kept, "states", table), required(kept, "moves", table)
        return Workflow(
            required(kept, "type", text),
            {state: required(states, state, text) for state in states},
            {state: required(moves, state, each(text)) for state in moves},
        )
    except Misread:
        return None
