"""The four processes that Microsoft ships, and an inherited one: types, states, transitions, rules.

Source: Microsoft Learn, "Default processes and process templates" and the workflow pages of each.
As in the hosted processes any state leads to any other, except that an item must leave Removed by
the first state. The inherited one has German states, forbidden transitions, and a mandatory field.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class State:
    name: str
    category: str

    @property
    def color(self) -> str:
        return _COLORS[self.category]


@dataclass(frozen=True, slots=True)
class WorkItemType:
    name: str
    reference_name: str
    states: tuple[State, ...]
    color: str
    icon: str
    # States with limited next states, and fields that a state requires.
    moves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    required: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def first(self) -> State:
        return self.states[0]

    def state(self, name: str) -> State | None:
        return next((s for s in self.states if s.name == name), None)

    def next_states(self, name: str) -> tuple[str, ...]:
        """The empty name stands for a new work item."""
        state = self.state(name)
        if not name or (state is not None and state.category == "Removed"):
            return (self.first.name,)
        if name in self.moves:
            return self.moves[name]
        return tuple(s.name for s in self.states if s.name != name)


_COLORS = {
    "Proposed": "b2b2b2",
    "InProgress": "007acc",
    "Resolved": "ff9d00",
    "Completed": "339933",
    "Removed": "ffffff",
}
_LOOKS = {
    "Epic": ("FF7B00", "icon_crown"),
    "Feature": ("773B93", "icon_trophy"),
    "User Story": ("009CCC", "icon_book"),
    "Product Backlog Item": ("009CCC", "icon_list"),
    "Requirement": ("009CCC", "icon_clipboard"),
    "Issue": ("B4009E", "icon_clipboard_issue"),
    "Task": ("F2CB1D", "icon_clipboard"),
    "Bug": ("CC293D", "icon_insect"),
}


def _states(**names: str) -> tuple[State, ...]:
    """`New="Proposed"`; an underscore in a name stands for a blank."""
    return tuple(State(n.replace("_", " "), category) for n, category in names.items())


_AGILE = _states(New="Proposed", Active="InProgress", Resolved="Resolved", Closed="Completed")
_REMOVED = _states(Removed="Removed")
_AGILE_TASK = _states(New="Proposed", Active="InProgress", Closed="Completed")
_AGILE_ISSUE = _states(Active="InProgress", Closed="Completed")
_SCRUM_ITEM = _states(
    New="Proposed", Approved="Proposed", Committed="InProgress", Done="Completed", Removed="Removed"
)
_SCRUM_BIG = _states(New="Proposed", In_Progress="InProgress", Done="Completed", Removed="Removed")
_SCRUM_TASK = _states(
    To_Do="Proposed", In_Progress="InProgress", Done="Completed", Removed="Removed"
)
_BASIC = _states(To_Do="Proposed", Doing="InProgress", Done="Completed")
_CMMI = _states(Proposed="Proposed", Active="InProgress", Resolved="Resolved", Closed="Completed")


_GERMAN = _states(Neu="Proposed", In_Arbeit="InProgress", Geprüft="Resolved", Fertig="Completed")
_GERMAN_BUG = _states(
    Gemeldet="Proposed",
    In_Arbeit="InProgress",
    Wieder_offen="InProgress",
    Behoben="Completed",
)
_REJECTED = _states(Verworfen="Removed")
REOPEN_CAUSE = "Custom.ReopenCause"
INHERITED = "Fabrikam Agile"


def _process(**types: tuple[State, ...]) -> Mapping[str, WorkItemType]:
    names = {name.replace("_", " "): states for name, states in types.items()}
    return MappingProxyType(
        {
            name: WorkItemType(name, _reference(name), states, *_LOOKS[name])
            for name, states in names.items()
        }
    )


def _reference(name: str) -> str:
    return f"Microsoft.VSTS.WorkItemTypes.{name.replace(' ', '')}"


def _inherited() -> Mapping[str, WorkItemType]:
    """A process inherited from Agile: a locked workflow for bugs, with a required reason."""
    types = _process(User_Story=_GERMAN + _REJECTED, Task=_GERMAN, Bug=_GERMAN_BUG + _REJECTED)
    bug = replace(
        types["Bug"],
        moves={"Behoben": ("Wieder offen",)},
        required={"Wieder offen": (REOPEN_CAUSE,)},
    )
    return MappingProxyType({**types, "Bug": bug})


PROCESSES: Mapping[str, Mapping[str, WorkItemType]] = MappingProxyType(
    {
        "Agile": _process(
            Epic=_AGILE + _REMOVED,
            Feature=_AGILE + _REMOVED,
            User_Story=_AGILE + _REMOVED,
            Bug=_AGILE,
            Task=_AGILE_TASK + _REMOVED,
            Issue=_AGILE_ISSUE,
        ),
        "Scrum": _process(
            Epic=_SCRUM_BIG,
            Feature=_SCRUM_BIG,
            Product_Backlog_Item=_SCRUM_ITEM,
            Bug=_SCRUM_ITEM,
            Task=_SCRUM_TASK,
        ),
        "Basic": _process(Epic=_BASIC, Issue=_BASIC, Task=_BASIC),
        "CMMI": _process(
            Epic=_CMMI,
            Feature=_CMMI,
            Requirement=_CMMI,
            Bug=_CMMI,
            Task=_CMMI,
            Issue=_CMMI,
        ),
        INHERITED: _inherited(),
    }
)


@cache
def custom_fields() -> frozenset[str]:
    """The custom fields of the organization."""
    kinds = (kind for types in PROCESSES.values() for kind in types.values())
    return frozenset(n for kind in kinds for names in kind.required.values() for n in names)
